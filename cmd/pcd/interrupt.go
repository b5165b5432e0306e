package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-pcd/pcd/internal/atomicfile"
)

// Times after an interruption. Work looks at its context many times a second. What
// does not stop by itself within patience is ended from outside, unless a file is
// being written, which may take up to savingPatience.
const (
	patience       = 900 * time.Millisecond
	savingPatience = 10 * time.Second
	pollInterval   = 20 * time.Millisecond
)

// interruptible returns a context that the first interruption cancels. The second
// one ends the program at once.
func interruptible(parent context.Context, stderr io.Writer) context.Context {
	ctx, cancel := context.WithCancel(parent)
	lets := new(atomic.Bool)
	ctx = context.WithValue(ctx, drainKey{}, lets)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if inJob() {
		go endWithInput(os.Stdin, signals)
	}
	go func() {
		<-signals
		cancel()
		if lets.Load() {
			<-signals
		} else {
			awaitEnd(signals, time.Tick(pollInterval), atomicfile.Writing)
		}
		atomicfile.Abandon()
		fmt.Fprintln(stderr, message(context.Canceled))
		os.Exit(exitInterrupted)
	}()
	return ctx
}

// endWithInput interrupts a job when its service has gone, or says so by closing its input.
func endWithInput(in io.Reader, signals chan<- os.Signal) {
	_, _ = io.Copy(io.Discard, in)
	signals <- os.Interrupt
}

type drainKey struct{}

// endsByItself says that a command takes its own time to end after an interruption, for
// instance to answer those who wait. Only a second interruption cuts it short.
func endsByItself(ctx context.Context) {
	if lets, ok := ctx.Value(drainKey{}).(*atomic.Bool); ok {
		lets.Store(true)
	}
}

// awaitEnd returns after a second signal, or when the ticks say that the program
// has had the time to end by itself.
func awaitEnd(signals <-chan os.Signal, ticks <-chan time.Time, writing func() bool) {
	for n := time.Duration(1); ; n++ {
		select {
		case <-signals:
			return
		case <-ticks:
			if n*pollInterval >= savingPatience || n*pollInterval >= patience && !writing() {
				return
			}
		}
	}
}
