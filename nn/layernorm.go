package nn

import "github.com/go-pcd/pcd/internal/kernel"

// layerNorm is a normalisation of every row over its channels.
type layerNorm struct {
	channels     int
	eps          float64
	weight, bias *Param
}

func newLayerNorm(p *params, name string, channels int, eps float64) *layerNorm {
	return &layerNorm{
		channels: channels, eps: eps,
		weight: p.add(name+".weight", 1, 0, channels),
		bias:   p.add(name+".bias", 0, 0, channels),
	}
}

// layerNorm lays out the normalisation of rows.
func (g *graph) layerNorm(l *layerNorm, in *signal) *signal {
	out, stats := g.like(in, in.channels), g.signal(in.length, 2)
	g.from(out, l.weight, in)
	op := func() kernel.LayerNorm {
		return kernel.LayerNorm{Width: l.channels, Epsilon: float32(l.eps), Weight: l.weight.Data, Bias: l.bias.Data}
	}
	g.does(func(r *run) { op().Forward(r.crew, r.pixels(out), r.pixels(in), r.all(stats)) }, out, in, stats)
	g.onBackward(out, func(d *signal) {
		sum, old := g.grown(in)
		w, b := g.learned(l.weight), g.learned(l.bias)
		used := []*signal{sum, in, stats, d}
		if old != nil && old != sum {
			used = append(used, old)
		}
		g.does(func(r *run) {
			var plus kernel.Matrix
			if old != nil {
				plus = r.pixels(old)
			}
			op().Pullback(r.crew, r.pixels(sum), r.pixels(d), r.pixels(in), plus, r.all(stats), w.gradient(), b.gradient())
		}, used...)
	})
	return out
}
