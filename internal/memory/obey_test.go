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
