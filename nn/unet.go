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

// wire wires the network from the padded input to the signal out, if any.
func (u *unet) wire(w *wiring, x, out *signal) {
	var skips []*signal
	for i := range u.down {
		x = w.level(&u.down[i], x)
		skips = append(skips, x)
		if c := u.down[i].resample; c != nil {
			y := w.resample(c, x)
			if i == 0 {
				w.release(x)
			}
			x = y
			w.watch(u.down[i].name+u.down[i].resampleName, x)
		}
	}
	for i, l := range u.mid {
		y := w.residual(l, x)
		if i > 0 {
			w.release(x)
		}
		x = y
		w.watch(u.midNames[i], x)
	}
	for i := range u.up {
		skip := skips[len(skips)-1-i]
		c := w.concat(x, skip)
		w.release(x)
		w.release(skip)
		y := w.level(&u.up[i], c)
		x = w.resample(u.up[i].resample, y)
		w.release(y)
		w.watch(u.up[i].name+u.up[i].resampleName, x)
	}
	h := w.block(u.head, x)
	w.release(x)
	w.watch("final_conv.0", h)
	if out != nil {
		w.convolveTo(u.last, out, h)
	}
	w.release(h)
	w.onBackward(func() {
		w.learn(u.last, h, w.dOut[0])
		w.transpose(u.last, h, w.dOut[0])
	})
}

// level wires the two blocks of a level; x is not needed afterwards.
func (w *wiring) level(l *level, x *signal) *signal {
	y := w.residual(l.first, x)
	w.release(x)
	w.watch(l.name+".0", y)
	z := w.residual(l.second, y)
	w.release(y)
	w.watch(l.name+".1", z)
	return z
}

// enter wires the copy of the caller's samples between rows of zeros.
func (w *wiring) enter(length, channels int) *signal {
	w.in[0] = w.new(external, length, channels, 0)
	if w.purpose != differentiating && w.purpose != conditioning {
		w.out[0] = w.new(external, length, channels, 0)
	}
	x := w.sequence(length, channels)
	w.does(func(r *run) { copyRows(r, x, w.in[0], 0, 0, channels) })
	if !w.backwards() {
		return x
	}
	w.dOut[0] = w.new(external, length, channels, 0)
	if w.purpose == training {
		w.leaf = x
		return x
	}
	w.dIn[0] = w.new(external, length, channels, 0)
	w.onBackward(func() {
		d := w.cotangentOf(x)
		w.undoes(func(r *run) { copyRows(r, w.dIn[0], d, 0, 0, channels) })
	})
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

// activate wires an activation on signals of one row.
func (w *wiring) activate(f activation, in *signal) *signal {
	out := w.activation(1, in.channels, 0)
	w.does(func(r *run) {
		for i := range r.n {
			f.value(r.vector(out, i), r.vector(in, i))
		}
	})
	w.onBackward(func() {
		d := w.cotangentOf(out)
		if d == nil {
			return
		}
		w.undoes(func(r *run) {
			for i := range r.n {
				f.grad(r.vector(d, i), r.vector(in, i), r.vector(d, i))
			}
		})
		w.contribute(in, d)
	})
	return out
}

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

// wire wires the embedding: of every sample's own timestep when training, once
// for all samples otherwise.
func (t *timePath) wire(w *wiring) *signal {
	w.once = w.purpose != training
	e := w.activation(1, t.width, 0)
	w.does(func(r *run) {
		for i := range r.n {
			t.embedding.write(r.vector(e, i), r.timestep(i))
		}
	})
	out := w.resample(t.second, w.activate(mish, w.resample(t.first, e)))
	w.once = false
	w.watch("time", out)
	return out
}
