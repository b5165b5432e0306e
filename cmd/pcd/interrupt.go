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
// being written, which may take up to savingPatience. A signal within echo is the first
// one again.
const (
	patience       = 900 * time.Millisecond
	savingPatience = 10 * time.Second
	pollInterval   = 20 * time.Millisecond
	echo           = 100 * time.Millisecond
)

// interruptible returns a context that the first interruption cancels. The second
// one ends the program at once.
func interruptible(parent context.Context, stderr io.Writer) context.Context {
	ctx, cancel := context.WithCancel(parent)
	own := new(atomic.Pointer[ownEnd])
	ctx = context.WithValue(ctx, ownEndKey{}, own)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if inJob() {
		go endWithInput(os.Stdin, signals)
	}
	go func() {
		<-signals
		cancel()
		end := own.Load()
		dropEchoes(signals, time.After(echo))
		if end != nil {
			end.await(signals, time.After(patience), stderr)
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

type ownEndKey struct{}

// ownEnd is the end of a command that takes its own time after an interruption.
type ownEnd struct{ why string }

// endsByItself says that a command takes its own time to end after an interruption, for
// instance to answer those who wait, until the function that it returns is called. Only a
// second interruption cuts it short. Where it takes longer than others do, why is said.
func endsByItself(ctx context.Context, why string) (over func()) {
	own, ok := ctx.Value(ownEndKey{}).(*atomic.Pointer[ownEnd])
	if !ok {
		return func() {}
	}
	own.Store(&ownEnd{why})
	return func() { own.Store(nil) }
}

// await returns after a second signal. If there is none until it is late, why is said.
func (e *ownEnd) await(signals <-chan os.Signal, late <-chan time.Time, stderr io.Writer) {
	select {
	case <-signals:
		return
	case <-late:
	}
	if e.why != "" {
		printLine(stderr, "%s; another interruption ends it at once", e.why)
	}
	<-signals
}

// dropEchoes drops signals until a time. They are the first one again: terminals that are
// closed, and programs that start others, send it twice.
func dropEchoes(signals <-chan os.Signal, until <-chan time.Time) {
	for {
		select {
		case <-signals:
		case <-until:
			return
		}
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
