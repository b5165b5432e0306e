package nn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/tensor"
)

// Training computes gradients of a loss with respect to the parameters of one
// network, a batch at a time: Forward, then Backward with the gradient of the loss
// with respect to the prediction. It keeps the activations of the whole batch.
//
// Every element of a gradient is a sum over the samples in their order, so it does
// not depend on the number of workers. A Training serves one goroutine; while
// Refresh runs nothing else may.
type Training struct {
	net      *engine
	session  *session
	in, out  tensor.Shape // of a sample and of what comes out
	capacity int
	clearing func(i int, _ *kernel.Hand) // sets a gradient to zero that holds nothing yet
	samples  int                         // of the last forward pass, 0 when there is none to go back from
}

// errNoForward says that Backward was called without a forward pass before it.
var errNoForward = errors.New("nn: backward pass without a forward pass")

// newTraining returns memory for training steps of up to batch samples of the shape in
// and gives the parameters their gradients.
func (e *engine) newTraining(batch int, size extent, in, out tensor.Shape) *Training {
	if batch < 1 {
		panic(fmt.Sprintf("nn: training batch of %d samples", batch))
	}
	t := &Training{net: e, capacity: batch, in: in, out: out}
	p := e.prepare(key{training, size})
	slices.SortStableFunc(p.gradients, func(a, b gradientTask) int { return cmp.Compare(b.cost, a.cost) })
	t.clearing = func(i int, _ *kernel.Hand) {
		if q := e.params.list[i]; q.fresh {
			clear(q.Grad)
		}
	}
	t.session = newSession(p, e.workers)
	t.session.keep(batch)
	for _, q := range e.params.list {
		if q.Grad == nil {
			q.Grad = make([]float32, q.Shape.Size())
		}
	}
	t.ZeroGrad()
	return t
}

// keep makes the memory that outlives a chunk.
func (s *session) keep(samples int) {
	for slot, size := range s.plan.sizes[kept] {
		s.kept[slot] = kernel.Alloc(size * samples)
	}
}

// ZeroGrad makes the next backward pass set the gradients; the ones after add to
// them, so that a batch can be taken in parts.
func (t *Training) ZeroGrad() {
	for _, q := range t.net.params.list {
		q.fresh = true
	}
}

// Examples are the inputs of a training step. Condition has the rows of the
// samples of X, in their order, for a network that has one.
type Examples struct {
	X         tensor.Batch
	T         []int // timestep of every sample, for a network that has one
	Condition tensor.Batch
	Hint      tensor.Batch // of a network that has one
}

// Forward writes the prediction for the examples to dst and keeps what Backward
// needs. It panics for arrays of the wrong shape.
func (t *Training) Forward(ctx context.Context, dst tensor.Batch, x Examples) error {
	if t.net.unset != nil {
		return t.net.unset
	}
	for _, q := range t.net.params.list {
		if q.Data == nil {
			return &keptError{q.Name}
		}
	}
	mustFit(x.X.N, t.in, x.X)
	mustFit(x.X.N, t.out, dst)
	b := bindings{samples: x.X.N, times: x.T}
	b.in[0], b.in[1], b.in[2], b.out[0] = x.X.Data, x.Condition.Data, x.Hint.Data, dst.Data
	t.samples = 0
	if x.X.N > t.capacity || (t.session.plan.timed && len(x.T) != x.X.N) || x.Condition.N != x.X.N && t.session.plan.in[1] != nil || x.Hint.N != x.X.N && t.session.plan.in[2] != nil {
		panic(fmt.Sprintf("nn: %d samples with %d timesteps and %d conditions in a training of at most %d",
			x.X.N, len(x.T), x.Condition.N, t.capacity))
	}
	for _, step := range x.T {
		if step < 0 {
			return &timestepError{step}
		}
	}
	if err := ctx.Err(); err != nil || x.X.N == 0 {
		return err
	}
	t.session.plan.check(b)
	if err := t.session.pass(ctx, 0, b, t.session.plan.forward, nil); err != nil {
		return err
	}
	t.samples = x.X.N
	return nil
}

// Backward adds to the gradients those of the loss whose gradient with respect to
// the last prediction is cotangent. It uses the forward pass up.
func (t *Training) Backward(ctx context.Context, cotangent tensor.Batch) error {
	return t.backward(ctx, Examples{}, cotangent)
}

// BackwardInput is Backward that also writes the gradient with respect to the samples,
// the condition or both to dst, for what comes before the network: a network of images.
// What has no data is not wanted. It panics for a condition of a network that does not
// give its gradient while it learns; an [ActionUNet] does.
func (t *Training) BackwardInput(ctx context.Context, dst Examples, cotangent tensor.Batch) error {
	if dst.X.Data != nil {
		mustFit(cotangent.N, t.in, dst.X)
	}
	if dst.Condition.Data != nil && t.session.plan.dIn[1] == nil {
		panic("nn: the network gives no gradient of its condition while it learns")
	}
	return t.backward(ctx, dst, cotangent)
}

func (t *Training) backward(ctx context.Context, dst Examples, cotangent tensor.Batch) error {
	if t.samples == 0 {
		return errNoForward
	}
	if cotangent.N != t.samples {
		panic(fmt.Sprintf("nn: gradient of %d samples after a forward pass of %d", cotangent.N, t.samples))
	}
	s := t.session
	mustFit(t.samples, t.out, cotangent)
	b := bindings{samples: t.samples}
	b.dOut[0], b.dIn[0], b.dIn[1] = cotangent.Data, dst.X.Data, dst.Condition.Data
	s.plan.check(b)
	t.samples = 0
	if s.plan.joint { // its operations add to the gradients
		t.clear()
	}
	if err := s.pass(ctx, 0, b, s.plan.backward, nil); err != nil {
		return err
	}
	t.accumulate(b)
	return nil
}

// clear sets the gradients to zero that hold nothing yet.
func (t *Training) clear() {
	t.session.crew.Do(len(t.net.params.list), t.clearing)
}

// accumulate runs the gradient tasks.
func (t *Training) accumulate(b bindings) {
	s := t.session
	workers := len(s.workers)
	for i := range workers {
		w := s.worker(i)
		w.first, w.n = 0, b.samples
		w.bind(s.plan, b)
	}
	s.distribute(workers, tasks)
	for i := range workers {
		s.workers[i].bind(s.plan, bindings{})
	}
	for _, q := range t.net.params.list {
		q.fresh = false
	}
}

// tasks is the job of accumulate: task after task until none is left.
func tasks(w *worker) {
	s := w.session
	for {
		i := int(s.next.Add(1)) - 1
		if i >= len(s.plan.gradients) {
			return
		}
		s.plan.gradients[i].do(&w.run, &w.scratch)
	}
}
