package kernel

// Conv is a two-dimensional convolution of images of In channels to images of Out
// channels, with Size taps each way.
type Conv struct {
	In, Out int
	Size    int // taps each way
	Stride  int
	Before  int       // rows of zeros above and columns to the left of the image
	After   int       // rows of zeros below and columns to the right
	Double  bool      // the image is enlarged first: two rows and columns for each
	Cut     [2]int    // last rows and columns of the enlarged image that are left out, 0 or 1
	Weight  Tensor    // [Out, In, Size, Size]
	Bias    []float32 // or nil
	Minimal bool      // allows minimal filtering, whose error is larger
}

// OutputSize returns the size of the result for an image.
func (v Conv) OutputSize(height, width int) (h, w int) {
	height, width = v.enlarged(height, width)
	return (height+v.Before+v.After-v.Size)/v.Stride + 1, (width+v.Before+v.After-v.Size)/v.Stride + 1
}

// enlarged returns the size of the image that the taps see.
func (v *Conv) enlarged(height, width int) (h, w int) {
	if v.Double {
		return 2*height - v.Cut[0], 2*width - v.Cut[1]
	}
	return height, width
}

// Forward writes the convolution of src to dst, or adds it.
func (v Conv) Forward(c *Crew, dst, src Images, add bool) { v.forward(c, dst, src, add, Then{}) }

// ForwardThen writes the convolution of src, and what follows, to dst.
func (v Conv) ForwardThen(c *Crew, dst, src Images, then Then) {
	then.check(dst)
	v.forward(c, dst, src, false, then)
}

func (v Conv) forward(c *Crew, dst, src Images, add bool, then Then) {
	v.check(dst, src)
	if v.minimal(dst, src, false) {
		p := planar{conv: v, dst: dst, src: src, before: v.Before, double: v.Double, bias: v.Bias, add: add, then: then}
		p.run(c)
		return
	}
	v.direct(c, dst, src, add)
	then.pass(c, dst)
}

// direct computes the convolution without minimal filtering.
func (v Conv) direct(c *Crew, dst, src Images, add bool) {
	defer c.done()
	if v.tapwise() {
		w := tapwise{conv: v, src: src, dst: dst, bias: v.Bias, add: add}
		w.run(c)
		return
	}
	l := own(c, lowered{conv: v, src: src, dst: dst, step: v.Stride, dstStep: 1, double: v.Double})
	l.taps = c.taps.list(v.Size * v.Size)[:0]
	for y := range v.Size {
		for x := range v.Size {
			l.taps = append(l.taps, tap{y - v.Before, x - v.Before, y*v.Size + x})
		}
	}
	l.run(c, false, v.Bias, add)
}

// Pullback writes the gradient with respect to src, or adds it, from that with respect
// to dst. The image is not enlarged in it: for one that is, the gradient is that of the
// enlarged image.
func (v Conv) Pullback(c *Crew, dSrc, dDst Images, add bool) {
	defer c.done()
	u := v
	u.Double = false
	u.check(dDst, dSrc)
	if u.minimal(dSrc, dDst, true) {
		p := planar{conv: v, dst: dSrc, src: dDst, transposed: true, before: 2 - v.Before, add: add}
		p.run(c)
		return
	}
	if u.tapwise() {
		w := tapwise{conv: v, src: dDst, dst: dSrc, transposed: true, add: add}
		w.run(c)
		return
	}
	if v.mergeable() {
		newMerged(c, v, dSrc, dDst, add).run(c)
		return
	}
	for r := range v.Stride * v.Stride {
		l := own(c, lowered{conv: v, src: dDst, dst: dSrc, step: 1, dstStep: v.Stride, y: r / v.Stride, x: r % v.Stride})
		l.taps = c.taps.list(v.Size * v.Size)[:0]
		for y := v.Size - 1; y >= 0; y-- {
			for x := v.Size - 1; x >= 0; x-- {
				dy, dx := l.y+v.Before-y, l.x+v.Before-x
				if dy%v.Stride == 0 && dx%v.Stride == 0 {
					l.taps = append(l.taps, tap{dy / v.Stride, dx / v.Stride, y*v.Size + x})
				}
			}
		}
		l.run(c, true, nil, add)
	}
}

// Gradient adds the gradient with respect to the weights to dWeight, [Out, In, Size,
// Size], and that with respect to the bias to dBias, which may be nil.
func (v Conv) Gradient(c *Crew, dWeight, dBias []float32, src, dDst Images) {
	v.check(dDst, src)
	v.addGradient(c, dWeight, src, dDst, v.minimalGradient(dDst))
	if dBias != nil {
		columnSums(c, dBias, dDst.Matrix())
	}
}

// addGradient adds the gradient with respect to the weights, in one of its two forms.
func (v Conv) addGradient(c *Crew, dWeight []float32, src, dDst Images, minimal bool) {
	defer c.done()
	if !minimal {
		sums, parts := v.outerSums(c, src, dDst)
		v.addTaps(c, dWeight, sums, parts)
		return
	}
	g := planarGradient{planar: planar{conv: v, dst: dDst, src: src, before: v.Before, double: v.Double}}
	g.run(c)
	v.addTaps(c, dWeight, g.sums, g.parts)
}

// outerSums returns the gradient with respect to the weights in parts, each
// [Size, Size, In, Out].
func (v Conv) outerSums(c *Crew, src, dDst Images) (sums []float32, parts int) {
	l := own(c, lowered{conv: v, src: src, dst: dDst, step: v.Stride, dstStep: 1, double: v.Double, rows: dDst.Height, cols: dDst.Width})
	l.taps = c.taps.list(v.Size * v.Size)[:0]
	for t := range v.Size * v.Size {
		l.taps = append(l.taps, tap{t/v.Size - v.Before, t%v.Size - v.Before, t})
	}
	o := outerSum{m: dDst.Matrix().Rows, k: len(l.taps) * v.In, n: v.Out, left: l, right: dDst.Matrix()}
	return o.run(c)
}

func (v *Conv) check(dst, src Images) {
	h, w := v.OutputSize(src.Height, src.Width)
	if dst.N != src.N || dst.Height != h || dst.Width != w || v.Weight.Len() != v.In*v.Out*v.Size*v.Size {
		panic("kernel: convolution of images that do not fit it")
	}
	dst.check(v.Out)
	src.check(v.In)
}
