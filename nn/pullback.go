package nn

import (
	"context"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/tensor"
)

// Linearize implements [denoise.Linearizer].
func (n *TemporalUNet) Linearize(ctx context.Context, dst, x tensor.Batch, t int) (denoise.Pullback, error) {
	return n.linearizeAt(ctx, dst, x, float64(t))
}

// Linearize implements [denoise.Linearizer].
func (b *Bound) Linearize(ctx context.Context, dst, x tensor.Batch, t int) (denoise.Pullback, error) {
	return b.linearizeAt(ctx, dst, x, float64(t))
}

// keptMemory is how many bytes of activations the linearization of one call may take:
// those of 96 samples of a policy for the plane.
const keptMemory = 24 << 20

// LinearizeLimit implements [denoise.LinearizeLimiter]: larger networks keep more per
// sample, and take fewer samples at a time.
func (m *model) LinearizeLimit() int {
	p := m.net.prepare(key{linearizing, m.size})
	return max(1, keptMemory/max(1, 4*sum(p.sizes[scratch])))
}

// linearize computes a prediction in memory that is kept for the way back, from samples
// of the shape in to predictions of the shape out.
func (e *engine) linearize(ctx context.Context, t float64, b bindings, in, out tensor.Shape) (denoise.Pullback, error) {
	if e.unset != nil {
		return nil, e.unset
	}
	if t < 0 {
		return nil, &timestepError{int(math.Floor(t))}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &pullback{net: e, session: e.session(key{linearizing, b.size}), samples: b.samples, in: in, out: out}
	p.session.plan.check(b)
	if err := p.session.forward(ctx, t, b); err != nil {
		p.Release()
		return nil, err
	}
	return p, nil
}

// pullback is the forward pass of a batch with the memory it was computed in.
type pullback struct {
	net     *engine
	session *session // nil after its use
	samples int
	in, out tensor.Shape
}

// VJP implements [denoise.Pullback].
func (p *pullback) VJP(ctx context.Context, dst, cotangent tensor.Batch) error {
	if p.session == nil {
		panic("nn: a pullback is used twice")
	}
	if dst.N != p.samples || cotangent.N != p.samples {
		panic(fmt.Sprintf("nn: %d products with %d cotangents after a prediction of %d samples", dst.N, cotangent.N, p.samples))
	}
	mustFit(p.samples, p.in, dst)
	mustFit(p.samples, p.out, cotangent)
	b := bindings{samples: p.samples}
	b.dOut[0], b.dIn[0] = cotangent.Data, dst.Data
	defer p.Release() // the way back overwrites what the forward pass left
	return p.session.backward(ctx, b)
}

// Release implements [denoise.Pullback].
func (p *pullback) Release() {
	if p.session != nil {
		p.net.giveBack(p.session)
		p.session = nil
	}
}

// forward computes the forward pass of a plan whose backward pass comes later.
func (s *session) forward(ctx context.Context, t float64, b bindings) error {
	s.shared = s.plan.prelude.at(t, s.plan.sizes[shared])
	return s.passWith(ctx, t, b, s.plan.forward)
}

// backward computes the backward pass on what the forward pass left.
func (s *session) backward(ctx context.Context, b bindings) error {
	return s.passWith(ctx, 0, b, s.plan.backward)
}

// passWith runs operations with memory of its own for each chunk.
func (s *session) passWith(ctx context.Context, t float64, b bindings, ops []operation) error {
	if b.samples == 0 {
		return nil
	}
	step, chunks := s.plan.divide(b.samples, len(s.workers))
	for len(s.chunks) < chunks {
		s.chunks = append(s.chunks, s.plan.scratch(s.room(step)))
	}
	if s.plan.joint {
		for _, slots := range s.chunks[:chunks] {
			s.plan.grow(slots, step)
		}
	}
	return s.pass(ctx, t, b, ops, nil)
}

// room returns for how many samples a chunk of step samples gets memory.
func (s *session) room(step int) int {
	if s.plan.joint {
		return step
	}
	return s.chunk
}

// scratch returns the memory that a chunk is computed in.
func (p *plan) scratch(chunk int) [][]float32 {
	slots := make([][]float32, len(p.sizes[scratch]))
	for slot, size := range p.sizes[scratch] {
		slots[slot] = kernel.Alloc(size * chunk)
	}
	return slots
}
