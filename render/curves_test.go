package render

import (
	"math"
	"slices"
	"testing"
)

// Every axis carries at least two numbers, however narrow.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		log    bool
		want   []string
	}{
		{0, 1, false, []string{"0.0", "0.5", "1.0"}},
		{math.Log10(0.1), math.Log10(0.4), true, []string{"0.1", "0.2", "0.3", "0.4"}},
		{math.Log10(0.25), math.Log10(0.3), true, []string{"0.26", "0.28", "0.3"}},
		{math.Log10(0.01), math.Log10(0.1), true, []string{"0.01", "0.02", "0.05", "0.1"}},
		{-3, 1, true, []string{"0.001", "0.01", "0.1", "1", "10"}},
	} {
		var labels []string
		for _, tick := range ticks(c.lo, c.hi, c.log) {
			labels = append(labels, tick.Label)
			if tick.Value < c.lo-1e-9 || tick.Value > c.hi+1e-9 {
				t.Errorf("tick %q at %v is outside of [%v, %v]", tick.Label, tick.Value, c.lo, c.hi)
			}
		}
		if !slices.Equal(labels, c.want) {
			t.Errorf("ticks of [%v, %v]: %q, want %q", c.lo, c.hi, labels, c.want)
		}
	}
}
