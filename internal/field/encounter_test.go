package field

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// Encounters are the runs of pieces whose boxes are near that of a solid, by solid and then by time.
func TestEncountersAreAllThatIsNear(t *testing.T) {
	draw := rand.New(rand.NewPCG(15, 16))
	for range 40 {
		solids := crowded(draw, 1+draw.IntN(60))
		boxes := make([]geom.Box, len(solids))
		for i, s := range solids {
			c, _ := geom.ConvexOf(s)
			boxes[i] = c.Bounds()
		}
		pieces, far := make([]geom.Box, 30), make([]float64, 30)
		at := geom.Vec2{X: 10, Y: 2}
		for k := range pieces {
			to := at.Add(geom.Vec2{X: draw.NormFloat64(), Y: 0.5 * draw.NormFloat64()})
			pieces[k], far[k] = geom.Segment{A: at, B: to}.Bounds(), 0.5*draw.Float64()
			at = to
		}
		var want []Encounter
		for i, b := range boxes {
			for k, p := range pieces {
				if apart := max(p.Min.X-b.Max.X, b.Min.X-p.Max.X, p.Min.Y-b.Max.Y, b.Min.Y-p.Max.Y); apart > far[k] {
					continue
				}
				if n := len(want); n > 0 && want[n-1].Solid == i && want[n-1].To == k {
					want[n-1].To++
					continue
				}
				want = append(want, Encounter{i, k, k + 1})
			}
		}
		got := NewIndex(solids).Encounters(boxes, len(pieces), func(k int) (geom.Box, float64) { return pieces[k], far[k] })
		if !slices.Equal(got, want) {
			t.Fatalf("%d solids: encounters %v, want %v", len(solids), got, want)
		}
	}
}
