package nn

import "github.com/go-pcd/pcd/internal/kernel"

// level is a resolution of a U-Net: two residual blocks and a change of
// resolution, nil where there is none.
type level struct {
	name          string
	first, second *residual
	resample      *conv
	resampleName  string
}

// unet is what both networks share. The way up starts with the lowest level and
// has one level less than the way down: the output of the first level is not used
// on the way up.
type unet struct {
	down, up []level
	mid      [2]*residual
	midNames [2]string
	head     convBlock
	last     *conv
}

// lay lays out the network from its input to what is the caller's.
func (u *unet) lay(g *graph, x *signal, m modulator) {
	var skips []*signal
	for i := range u.down {
		x = g.level(&u.down[i], x, m)
		skips = append(skips, x)
		if c := u.down[i].resample; c != nil {
			x = g.packed(c, x)
			g.watch(u.down[i].name+u.down[i].resampleName, x)
		}
	}
	for i, l := range u.mid {
		x = g.residual(l, x, m)
		g.watch(u.midNames[i], x)
	}
	for i := range u.up {
		x = g.packed(u.up[i].resample, g.level(&u.up[i], g.concat(x, skips[len(skips)-1-i]), m))
		g.watch(u.up[i].name+u.up[i].resampleName, x)
	}
	h := g.block(u.head, x)
	g.watch("final_conv.0", h)
	g.packedLeave(0, u.last, h)
}

// level lays out the two blocks of a level.
func (g *graph) level(l *level, x *signal, m modulator) *signal {
	x = g.residual(l.first, x, m)
	g.watch(l.name+".0", x)
	x = g.residual(l.second, x, m)
	g.watch(l.name+".1", x)
	return x
}

// activation is an elementwise function and its gradient.
type activation struct {
	value func(dst, x []float32)
	grad  func(dst, x, dy []float32)
}

var (
	mish = activation{kernel.Mish, kernel.MishGrad}
	silu = activation{kernel.SiLU, kernel.SiLUGrad}
)

// timePath is the map from the timestep to its embedding: sines and cosines, and
// two linear maps with Mish between them.
type timePath struct {
	embedding     *embedding
	first, second *conv
	width         int
}

func newTimePath(p *params, first, second string, width int) *timePath {
	return &timePath{
		embedding: newEmbedding(width), width: width,
		first:  newLinear(p, first, width, 4*width),
		second: newLinear(p, second, 4*width, width),
	}
}

// lay lays out the embedding: of every sample's own timestep when training, once for all
// samples otherwise.
func (t *timePath) lay(g *graph) *signal {
	g.once = g.purpose != training
	e := g.signal(1, t.width)
	g.does(func(r *run) {
		for i := range r.n {
			t.embedding.write(r.vector(e, i), r.timestep(i))
		}
	}, e)
	out := g.packed(t.second, g.activate(mish, g.packed(t.first, e)))
	g.once = false
	g.watch("time", out)
	return out
}
