package main

import (
	"slices"
	"testing"
)

// TestRatesByRobot: what is equal is said once, and large teams get a range.
func TestRatesByRobot(t *testing.T) {
	forty := slices.Repeat([]float64{1}, 40)
	mixed := slices.Clone(forty)
	mixed[7] = 0.25
	for _, c := range []struct {
		rates []float64
		want  string
	}{
		{forty, "100.0 %"},
		{mixed, "25.0 to 100.0 %, by robot,"},
		{[]float64{1, 0.5}, "100.0 / 50.0 %, by robot,"},
	} {
		if got := byRobot(c.rates); got != c.want {
			t.Errorf("%d rates are printed as %q, want %q", len(c.rates), got, c.want)
		}
	}
}
