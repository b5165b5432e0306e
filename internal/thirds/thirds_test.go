package thirds

import (
	"math"
	"testing"
)

func TestLeast(t *testing.T) {
	for name, c := range map[string]struct {
		f        func(float64) float64
		from, to float64
		want     float64
	}{
		"inside":              {func(x float64) float64 { return (x - 0.3) * (x - 0.3) }, -1, 1, 0.3},
		"at an end":           {func(x float64) float64 { return x }, 2, 3, 2},
		"the deeper of two":   {func(x float64) float64 { return min((x-1)*(x-1), (x-5)*(x-5)-1) }, 0, 6, 5},
		"an interval of none": {func(x float64) float64 { return x }, 2, 2, 2},
	} {
		near, place, value := Least(c.f, c.from, c.to, 32, 60)
		if math.Abs(near-c.want) > 1e-7 {
			t.Errorf("%s: %v, want %v", name, near, c.want)
		}
		if value != c.f(place) || c.f(near) > value+1e-9 { // what is left of the interval keeps it from an end
			t.Errorf("%s: %v at %v, and %v at %v", name, value, place, c.f(near), near)
		}
	}
}
