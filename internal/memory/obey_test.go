package memory

import "testing"

func TestSoftLimitLeavesAQuarter(t *testing.T) {
	if got := soft(1 << 30); got != 3<<28 {
		t.Errorf("of 1 GiB %d bytes, want three quarters", got)
	}
	if got := soft(-5); got != slack {
		t.Errorf("with nothing left %d bytes, want %d: a collector without room never ends", got, slack)
	}
}

func TestFewerProcessorsWithinALimit(t *testing.T) {
	for left, want := range map[float64]int{-5: 1, 1 << 27: 1, 3 << 27: 3, 1 << 33: 64, 1 << 62: 1 << 20} {
		if got := processors(left); got != want {
			t.Errorf("%g bytes have room for %d processors, want %d", left, got, want)
		}
	}
}
