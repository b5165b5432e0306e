package main

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// patient counts the ticks after which awaitEnd gives up. They wait in the channel, so
// that nothing else runs beside it.
func patient(t *testing.T, writing func(tick int) bool) int {
	t.Helper()
	ticks := make(chan time.Time, 2*savingPatience/pollInterval)
	for range cap(ticks) {
		ticks <- time.Time{}
	}
	taken := func() int { return cap(ticks) - len(ticks) }
	awaitEnd(make(chan os.Signal), ticks, func() bool { return writing(taken()) })
	return taken()
}

func TestWorkThatDoesNotStopIsEnded(t *testing.T) {
	for name, c := range map[string]struct {
		writing func(int) bool
		want    time.Duration
	}{
		"idle":              {func(int) bool { return false }, patience},
		"a file for a time": {func(n int) bool { return n < 100 }, 100 * pollInterval},
		"a file for ever":   {func(int) bool { return true }, savingPatience},
	} {
		if got := time.Duration(patient(t, c.writing)) * pollInterval; got != c.want {
			t.Errorf("%s: ended after %v, want %v", name, got, c.want)
		}
	}
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	signals := make(chan os.Signal, 1)
	signals <- syscall.SIGINT
	awaitEnd(signals, nil, func() bool { return true })
}
