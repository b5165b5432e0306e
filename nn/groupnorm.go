package nn

import "github.com/go-pcd/pcd/internal/kernel"

// groupNorm is a group normalisation. Statistics are over the channels of a group and the
// pixels of an image, or the rows of a sequence.
type groupNorm struct {
	groups, channels int
	eps              float64
	weight, bias     *Param
}

// epsilon is added to the variance, as in PyTorch.
const epsilon = 1e-5

func newGroupNorm(p *params, name string, groups, channels int, eps float64) *groupNorm {
	return &groupNorm{
		groups: groups, channels: channels, eps: eps,
		weight: p.add(name+".weight", 1, 0, channels),
		bias:   p.add(name+".bias", 0, 0, channels),
	}
}

// groupNorm lays out a normalisation, followed by SiLU on demand.
func (g *graph) groupNorm(l *groupNorm, in *signal, activated bool) *signal {
	out, stats := g.like(in, in.channels), g.signal(l.groups, 2)
	g.from(out, l.weight, in)
	op := func() kernel.GroupNorm {
		return kernel.GroupNorm{Groups: l.groups, Channels: l.channels, Epsilon: l.eps,
			Weight: l.weight.Data, Bias: l.bias.Data, SiLU: activated}
	}
	g.does(func(r *run) { op().Forward(r.crew, r.images(out), r.images(in), r.all(stats)) }, out, in, stats)
	g.onBackward(out, func(d *signal) {
		sum, old := g.grown(in)
		w, b := g.learned(l.weight), g.learned(l.bias)
		used := []*signal{sum, in, stats, d}
		if old != nil && old != sum {
			used = append(used, old)
		}
		g.does(func(r *run) {
			var plus kernel.Images
			if old != nil {
				plus = r.images(old)
			}
			op().Pullback(r.crew, r.images(sum), r.images(d), r.images(in), plus, r.all(stats), w.gradient(), b.gradient())
		}, used...)
	})
	return out
}

// learned returns a parameter that the plan learns, and nil for others.
func (g *graph) learned(p *Param) *Param {
	if !g.trains(p) {
		return nil
	}
	return p
}
