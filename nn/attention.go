package nn

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/internal/kernel"
)

// attend lays out attention from the rows of q to those of k and v, every head from its
// own channels: softmax(q kᵀ/√width) v. The scores are never stored. A causal row sees
// no later one. Source: Vaswani et al., "Attention is all you need" (2017).
func (g *graph) attend(heads int, causal bool, q, k, v *signal) *signal {
	out := g.like(q, v.channels)
	used, logs := []*signal{out, q, k, v}, (*signal)(nil)
	if g.purpose.backwards() {
		logs = g.signal(heads, q.length)
		used = append(used, logs)
	}
	g.from(out, nil, q, k, v)
	width := q.channels / heads
	a := kernel.Attention{Heads: heads, Width: width, Scale: float32(1 / math.Sqrt(float64(width))), Causal: causal}
	g.counts(2 * q.length * k.length * q.channels)
	g.does(func(r *run) {
		a.Forward(r.crew, r.sequences(out), r.sequences(q), r.sequences(k), r.sequences(v), r.numbers(logs))
	}, used...)
	g.onBackward(out, func(d *signal) {
		dq := g.like(q, q.channels)
		used := append(slices.Clone(used), d, dq)
		var dk, dv *signal
		if k.needs || v.needs {
			dk, dv = g.like(k, k.channels), g.like(v, v.channels)
			used = append(used, dk, dv)
		}
		g.does(func(r *run) {
			a.Pullback(r.crew, r.sequences(dq), r.sequences(dk), r.sequences(dv), r.sequences(d), r.sequences(out),
				r.sequences(q), r.sequences(k), r.sequences(v), r.all(logs))
		}, used...)
		g.give(q, dq)
		if dk != nil {
			g.give(k, dk)
			g.give(v, dv)
		}
	})
	return out
}

// numbers returns the numbers of the samples of the chunk, and none of no signal.
func (r *run) numbers(s *signal) []float32 {
	if s == nil {
		return nil
	}
	return r.all(s)
}

// sequences returns the rows of the samples of the chunk.
func (r *run) sequences(s *signal) kernel.Sequences {
	if s == nil {
		return kernel.Sequences{}
	}
	return kernel.Sequences{Matrix: r.pixels(s), N: r.n}
}
