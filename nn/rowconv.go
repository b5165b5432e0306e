package nn

import "github.com/go-pcd/pcd/internal/kernel"

// rowConv is a convolution of sequences, or a transposed one, in a graph.
type rowConv struct {
	windows
	product    *conv2d // of the windows; of the other direction when transposed
	transposed bool
	bias       *Param // of a transposed one
}

// newRowConv returns a convolution of an odd number of taps that keeps the length at
// stride 1.
func newRowConv(p *params, name string, in, out, taps, stride int) *rowConv {
	c := &rowConv{windows: windows{taps, stride, taps / 2}}
	c.product = &conv2d{in: in * taps, out: out, taps: same(1, 1), weight: p.product(name+".weight", bound(in*taps), out, in, taps)}
	c.product.bias = p.add(name+".bias", 0, bound(in*taps), out)
	return c
}

// newRowTransposed returns a transposed convolution of four taps that doubles the length.
func newRowTransposed(p *params, name string, in, out int) *rowConv {
	c := &rowConv{windows: windows{4, 2, 1}, transposed: true}
	c.product = &conv2d{in: out * c.taps, out: in, taps: same(1, 1), weight: p.product(name+".weight", bound(out*c.taps), in, out, c.taps)}
	c.bias = p.add(name+".bias", 0, bound(out*c.taps), out)
	return c
}

// rowConv lays out a convolution.
func (g *graph) rowConv(c *rowConv, in *signal) *signal {
	switch {
	case c.transposed:
		return g.plusRow(c.bias, g.unite(c.windows, g.transposed(c.product, in), 2*in.length))
	case c.taps == 1:
		return g.conv(c.product, in)
	}
	return g.conv(c.product, g.windows(c.windows, in))
}

// transposed lays out the linear map by the transpose of the weights of another.
func (g *graph) transposed(c *conv2d, in *signal) *signal {
	out := g.like(in, c.in)
	g.from(out, c.weight, in)
	g.counts(out.length * c.out * c.in)
	g.does(func(r *run) { c.pullback(r, out, in, false) }, out, in)
	g.onBackward(out, func(d *signal) {
		if g.trains(c.weight) {
			g.does(func(r *run) { c.learn(r, d, in) }, in, d)
		}
		if sum, add := g.into(in); sum != nil {
			g.does(func(r *run) { c.map2().Forward(r.crew, r.pixels(sum), r.pixels(d), add) }, sum, d)
		}
	})
	return out
}

// plusRow lays out the sum of every row and a parameter.
func (g *graph) plusRow(p *Param, in *signal) *signal {
	out := g.like(in, in.channels)
	g.from(out, p, in)
	g.rows(out, func(r *run, m kernel.Matrix, first int) {
		kernel.Add(m, r.block(in, first, m.Rows), kernel.Matrix{Data: p.Data, Rows: m.Rows, Cols: m.Cols})
	}, in)
	g.onBackward(out, func(d *signal) {
		if g.trains(p) {
			sum := g.signal(1, d.channels)
			g.does(func(r *run) {
				sumColumns(r.vector(sum, 0), r.pixels(d), r.doubles(d.channels))
				addRow(p.Grad, r.vector(sum, 0))
			}, d, sum)
		}
		g.lend(in, d)
	})
	return out
}
