package nn

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/kernel"
)

// film lays out a modulation of every row by the row m of its sample: scales followed by
// shifts, or shifts alone. Source: Perez et al., "FiLM: visual reasoning with a general
// conditioning layer" (AAAI 2018).
func (g *graph) film(in, m *signal, scaled bool) *signal {
	if !scaled {
		return g.shift(in, m)
	}
	c := in.channels
	if m.channels != 2*c {
		panic(fmt.Sprintf("nn: modulation of %d numbers for %d channels", m.channels, c))
	}
	out := g.like(in, c)
	g.from(out, nil, in, m)
	g.tasks(1, func(r *run, i int, _ *kernel.Hand) {
		v := r.vector(m, i)
		kernel.Scale(r.sample(out, i), r.sample(in, i), v[:c], v[c:])
	}, out, in, m)
	g.onBackward(out, func(d *signal) { g.filmBack(in, m, d) })
	return out
}

// filmBack lays out the parts of the cotangents of both.
func (g *graph) filmBack(in, m, d *signal) {
	c := in.channels
	if m.needs {
		g.gives(m, func(part *signal) {
			g.tasks(1, func(r *run, i int, h *kernel.Hand) {
				sums, x, dy := h.Doubles(2*c), r.sample(in, i).Data, r.sample(d, i).Data[:in.size()]
				clear(sums)
				for at, v := range dy {
					sums[at%c] += float64(v) * float64(x[at])
					sums[c+at%c] += float64(v)
				}
				for k, s := range sums {
					r.vector(part, i)[k] = float32(s)
				}
			}, part, in, d)
		})
	}
	if !in.needs {
		return
	}
	g.gives(in, func(part *signal) {
		g.tasks(1, func(r *run, i int, _ *kernel.Hand) {
			scale, x, y := r.vector(m, i)[:c], r.sample(d, i).Data, r.sample(part, i).Data
			for at := 0; at < in.size(); at += c {
				for k, s := range scale {
					y[at+k] = s * x[at+k]
				}
			}
		}, part, m, d)
	})
}
