package nn

import "github.com/go-pcd/pcd/internal/kernel"

// conv is a convolution of images with square kernels or of sequences, or a linear map of
// rows, which is one with a single tap. Those of sequences may be transposed, which doubles
// their length.
type conv struct {
	in, out    int
	taps       taps
	along      bool // of sequences: its taps follow one another in a row
	transposed bool
	dots       bool // few rows are mapped: see [kernel.Linear]
	weight     *Param
	bias       *Param      // or nil
	packed     *packedConv // of a network whose samples are shared out
}

// taps says which pixels of an image, or rows of a sequence, one of a convolution sees.
type taps struct {
	size, stride  int    // taps each way, and pixels from one result to the next
	before, after int    // lines and columns of zeros around the image
	double        bool   // every pixel of the image counts four times: it is enlarged first
	cut           [2]int // last rows and columns that the enlarged image lacks, 0 or 1
}

// same are the taps that keep the size of images at stride 1.
func same(size, stride int) taps {
	return taps{size: size, stride: stride, before: (size - 1) / 2, after: (size - 1) / 2}
}

// newConv2d returns a convolution of images with a bias.
func newConv2d(p *params, name string, in, out int, k taps) *conv {
	c := newUnbiased(p, name, in, out, k)
	c.bias = p.add(name+".bias", 0, bound(in*k.size*k.size), out)
	return c
}

// newUnbiased returns a convolution of images without a bias.
func newUnbiased(p *params, name string, in, out int, k taps) *conv {
	return &conv{in: in, out: out, taps: k, weight: p.product(name+".weight", bound(in*k.size*k.size), out, in, k.size, k.size)}
}

// newLinear returns the map y = W x + b of rows.
func newLinear(p *params, name string, in, out int, bias bool) *conv {
	c := &conv{in: in, out: out, taps: same(1, 1), weight: p.product(name+".weight", bound(in), out, in)}
	if bias {
		c.bias = p.add(name+".bias", 0, bound(in), out)
	}
	return c.packFor(p)
}

// newConv1d returns a convolution of sequences with an odd number of taps, which keeps the
// length, or halves it.
func newConv1d(p *params, name string, in, out, size, stride int) *conv {
	c := &conv{in: in, out: out, taps: same(size, stride), along: size > 1, dots: true, weight: p.product(name+".weight", bound(in*size), out, in, size)}
	c.bias = p.add(name+".bias", 0, bound(in*size), out)
	return c.packFor(p)
}

// newTransposed1d returns a transposed convolution of sequences with an even number of taps,
// which doubles the length.
func newTransposed1d(p *params, name string, in, out, size int) *conv {
	c := &conv{in: in, out: out, taps: taps{size: size, stride: 2, before: (size - 2) / 2, after: (size - 2) / 2}, along: true, transposed: true}
	c.weight = p.product(name+".weight", bound(out*size), in, out, size)
	c.bias = p.add(name+".bias", 0, bound(out*size), out)
	return c.packFor(p)
}

// packFor packs the weights where the network has them packed.
func (c *conv) packFor(p *params) *conv {
	if p.packs {
		c.packed = p.pack(c)
	}
	return c
}

// linear reports whether the convolution is a linear map of pixels.
func (c *conv) linear() bool { return c.taps == same(1, 1) }

func (c *conv) kernel() kernel.Conv {
	k := &c.taps
	return kernel.Conv{In: c.in, Out: c.out, Size: k.size, Stride: k.stride, Before: k.before, After: k.after,
		Double: k.double, Cut: k.cut, Weight: c.weight.tensor(), Bias: c.bias.values(), Minimal: true}
}

func (c *conv) map2() kernel.Linear {
	return kernel.Linear{In: c.in, Out: c.out, Weight: c.weight.tensor(), Bias: c.bias.values(), Dots: c.dots}
}

// conv lays out a convolution.
func (g *graph) conv(c *conv, in *signal) *signal {
	switch {
	case c.packed != nil:
		return g.packed(c.packed, in)
	case c.along:
		return g.byWindows(c, in)
	}
	out := g.convResult(c, in)
	g.from(out, c.weight, in)
	g.does(func(r *run) { c.forward(r, out, in) }, out, in)
	g.onBackward(out, func(d *signal) { g.convWayBack(c, in, d) })
	return out
}

// enlarge lays out a convolution of an image of twice the size, without its last row or column where
// like, which may be nil, lacks one: what was halved had an odd side.
func (g *graph) enlarge(c *conv, in, like *signal) *signal {
	to := *c
	if like != nil {
		to.taps.cut = [2]int{2*in.height - like.height, 2*in.width() - like.width()}
	}
	return g.conv(&to, in)
}

// convResult returns the result of a convolution of an image or of rows.
func (g *graph) convResult(c *conv, in *signal) *signal {
	out := g.like(in, c.out)
	if !c.linear() {
		out = g.image2d(c, in)
	}
	g.counts(out.length * c.out * c.in * c.taps.size * c.taps.size)
	return out
}

// convPlus lays out the sum of a convolution and another signal: one of its size, or one row
// for every sample, which all of its rows get. It has the bits of [graph.plus] and
// [graph.shift], without a pass of its own.
func (g *graph) convPlus(c *conv, in, other *signal) *signal {
	if !g.joint || c.packed != nil || c.along || g.once || c.linear() && other.length < in.length {
		return g.sum(g.conv(c, in), other)
	}
	out := g.convResult(c, in)
	g.from(out, c.weight, in, other)
	g.does(func(r *run) { c.forwardThen(r, out, in, other, false) }, out, in, other)
	g.onBackward(out, func(d *signal) {
		g.sumBack(other, d)
		g.convWayBack(c, in, d)
	})
	return out
}

// convRectified lays out the rectified sum of a convolution of an image and another signal, if
// there is one.
func (g *graph) convRectified(c *conv, in, other *signal) *signal {
	if g.purpose.backwards() {
		out := g.conv(c, in)
		if other != nil {
			out = g.plus(out, other)
		}
		return g.activate(relu, out)
	}
	out, used := g.convResult(c, in), []*signal{in}
	if other != nil {
		used = append(used, other)
	}
	g.does(func(r *run) { c.forwardThen(r, out, in, other, true) }, append(used, out)...)
	return out
}

// sum lays out the sum of two signals, of which the second may be one row for every sample.
func (g *graph) sum(a, b *signal) *signal {
	if b.length < a.length {
		return g.shift(a, b)
	}
	return g.plus(a, b)
}

// convWayBack lays out what a convolution learns, and the cotangent of its argument.
func (g *graph) convWayBack(c *conv, in, d *signal) {
	if g.trains(c.weight) {
		g.does(func(r *run) { c.learn(r, in, d) }, in, d)
	}
	g.convBack(c, in, d)
}

func (g *graph) image2d(c *conv, in *signal) *signal {
	h, w := c.kernel().OutputSize(in.height, in.width())
	return g.image(h, w, c.out)
}

// convBack lays out the part of the cotangent of in that comes from that of the result.
func (g *graph) convBack(c *conv, in, d *signal) {
	if in.needs && c.taps.double {
		large := g.image(2*in.height-c.taps.cut[0], 2*in.width()-c.taps.cut[1], in.channels)
		g.does(func(r *run) { c.pullback(r, large, d, false) }, large, d)
		g.fold(in, large)
		return
	}
	if sum, add := g.into(in); sum != nil {
		g.does(func(r *run) { c.pullback(r, sum, d, add) }, sum, d)
	}
}

// forward computes the convolution of the samples of the chunk.
func (c *conv) forward(r *run, dst, src *signal) {
	if c.linear() {
		c.map2().Forward(r.crew, r.pixels(dst), r.pixels(src), false)
		return
	}
	c.kernel().Forward(r.crew, r.images(dst), r.images(src), false)
}

// forwardThen computes the sum of the convolution and other, which may be nil, rectified on demand.
func (c *conv) forwardThen(r *run, dst, src, other *signal, rectified bool) {
	if c.linear() {
		c.map2().ForwardPlus(r.crew, r.pixels(dst), r.pixels(src), r.pixels(other))
		return
	}
	then := kernel.Then{Rectified: rectified}
	if other != nil {
		then.Plus = kernel.Images{Data: r.all(other), N: r.n, Height: max(1, other.height), Width: other.length / max(1, other.height),
			Channels: other.channels, Pixel: other.channels}
		if other.place == shared {
			then.Plus.N = 1
		}
	}
	c.kernel().ForwardThen(r.crew, r.images(dst), r.images(src), then)
}

// pullback computes the cotangent of src from that of dst, or adds it.
func (c *conv) pullback(r *run, dSrc, dDst *signal, add bool) {
	if c.linear() {
		c.map2().Pullback(r.crew, r.pixels(dSrc), r.pixels(dDst), add)
		return
	}
	c.kernel().Pullback(r.crew, r.images(dSrc), r.images(dDst), add)
}

// learn adds to the gradients of the weights and the bias.
func (c *conv) learn(r *run, src, dDst *signal) {
	if c.linear() {
		c.map2().Gradient(r.crew, c.weight.Grad, c.bias.gradient(), r.pixels(src), r.pixels(dDst))
		return
	}
	c.kernel().Gradient(r.crew, c.weight.Grad, c.bias.gradient(), r.images(src), r.images(dDst))
}
