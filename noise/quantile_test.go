package noise

import (
	"math"
	"testing"
)

func TestQuantileInvertsTheDistribution(t *testing.T) {
	for _, w := range []uint32{0, 1, 2, 1000, 1 << 16, 1 << 24, 1 << 30, 1<<31 - 1, 1 << 31, 3 << 30, math.MaxUint32} {
		p := uniform(w)
		z := quantile(p)
		// Compare in the tail that keeps digits.
		got, want := 0.5*math.Erfc(-z/math.Sqrt2), p
		if p > 0.5 {
			got, want = 0.5*math.Erfc(z/math.Sqrt2), 1-p
		}
		if math.Abs(got-want) > 4e-15*want*max(1, z*z) {
			t.Errorf("distribution(quantile(%v)) = %v, want %v", p, got, want)
		}
		if mirror := quantile(uniform(^w)); mirror != -z && math.Abs(mirror+z) > 1e-9 {
			t.Errorf("quantile is not odd at %v: %v and %v", p, z, mirror)
		}
	}
}

func TestLogMatchesTheLibrary(t *testing.T) {
	for x := 0x1p-33; x < 0.6; x *= 1.0007 {
		if got, want := log(x), math.Log(x); math.Abs(got-want) > 4e-16*math.Abs(want)+1e-17 {
			t.Fatalf("log(%v) = %v, want %v", x, got, want)
		}
	}
}
