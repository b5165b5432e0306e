package nn

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/tensor"
)

// Linearize implements [denoise.Linearizer].
func (n *TemporalUNet) Linearize(ctx context.Context, dst, x tensor.Batch, t int) (denoise.Pullback, error) {
	return n.linearize(ctx, t, bindings{x: x, out: dst})
}

// Linearize implements [denoise.Linearizer].
func (b *Bound) Linearize(ctx context.Context, dst, x tensor.Batch, t int) (denoise.Pullback, error) {
	rows, err := b.rows(x)
	if err != nil {
		return nil, err
	}
	return b.net.linearize(ctx, t, bindings{x: x, out: dst, condition: rows})
}

// linearize computes a prediction in memory that is kept for the way back.
func (e *engine) linearize(ctx context.Context, t int, b bindings) (denoise.Pullback, error) {
	e.check(b)
	if t < 0 {
		return nil, &TimestepError{t}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &pullback{net: e, session: e.session(linearizing), samples: b.x.N}
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
}

// VJP implements [denoise.Pullback].
func (p *pullback) VJP(ctx context.Context, dst, cotangent tensor.Batch) error {
	if p.session == nil {
		panic("nn: a pullback is used twice")
	}
	if dst.N != p.samples || cotangent.N != p.samples {
		panic(fmt.Sprintf("nn: %d products with %d cotangents after a prediction of %d samples", dst.N, cotangent.N, p.samples))
	}
	b := bindings{x: tensor.Batch{N: p.samples}, dOut: cotangent, dx: dst}
	p.net.check(b)
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
func (s *session) forward(ctx context.Context, t int, b bindings) error {
	s.shared = s.plan.prelude.at(t, s.plan.sizes[shared])
	return s.passWith(ctx, t, b, s.plan.forward)
}

// backward computes the backward pass on what the forward pass left.
func (s *session) backward(ctx context.Context, b bindings) error {
	return s.passWith(ctx, 0, b, s.plan.backward)
}

// passWith runs operations with memory of its own for each chunk.
func (s *session) passWith(ctx context.Context, t int, b bindings, ops []operation) error {
	if b.x.N == 0 {
		return nil
	}
	for _, chunks := s.plan.divide(b.x.N, len(s.workers)); len(s.chunks) < chunks; {
		s.chunks = append(s.chunks, s.plan.scratch(s.chunk))
	}
	return s.pass(ctx, t, b, ops, nil)
}

// scratch returns the memory that a chunk is computed in.
func (p *plan) scratch(chunk int) [][]float32 {
	slots := make([][]float32, len(p.sizes[scratch]))
	for slot, size := range p.sizes[scratch] {
		slots[slot] = kernel.Alloc(size * chunk)
	}
	return slots
}
