package cputime

import (
	"testing"
	"time"
)

// Work counts, and never backwards.
func TestProcess(t *testing.T) {
	clock := Clock() // the first to be read: it has seen all that Process sees
	before := Process()
	sum := 0
	for Process()-before < 20*time.Millisecond {
		for k := range 1_000_000 {
			sum += k * k
		}
	}
	if d := Clock().Sub(clock); d < 20*time.Millisecond {
		t.Errorf("the clock went on by %v (%d)", d, sum)
	}
	a := sinceStart()
	if b := sinceStart(); a < 0 || b < a {
		t.Errorf("%v after %v", b, a)
	}
}
