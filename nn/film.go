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
	g.does(func(r *run) {
		x, y := r.all(in), r.all(out)
		r.crew.Do(r.n, func(i int, _ *kernel.Hand) {
			v, lo, hi := r.vector(m, i), i*in.size(), (i+1)*in.size()
			to := kernel.Matrix{Data: y[lo:hi], Rows: in.length, Cols: c, Stride: c}
			kernel.Scale(to, kernel.Matrix{Data: x[lo:hi], Rows: in.length, Cols: c, Stride: c}, v[:c], v[c:])
		})
	}, out, in, m)
	g.onBackward(out, func(d *signal) { g.filmBack(in, m, d) })
	return out
}

// filmBack lays out the parts of the cotangents of both.
func (g *graph) filmBack(in, m, d *signal) {
	c := in.channels
	if m.needs {
		g.gives(m, func(r *run, part *signal) {
			r.crew.Do(r.n, func(i int, _ *kernel.Hand) {
				sums, x, dy := make([]float64, 2*c), r.all(in)[i*in.size():], r.all(d)[i*in.size():][:in.size()]
				for at, v := range dy {
					sums[at%c] += float64(v) * float64(x[at])
					sums[c+at%c] += float64(v)
				}
				for k, s := range sums {
					r.vector(part, i)[k] = float32(s)
				}
			})
		}, in, d)
	}
	if !in.needs {
		return
	}
	g.gives(in, func(r *run, part *signal) {
		x, y := r.all(d), r.all(part)
		r.crew.Do(r.n, func(i int, _ *kernel.Hand) {
			scale := r.vector(m, i)[:c]
			for at := i * in.size(); at < (i+1)*in.size(); at += c {
				for k, s := range scale {
					y[at+k] = s * x[at+k]
				}
			}
		})
	}, m, d)
}
