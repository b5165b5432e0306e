package train

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd/schedule"
)

// TestLevels counts how often levels are drawn on a fine grid of numbers.
func TestLevels(t *testing.T) {
	s, err := schedule.Exponential(25, 1e-4, 1)
	if err != nil {
		t.Fatal(err)
	}
	const grid = 200000
	for _, emphasis := range []float64{0, 1, 5} {
		l := newLevels(s, emphasis)
		counts := make([]float64, s.Len())
		for i := range grid {
			counts[l.at(float64(i)/grid)]++
		}
		want := make([]float64, s.Len())
		total := 0.0
		for i := range want {
			want[i] = 1
			if ratio := 1/s.At(i).AlphaBar - 1; ratio > 1 && ratio < noSignal && emphasis > 1 {
				want[i] = min(ratio, emphasis)
			}
			total += want[i]
		}
		for i, c := range counts {
			if math.Abs(c/grid-want[i]/total) > 2./grid {
				t.Errorf("emphasis %v: level %d is drawn with probability %v, want %v", emphasis, i, c/grid, want[i]/total)
			}
		}
	}
	l := newLevels(s, 5)
	if l.at(math.Nextafter(1, 0)) != 24 || l.at(0) != 0 {
		t.Errorf("ends give levels %d and %d, want 24 and 0", l.at(math.Nextafter(1, 0)), l.at(0))
	}
}
