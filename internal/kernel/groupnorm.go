package kernel

import "math"

// GroupNorm normalises the groups of channels of every image over its pixels and
// applies an affine map: (x - mean)/√(variance + Epsilon) weight + bias, and then
// x/(1 + exp(-x)) with SiLU.
type GroupNorm struct {
	Groups, Channels int
	Epsilon          float64
	Weight, Bias     []float32
	SiLU             bool
}

// normRows is how many pixels a partial sum has. Sums are float32 within a part and
// float64 beyond it.
const normRows = 256

// Forward writes the normalised images to dst, which may be src, and mean and 1/σ of
// every group of every image to stats, [N, Groups, 2].
func (g *GroupNorm) Forward(c *Crew, dst, src Images, stats []float32) {
	g.check(dst, src, stats)
	defer c.done()
	a, b := g.statistics(c, stats, src)
	g.parts(c, src, func(p patch, _ *Hand) {
		if g.SiLU {
			NormSiLU(p.of(dst), p.of(src), p.numbers(a), p.numbers(b))
		} else {
			Scale(p.of(dst), p.of(src), p.numbers(a), p.numbers(b))
		}
	})
}

// Pullback writes the sum of plus, which may be dSrc or nothing, and the gradient with
// respect to src to dSrc. The gradients of the affine map are added to dWeight and dBias,
// which may both be nil. dSrc may be dDst.
func (g *GroupNorm) Pullback(c *Crew, dSrc, dDst, src, plus Images, stats, dWeight, dBias []float32) {
	g.check(dSrc, src, stats)
	g.check(dDst, src, stats)
	defer c.done()
	add, dz := plus.Data != nil, dSrc
	if add {
		g.check(plus, src, stats)
	}
	if add && &plus.Data[0] == &dSrc.Data[0] {
		dz = src
		dz.Pixel, dz.Data = g.Channels, c.floats(src.N*src.pixels()*g.Channels)
	}
	sums, sumsX := g.slopes(c, dz, dDst, src, stats)
	p, q, r := newPerImage(c, src.N, g.Channels), newPerImage(c, src.N, g.Channels), newPerImage(c, src.N, g.Channels)
	slope, slopeX := make([]float64, src.N*g.Channels), make([]float64, src.N*g.Channels)
	g.eachGroup(c, src.N, func(image, group, lo, hi int) {
		to := image * g.Channels
		sums.join(slope[to+lo:to+hi], image, lo)
		sumsX.join(slopeX[to+lo:to+hi], image, lo)
		g.remove(p.of(image), q.of(image), r.of(image), stats[2*(image*g.Groups+group):], slope[to:], slopeX[to:], lo, hi, src.pixels())
	})
	for i := range dWeight {
		for from := i; from < len(slope); from += g.Channels {
			dBias[i] += float32(slope[from])
			dWeight[i] += float32(slopeX[from])
		}
	}
	g.parts(c, src, func(t patch, _ *Hand) {
		d := t.of(dz)
		Affine(d, d, t.of(src), t.numbers(p), t.numbers(q), t.numbers(r))
		if add {
			Add(t.of(dSrc), t.of(plus), d)
		}
	})
}

func (g *GroupNorm) check(a, b Images, stats []float32) {
	if a.grid() != b.grid() || g.Channels%g.Groups != 0 || len(stats) < 2*g.Groups*a.N {
		panic("kernel: group norm of images of different sizes")
	}
	a.check(g.Channels)
	b.check(g.Channels)
}

// patch is what a task has: a part of the pixels of an image, and some channels.
type patch struct {
	image, part int // parts count over all images
	from        int // the first pixel
	lo, hi      int // channels
}

// of returns the patch of some images.
func (p patch) of(x Images) Matrix {
	return x.Channel(p.lo, p.hi-p.lo).Image(p.image).part(p.from, normRows)
}

// numbers returns the numbers of its image and channels.
func (p patch) numbers(v perImage) []float32 { return v.of(p.image)[p.lo:p.hi] }

// sums returns the numbers of its part and channels.
func (p patch) sums(v perImage) []float32 { return v.of(p.part)[p.lo:p.hi] }

// normColumns divides the channels of a patch, unless they are the last ones.
const normColumns = 32

// parts calls do for every part of every image: in patches of some channels where there
// are few parts.
func (g *GroupNorm) parts(c *Crew, x Images, do func(p patch, h *Hand)) {
	parts, width := partsOf(x), g.Channels
	if all := x.N * parts; all < 2*c.Size() {
		width = min(width, split(g.Channels, (2*c.Size()+all-1)/all, normColumns))
	}
	across := (g.Channels + width - 1) / width
	c.Do(x.N*parts*across, func(task int, h *Hand) {
		part, lo := task/across, task%across*width
		do(patch{part / parts, part, part % parts * normRows, lo, min(lo+width, g.Channels)}, h)
	})
}

func partsOf(x Images) int { return (x.pixels() + normRows - 1) / normRows }

// groupsPerTask is how many groups of an image a task takes that joins the sums of parts.
const groupsPerTask = 8

// eachGroup calls do for every group of every image, with its channels.
func (g *GroupNorm) eachGroup(c *Crew, images int, do func(image, group, lo, hi int)) {
	blocks, width := (g.Groups+groupsPerTask-1)/groupsPerTask, g.Channels/g.Groups
	c.Do(images*blocks, func(task int, _ *Hand) {
		first := task % blocks * groupsPerTask
		for k := first; k < min(first+groupsPerTask, g.Groups); k++ {
			do(task/blocks, k, k*width, (k+1)*width)
		}
	})
}

// perImage is a vector of channels for every image, or for every one of its parts.
type perImage struct {
	data            []float32
	channels, parts int
}

func newPerImage(c *Crew, n, channels int) perImage { return newPerPart(c, n, 1, channels) }

func newPerPart(c *Crew, n, parts, channels int) perImage {
	return perImage{c.floats(n * parts * Round(channels, Slack)), channels, parts}
}

func (p perImage) of(i int) []float32 { return p.data[i*Round(p.channels, Slack):][:p.channels] }

// join writes the sums of all parts of an image, for the channels from the given one on.
func (p perImage) join(dst []float64, image, channel int) {
	clear(dst)
	for part := range p.parts {
		for j, v := range p.of(image*p.parts + part)[channel:][:len(dst)] {
			dst[j] += float64(v)
		}
	}
}

// statistics finds mean and 1/σ from the means and squared deviations of the parts of
// every channel (Chan, Golub and LeVeque, 1979), and returns the map x a + b that
// normalises and applies the affine map.
func (g *GroupNorm) statistics(c *Crew, stats []float32, x Images) (a, b perImage) {
	means, squares := newPerPart(c, x.N, partsOf(x), g.Channels), newPerPart(c, x.N, partsOf(x), g.Channels)
	g.parts(c, x, func(p patch, h *Hand) {
		m := p.of(x)
		sum, mean := p.sums(means), h.Floats(m.Cols)
		Sums(sum, m)
		for i, s := range sum {
			mean[i] = s / float32(m.Rows)
		}
		Squares(p.sums(squares), m, mean)
		copy(sum, mean)
	})
	a, b = newPerImage(c, x.N, g.Channels), newPerImage(c, x.N, g.Channels)
	g.eachGroup(c, x.N, func(image, group, lo, hi int) {
		s := stats[2*(image*g.Groups+group):]
		g.moments(s, x.pixels(), image, lo, hi, means, squares)
		g.normalise(a.of(image), b.of(image), s, lo, hi)
	})
	return a, b
}

// moments writes mean and 1/σ of the channels lo ... hi-1 of an image.
func (g *GroupNorm) moments(stats []float32, pixels, image, lo, hi int, means, squares perImage) {
	mean, spread, n := 0.0, 0.0, float64(pixels*(hi-lo))
	rows := func(p int) float64 { return float64(min(normRows, pixels-p*normRows)) }
	for p := range means.parts {
		mean += rows(p) * total(means.of(image*means.parts + p)[lo:hi])
	}
	mean /= n
	for p := range means.parts {
		for _, m := range means.of(image*means.parts + p)[lo:hi] {
			spread += rows(p) * (float64(m) - mean) * (float64(m) - mean)
		}
		spread += total(squares.of(image*means.parts + p)[lo:hi])
	}
	stats[0], stats[1] = float32(mean), float32(1/math.Sqrt(spread/n+g.Epsilon))
}

// total returns the sum of x.
func total(x []float32) (s float64) {
	for _, v := range x {
		s += float64(v)
	}
	return s
}

// normalise writes the map x a + b of the channels of a group, which normalises and applies
// the affine map.
func (g *GroupNorm) normalise(a, b, stats []float32, lo, hi int) {
	for j := lo; j < hi; j++ {
		a[j] = g.Weight[j] * stats[1]
		b[j] = g.Bias[j] - stats[0]*a[j]
	}
}

// slopes writes dz, the gradient with respect to the argument of the activation, and
// returns Σ dz and Σ dz x̂ of every channel and part.
func (g *GroupNorm) slopes(c *Crew, dz, dy, x Images, stats []float32) (sums, sumsX perImage) {
	a, b := newPerImage(c, x.N, g.Channels), newPerImage(c, x.N, g.Channels)
	scale, shift := newPerImage(c, x.N, g.Channels), newPerImage(c, x.N, g.Channels)
	g.eachGroup(c, x.N, func(image, group, lo, hi int) {
		s := stats[2*(image*g.Groups+group):]
		g.normalise(a.of(image), b.of(image), s, lo, hi)
		for j := lo; j < hi; j++ {
			scale.of(image)[j], shift.of(image)[j] = s[1], -s[0]*s[1]
		}
	})
	sums, sumsX = newPerPart(c, x.N, partsOf(x), g.Channels), newPerPart(c, x.N, partsOf(x), g.Channels)
	g.parts(c, x, func(p patch, _ *Hand) {
		n := NormGrad{A: p.numbers(a), B: p.numbers(b), XScale: p.numbers(scale), XBias: p.numbers(shift),
			Sum: p.sums(sums), SumX: p.sums(sumsX)}
		if g.SiLU {
			NormSiLUGrad(p.of(dz), p.of(x), p.of(dy), &n)
		} else {
			ScaleGrad(p.of(dz), p.of(x), p.of(dy), &n)
		}
	})
	return sums, sumsX
}

// remove writes the map dz p + x q + r to the gradient with respect to x for the channels
// of a group: with x̂ the normalised x, weight γ and n elements,
// dx = (γ dz - Σ γ dz/n - x̂ Σ γ dz x̂/n)/σ.
func (g *GroupNorm) remove(p, q, r, stats []float32, sum, sumX []float64, lo, hi, pixels int) {
	mean, inverse := float64(stats[0]), float64(stats[1])
	var m1, m2 float64
	for j := lo; j < hi; j++ {
		m1 += float64(g.Weight[j]) * sum[j]
		m2 += float64(g.Weight[j]) * sumX[j]
	}
	n := float64(pixels * (hi - lo))
	slope := -inverse * inverse * m2 / n
	for j := lo; j < hi; j++ {
		p[j], q[j] = g.Weight[j]*float32(inverse), float32(slope)
		r[j] = float32(-mean*slope - inverse*m1/n)
	}
}
