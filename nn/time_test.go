package nn

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
)

// TestTimeFeatures compares with the published features, and with the formula in float64:
// the logarithm of a frequency takes three roundings, the frequency and the angle one each.
func TestTimeFeatures(t *testing.T) {
	imageCases(t, "time_embedding", func(t *testing.T, c golden.Case) {
		io := golden.Safetensors(t, c.Dir+"/io.safetensors")
		for _, width := range []int{6, 8, 320} {
			name := fmt.Sprintf("out.dim%d_", width)
			exact := io[name+"exact"].Data
			f, half := newTimeFeatures(width, true, 0), width/2
			var all []float32
			for i, step := range io["in.timesteps"].Ints() {
				row := make([]float32, width)
				f.write(row, float64(step))
				all = append(all, row...)
				for j, v := range row {
					logarithm := math.Log(10000) * float64(j%half) / float64(half)
					most := (1 + float64(step)*math.Exp(-logarithm)*(2+3*logarithm)) / (1 << 24)
					if want := exact[i*width+j]; math.Abs(float64(v)-float64(want)) > most {
						t.Errorf("feature %d of %d at timestep %d is %v, want %v within %.2g", j, width, step, v, want, most)
					}
				}
			}
			c.Check(t, name+"float32_reference", all, io[name+"float32_reference"])
		}
	})
}
