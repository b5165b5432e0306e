package ulp

import (
	"math"
	"math/rand/v2"
	"testing"
)

// numbers are float32 numbers of all sizes, and those at the ends of their ranges.
func numbers() (out []float32) {
	r := rand.New(rand.NewPCG(1, 2))
	for len(out) < 5000 {
		if f := math.Float32frombits(r.Uint32()); !math.IsNaN(float64(f)) && !math.IsInf(float64(f), 0) {
			out = append(out, f)
		}
	}
	return append(out, 0, 1, -1, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 0x1p-126, -0x1p-126, 0x1p-125, math.MaxFloat32, -math.MaxFloat32)
}

// A cell holds its number between neighbours, and is the number itself where float32 has it.
func TestCell(t *testing.T) {
	for _, f := range numbers() {
		if low, high := Cell(float64(f)); low != f || high != f {
			t.Errorf("Cell(%v) = %v, %v, want it twice", f, low, high)
		}
		next := math.Nextafter32(f, inf)
		if math.IsInf(float64(next), 0) {
			continue
		}
		for _, part := range []float64{1e-3, 0.25, 0.5, 0.75, 1 - 1e-3} {
			v := float64(f) + part*(float64(next)-float64(f))
			if low, high := Cell(v); low != f || high != next {
				t.Errorf("Cell(%v) = %v, %v, want %v, %v", v, low, high, f, next)
			}
			if got := Between(v, f); got != f {
				t.Errorf("%v is rounded to %v on the side of %v", v, got, f)
			}
			if got := Between(v, next); got != next {
				t.Errorf("%v is rounded to %v on the side of %v", v, got, next)
			}
			if low, high := Between(v, -math.MaxFloat32), Between(v, math.MaxFloat32); low != f || high != next {
				t.Errorf("%v is rounded to %v and %v, want %v and %v", v, low, high, f, next)
			}
		}
	}
}

// The number next to another one is that of the standard library, on either side and at it.
func TestTowards(t *testing.T) {
	all := numbers()
	for i, f := range all {
		for _, g := range []float32{all[(i+1)%len(all)], -f, 0, inf, -inf, f} {
			if got, want := Towards(f, g), math.Nextafter32(f, g); got != want {
				t.Errorf("next to %v on the side of %v: %v, want %v", f, g, got, want)
			}
		}
	}
}

func TestFinite(t *testing.T) {
	for v, want := range map[float64]float32{
		1e300: math.MaxFloat32, -1e300: -math.MaxFloat32, math.Inf(1): math.MaxFloat32, math.Inf(-1): -math.MaxFloat32,
		math.MaxFloat32 * (1 + 1e-9): math.MaxFloat32, 0.1: 0.1, 0: 0,
	} {
		if got := Finite(v); got != want {
			t.Errorf("Finite(%v) = %v, want %v", v, got, want)
		}
	}
}
