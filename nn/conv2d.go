package nn

import "github.com/go-pcd/pcd/internal/kernel"

// conv2d is a convolution of images with square kernels, or a linear map of rows, which
// is one with a single tap.
type conv2d struct {
	in, out int
	taps    taps
	weight  *Param
	bias    *Param // or nil
}

// taps says which pixels of an image a pixel of a convolution sees.
type taps struct {
	size, stride  int  // taps each way, and pixels from one result to the next
	before, after int  // lines and columns of zeros around the image
	double        bool // every pixel of the image counts four times: it is enlarged first
}

// same are the taps that keep the size of images at stride 1.
func same(size, stride int) taps {
	return taps{size: size, stride: stride, before: (size - 1) / 2, after: (size - 1) / 2}
}

// newConv2d returns a convolution with a bias.
func newConv2d(p *params, name string, in, out int, k taps) *conv2d {
	c := newUnbiased(p, name, in, out, k)
	c.bias = p.add(name+".bias", 0, bound(in*k.size*k.size), out)
	return c
}

// newUnbiased returns a convolution without a bias.
func newUnbiased(p *params, name string, in, out int, k taps) *conv2d {
	return &conv2d{in: in, out: out, taps: k, weight: p.product(name+".weight", bound(in*k.size*k.size), out, in, k.size, k.size)}
}

// newRows returns the linear map y = W x + b of rows.
func newRows(p *params, name string, in, out int, bias bool) *conv2d {
	c := &conv2d{in: in, out: out, taps: same(1, 1), weight: p.product(name+".weight", bound(in), out, in)}
	if bias {
		c.bias = p.add(name+".bias", 0, bound(in), out)
	}
	return c
}

// linear reports whether the convolution is a linear map of pixels.
func (c *conv2d) linear() bool { return c.taps == same(1, 1) }

func (c *conv2d) kernel() kernel.Conv {
	k := &c.taps
	return kernel.Conv{In: c.in, Out: c.out, Size: k.size, Stride: k.stride, Before: k.before, After: k.after,
		Double: k.double, Weight: c.weight.tensor(), Bias: c.bias.values(), Minimal: true}
}

func (c *conv2d) map2() kernel.Linear {
	return kernel.Linear{In: c.in, Out: c.out, Weight: c.weight.tensor(), Bias: c.bias.values()}
}

// conv lays out a convolution.
func (g *graph) conv(c *conv2d, in *signal) *signal {
	out := g.like(in, c.out)
	if !c.linear() {
		out = g.image2d(c, in)
	}
	g.from(out, c.weight, in)
	g.counts(out.length * c.out * c.in * c.taps.size * c.taps.size)
	g.does(func(r *run) { c.forward(r, out, in) }, out, in)
	g.onBackward(out, func(d *signal) {
		if g.trains(c.weight) {
			g.does(func(r *run) { c.learn(r, in, d) }, in, d)
		}
		g.convBack(c, in, d)
	})
	return out
}

func (g *graph) image2d(c *conv2d, in *signal) *signal {
	h, w := c.kernel().OutputSize(in.height, in.width())
	return g.image(h, w, c.out)
}

// convBack lays out the part of the cotangent of in that comes from that of the result.
func (g *graph) convBack(c *conv2d, in, d *signal) {
	if in.needs && c.taps.double {
		large := g.image(2*in.height, 2*in.width(), in.channels)
		g.does(func(r *run) { c.pullback(r, large, d, false) }, large, d)
		g.fold(in, large)
		return
	}
	if sum, add := g.into(in); sum != nil {
		g.does(func(r *run) { c.pullback(r, sum, d, add) }, sum, d)
	}
}

// forward computes the convolution of the samples of the chunk.
func (c *conv2d) forward(r *run, dst, src *signal) {
	if c.linear() {
		c.map2().Forward(r.crew, r.pixels(dst), r.pixels(src), false)
		return
	}
	c.kernel().Forward(r.crew, r.images(dst), r.images(src), false)
}

// pullback computes the cotangent of src from that of dst, or adds it.
func (c *conv2d) pullback(r *run, dSrc, dDst *signal, add bool) {
	if c.linear() {
		c.map2().Pullback(r.crew, r.pixels(dSrc), r.pixels(dDst), add)
		return
	}
	c.kernel().Pullback(r.crew, r.images(dSrc), r.images(dDst), add)
}

// learn adds to the gradients of the weights and the bias.
func (c *conv2d) learn(r *run, src, dDst *signal) {
	if c.linear() {
		c.map2().Gradient(r.crew, c.weight.Grad, c.bias.gradient(), r.pixels(src), r.pixels(dDst))
		return
	}
	c.kernel().Gradient(r.crew, c.weight.Grad, c.bias.gradient(), r.images(src), r.images(dDst))
}

// tensor returns the values where they lie.
func (p *Param) tensor() kernel.Tensor {
	if p.Data == nil {
		return p.kept
	}
	return kernel.Tensor{Floats: p.Data}
}

// values returns the values of a parameter that may not be there.
func (p *Param) values() []float32 {
	if p == nil {
		return nil
	}
	return p.Data
}

// gradient returns the gradient of a parameter that may not be there.
func (p *Param) gradient() []float32 {
	if p == nil {
		return nil
	}
	return p.Grad
}
