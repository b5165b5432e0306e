package settings_test

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd/internal/settings"
)

// A row allows what its message says.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		number          settings.Number
		allowed, others []float64
		want            string
	}{
		{settings.Workers, []float64{0, 1024}, []float64{-1, 1025, 0.5}, "want 0 to 1024"},
		{settings.Gamma, []float64{-1e6, 0, 1e6}, []float64{-1.1e6, 1.1e6, math.NaN(), math.Inf(1)}, "want a number of a size up to 1e+06"},
		{settings.Gamma.Positive(), []float64{1e-9, 1e6}, []float64{0, -1}, "want a number above 0 up to 1e+06"},
		{settings.Limit, []float64{1e300}, []float64{0, math.Inf(1)}, "want a positive number"},
		{settings.Eta, []float64{0, 1}, []float64{-0.1, 1.1}, "want a number from 0 to 1"},
		{settings.Number{Low: 1, High: math.Inf(1), Whole: true}, []float64{1, 1e9}, []float64{0, 1.5}, "want at least 1"},
	} {
		for _, v := range c.allowed {
			if !c.number.Allows(v) {
				t.Errorf("%s: %v is not allowed", c.number.Name, v)
			}
		}
		for _, v := range c.others {
			if c.number.Allows(v) {
				t.Errorf("%s: %v is allowed", c.number.Name, v)
			}
		}
		if got := c.number.Want(); got != c.want {
			t.Errorf("%s: %q, want %q", c.number.Name, got, c.want)
		}
	}
}
