package nn

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// engine is what the networks share: parameters, their packed form, the plans and
// the memory to run them in.
type engine struct {
	params  params
	layout  func(key) *plan
	workers int

	pack func()       // packLayers, made once so that starting it allocates nothing
	next atomic.Int64 // the next layer to pack
	wait sync.WaitGroup

	packsForward bool // and not the way back alone

	mu        sync.Mutex
	unset     error // why the network cannot be used yet
	backwards bool  // weights are packed for backward products, too
	plans     map[key]*plan
	idle      map[key][]*session
}

// key names a plan: what it is for, and the sizes of the call.
type key struct {
	purpose purpose
	size    extent
}

// extent holds what differs from call to call, zero for networks that fix it.
type extent struct {
	height, width, rows int     // pixels of an image, rows of a condition
	moving              bool    // batch normalisations use the statistics of the batch
	single              bool    // one image where the network compares two
	points              bool    // of an encoder, without its last map
	scale               float32 // of what a hint adds
	guided              bool    // the strength of guidance is an input
	guidance            float64
}

// start packs the weights of a network whose layers are made.
func (e *engine) start(layout func(key) *plan, workers int) error {
	if _, err := kernel.Selected(); err != nil {
		return err
	}
	e.layout, e.workers = layout, parallel.Workers(workers)
	e.plans, e.idle = map[key]*plan{}, map[key][]*session{}
	e.Refresh()
	return nil
}

// Params returns the parameters in the order of the state dict. The slice is the
// network's own.
func (e *engine) Params() []*Param { return e.params.list }

// multiplyAdds returns the multiplications of a prediction for one sample of the given
// sizes.
func (e *engine) multiplyAdds(size extent) (nominal, useful int) {
	p := e.prepare(key{predicting, size})
	return p.nominal, p.useful
}

// Init draws new parameters from the field, as PyTorch does by default.
func (e *engine) Init(f noise.Field) {
	e.params.initialise(f)
	e.Refresh()
}

// Refresh packs the parameters after their data has changed. It must not run at
// the same time as any other method.
func (e *engine) Refresh() {
	if e.params.dry {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.unset = e.params.unset(); e.unset != nil {
		return
	}
	e.packAll(true)
	for _, p := range e.plans {
		p.prelude.forget()
	}
}

// packAll packs all weights for the way back, if there is one, and for the way forward on demand, in as many
// goroutines as there are workers.
func (e *engine) packAll(forward bool) {
	if e.pack == nil {
		e.pack = e.packLayers
	}
	e.packsForward = forward
	e.next.Store(0)
	e.wait.Add(e.workers)
	for range e.workers - 1 {
		go e.pack()
	}
	e.pack()
	e.wait.Wait()
}

// packLayers packs layer after layer until none is left.
func (e *engine) packLayers() {
	defer e.wait.Done()
	for {
		i := int(e.next.Add(1)) - 1
		if i >= len(e.params.layers) {
			return
		}
		if e.packsForward {
			e.params.layers[i].refreshForward()
		}
		if e.backwards {
			e.params.layers[i].refreshBackward()
		}
	}
}

// prepare returns a plan, and packs what it needs.
func (e *engine) prepare(k key) *plan {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.plans[k] == nil {
		e.plans[k] = e.layout(k)
	}
	if k.purpose.backwards() && !e.backwards {
		e.backwards = true
		e.packAll(false) // predictions may be under way
	}
	return e.plans[k]
}

// session takes memory for a call from the idle ones, or new memory.
func (e *engine) session(k key) *session {
	plan := e.prepare(k)
	e.mu.Lock()
	defer e.mu.Unlock()
	if idle := e.idle[k]; len(idle) > 0 {
		s := idle[len(idle)-1]
		e.idle[k] = idle[:len(idle)-1]
		return s
	}
	return newSession(plan, e.workers)
}

func (e *engine) giveBack(s *session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	k := s.plan.key
	e.idle[k] = append(e.idle[k], s)
}

// bindings are the sizes and the caller's arrays of a call.
type bindings struct {
	samples            int
	size               extent
	in, out, dOut, dIn [ports][]float32
	times              []int // of the samples, when training
	ids                []int // tokens of the samples
}

// run computes a plan on the caller's arrays.
func (e *engine) run(ctx context.Context, p purpose, t float64, b bindings) error {
	if e.unset != nil {
		return e.unset
	}
	if t < 0 {
		return &timestepError{int(math.Floor(t))}
	}
	if err := ctx.Err(); err != nil || b.samples == 0 {
		return err
	}
	s := e.session(key{p, b.size})
	defer e.giveBack(s)
	s.plan.check(b)
	return s.run(ctx, t, b)
}

// check panics when the caller's arrays do not fit the plan.
func (p *plan) check(b bindings) {
	check := func(what string, i int, s *signal, data []float32) {
		if s != nil && data != nil && len(data) != b.samples*s.size() {
			panic(fmt.Sprintf("nn: %s %d has %d elements, want %d for each of %d samples", what, i, len(data), s.size(), b.samples))
		}
	}
	for i := range ports {
		check("input", i, p.in[i], b.in[i])
		check("output", i, p.out[i], b.out[i])
		check("cotangent of output", i, p.dOut[i], b.dOut[i])
		check("cotangent of input", i, p.dIn[i], b.dIn[i])
	}
}

// mustFit panics for batches that are not n samples of a shape.
func mustFit(n int, shape tensor.Shape, batches ...tensor.Batch) {
	for _, a := range batches {
		if a.N != n || !a.Shape.Equal(shape) || len(a.Data) != n*shape.Size() {
			panic(fmt.Sprintf("nn: batch of %d samples of shape %v, want %d of shape %v", a.N, a.Shape, n, shape))
		}
	}
}
