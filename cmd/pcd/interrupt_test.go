package main

import (
	"context"
	"os"
	"strings"
	"sync/atomic"
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

// A command that ends by itself is waited for, and says what it does where that takes long.
func TestCommandsThatEndByThemselves(t *testing.T) {
	signals, late := make(chan os.Signal, 1), make(chan time.Time, 1)
	signals <- syscall.SIGINT // at once, before it is late
	var said strings.Builder
	(&ownEnd{"the step is finished"}).await(signals, late, &said)
	if said.Len() > 0 {
		t.Errorf("it said %q to one who does not wait", said.String())
	}
	late <- time.Time{}
	go func() {
		for len(late) > 0 {
			time.Sleep(time.Millisecond)
		}
		signals <- syscall.SIGINT
	}()
	(&ownEnd{"the step is finished"}).await(signals, late, &said)
	if want := "the step is finished; another interruption ends it at once\n"; said.String() != want {
		t.Errorf("it said %q, want %q", said.String(), want)
	}
}

// The first signal may come twice; a second one is not lost.
func TestEchoesAreDropped(t *testing.T) {
	signals, until := make(chan os.Signal, 2), make(chan time.Time)
	signals <- syscall.SIGHUP
	signals <- syscall.SIGHUP
	go func() {
		for len(signals) > 0 {
			time.Sleep(time.Millisecond)
		}
		close(until)
	}()
	dropEchoes(signals, until)
	if len(signals) > 0 {
		t.Error("an echo is left")
	}
}

// What a command says of its own end holds until it takes that back.
func TestOwnEndIsTakenBack(t *testing.T) {
	own := new(atomic.Pointer[ownEnd])
	over := endsByItself(context.WithValue(t.Context(), ownEndKey{}, own), "why")
	if own.Load() == nil {
		t.Fatal("it is not waited for")
	}
	if over(); own.Load() != nil {
		t.Error("it is waited for for ever")
	}
}
