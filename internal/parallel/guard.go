package parallel

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// Panic is a panic of another goroutine.
type Panic struct {
	Value any
	Stack []byte // of that goroutine
}

func (p *Panic) String() string { return fmt.Sprint(p.Value) }

// Guard brings a panic of goroutines to the one that waits for them: the language
// would end the program. Its zero value is ready.
type Guard struct{ first atomic.Pointer[Panic] }

// Run calls f on a goroutine and keeps its panic, if none was kept before. It says
// whether f returned.
func (g *Guard) Run(f func()) (returned bool) {
	defer func() {
		if v := recover(); v != nil {
			p, ok := v.(*Panic)
			if !ok {
				p = &Panic{Value: v, Stack: debug.Stack()}
			}
			g.first.CompareAndSwap(nil, p)
		}
	}()
	f()
	return true
}

// Raise panics with the [Panic] that was kept, if there is one. It follows the wait
// for the goroutines.
func (g *Guard) Raise() {
	if p := g.first.Load(); p != nil {
		panic(p)
	}
}
