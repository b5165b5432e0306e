package nn

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// engine is what the networks share: parameters, their packed form, the plans and
// the memory to run them in.
type engine struct {
	params  params
	layout  func(purpose) *plan
	shape   tensor.Shape
	workers int

	pack func()       // packLayers, made once so that starting it allocates nothing
	next atomic.Int64 // the next layer to pack
	wait sync.WaitGroup

	mu        sync.Mutex
	backwards bool // weights are packed for backward products, too
	plans     [observing + 1]*plan
	idle      [observing + 1][]*session
}

// start packs the weights of a network whose layers are made.
func (e *engine) start(layout func(purpose) *plan, shape tensor.Shape, workers int) error {
	if _, err := kernel.Selected(); err != nil {
		return err
	}
	e.layout, e.shape, e.workers = layout, shape, workers
	if workers <= 0 {
		e.workers = runtime.GOMAXPROCS(0)
	}
	e.Refresh()
	return nil
}

// Shape returns the shape of a sample: rows of the state at each time step.
func (e *engine) Shape() tensor.Shape { return e.shape }

// Kind returns [denoise.Epsilon].
func (e *engine) Kind() denoise.Kind { return denoise.Epsilon }

// Params returns the parameters in the order of the state dict. The slice is the
// network's own.
func (e *engine) Params() []*Param { return e.params.list }

// MultiplyAdds returns how many multiplications with a weight a prediction for one
// sample is by the definition of a convolution: the published count, which includes
// the zeros around sequences, and the number without most of those. Minimal filtering
// (kernel.Filter) does with fewer.
func (e *engine) MultiplyAdds() (nominal, useful int) {
	p := e.prepare(predicting)
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
	e.mu.Lock()
	defer e.mu.Unlock()
	e.packAll()
	for _, p := range e.plans {
		if p != nil {
			p.prelude.forget()
		}
	}
}

// packAll packs all weights, in as many goroutines as there are workers.
func (e *engine) packAll() {
	if e.pack == nil {
		e.pack = e.packLayers
	}
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
		if i >= len(e.params.convs) {
			return
		}
		e.params.convs[i].refreshForward()
		if e.backwards {
			e.params.convs[i].refreshBackward()
		}
	}
}

// prepare returns the plan for a purpose, and packs what it needs.
func (e *engine) prepare(p purpose) *plan {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.plans[p] == nil {
		e.plans[p] = e.layout(p)
	}
	if p != predicting && p != observing && !e.backwards {
		e.backwards = true
		e.packAll()
	}
	return e.plans[p]
}

// session takes memory for a call from the idle ones, or new memory.
func (e *engine) session(p purpose) *session {
	plan := e.prepare(p)
	e.mu.Lock()
	defer e.mu.Unlock()
	if idle := e.idle[p]; len(idle) > 0 {
		s := idle[len(idle)-1]
		e.idle[p] = idle[:len(idle)-1]
		return s
	}
	return newSession(plan, e.workers)
}

func (e *engine) giveBack(s *session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p := s.plan.purpose
	e.idle[p] = append(e.idle[p], s)
}

// Predict implements [denoise.Denoiser]. It panics when dst and x do not have the
// shape of the network.
func (n *TemporalUNet) Predict(ctx context.Context, dst, x tensor.Batch, t int) error {
	return n.run(ctx, predicting, t, bindings{x: x, out: dst})
}

// VJP implements [denoise.VJPer].
func (n *TemporalUNet) VJP(ctx context.Context, dst, x, cotangent tensor.Batch, t int) error {
	return n.run(ctx, differentiating, t, bindings{x: x, dOut: cotangent, dx: dst})
}

// bindings are the caller's arrays of a call.
type bindings struct {
	x, out, dOut, dx tensor.Batch
	times            []int     // of the samples, when training
	condition        []float32 // rows for the samples of x
	dCondition       tensor.Batch
}

// run computes a plan on the caller's arrays.
func (e *engine) run(ctx context.Context, p purpose, t int, b bindings) error {
	e.check(b)
	if t < 0 {
		return &TimestepError{t}
	}
	if err := ctx.Err(); err != nil || b.x.N == 0 {
		return err
	}
	s := e.session(p)
	defer e.giveBack(s)
	return s.run(ctx, t, b)
}

// check panics when the caller's arrays do not fit the network or one another.
func (e *engine) check(b bindings) {
	for _, a := range [...]tensor.Batch{b.x, b.out, b.dOut, b.dx} {
		if a.Data != nil && (a.N != b.x.N || !a.Shape.Equal(e.shape) || len(a.Data) != a.N*e.shape.Size()) {
			panic(fmt.Sprintf("nn: batch of %d samples of shape %v, want %d of shape %v", a.N, a.Shape, b.x.N, e.shape))
		}
	}
}
