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
func (g GroupNorm) Forward(c *Crew, dst, src Images, stats []float32) {
	g.check(dst, src, stats)
	defer c.done()
	images, parts := src.N, partsOf(src)
	n := groupPass{GroupNorm: g, dst: dst, src: src, stats: stats}
	n.sums, n.sumsX = newPerPart(c, images, parts, n.Channels), newPerPart(c, images, parts, n.Channels)
	n.a, n.b = newPerImage(c, images, n.Channels), newPerImage(c, images, n.Channels)
	if parts == 1 && (images%c.Size() == 0 || images >= 8*c.Size()) { // an image for a task, which stays in its second-level cache
		share(c, images, n, (*groupPass).image)
		return
	}
	n.parts(c, (*groupPass).measure)
	n.eachGroup(c, (*groupPass).settle)
	n.parts(c, (*groupPass).apply)
}

// image normalises an image of one part.
func (n *groupPass) image(i int, h *Hand) {
	p := patch{image: i, part: i, hi: n.Channels}
	n.measure(p, h)
	width := n.Channels / n.Groups
	for k := range n.Groups {
		n.settle(i, k, k*width, (k+1)*width)
	}
	n.apply(p, h)
}

// apply writes the normalised numbers of a patch.
func (n *groupPass) apply(p patch, _ *Hand) {
	if n.SiLU {
		NormSiLU(p.of(n.dst), p.of(n.src), p.numbers(n.a), p.numbers(n.b))
	} else {
		Scale(p.of(n.dst), p.of(n.src), p.numbers(n.a), p.numbers(n.b))
	}
}

// Pullback writes the sum of plus, which may be dSrc or nothing, and the gradient with
// respect to src to dSrc. The gradients of the affine map are added to dWeight and dBias,
// which may both be nil. dSrc may be dDst.
func (g GroupNorm) Pullback(c *Crew, dSrc, dDst, src, plus Images, stats, dWeight, dBias []float32) {
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
	n := groupPass{GroupNorm: g, dst: dSrc, dz: dz, dy: dDst, src: src, plus: plus, stats: stats}
	n.slopes(c)
	n.a, n.b, n.r = newPerImage(c, src.N, g.Channels), newPerImage(c, src.N, g.Channels), newPerImage(c, src.N, g.Channels)
	n.slope, n.slopeX = c.doubles.list(src.N*g.Channels), c.doubles.list(src.N*g.Channels)
	n.eachGroup(c, (*groupPass).join)
	for i := range dWeight {
		for from := i; from < len(n.slope); from += g.Channels {
			dBias[i] += float32(n.slope[from])
			dWeight[i] += float32(n.slopeX[from])
		}
	}
	n.parts(c, func(n *groupPass, t patch, _ *Hand) {
		d := t.of(n.dz)
		Affine(d, d, t.of(n.src), t.numbers(n.a), t.numbers(n.b), t.numbers(n.r))
		if n.plus.Data != nil {
			Add(t.of(n.dst), t.of(n.plus), d)
		}
	})
}

// groupPass is a pass under way.
type groupPass struct {
	GroupNorm
	dst, src      Images // what is written, and the argument
	dz, dy, plus  Images
	stats         []float32
	a, b, r       perImage  // maps of a channel: x a + b, or dz a + x b + r
	scale, shift  perImage  // the map to the normalised argument
	sums, sumsX   perImage  // of parts
	slope, slopeX []float64 // of images
	across, width int       // patches beside one another, and their channels
	patches       func(n *groupPass, p patch, h *Hand)
	groups        func(n *groupPass, image, group, lo, hi int)
}

// join joins the sums of the parts of a group, and writes the map to the gradient.
func (n *groupPass) join(image, group, lo, hi int) {
	to := image * n.Channels
	n.sums.join(n.slope[to+lo:to+hi], image, lo)
	n.sumsX.join(n.slopeX[to+lo:to+hi], image, lo)
	n.remove(n.a.of(image), n.b.of(image), n.r.of(image), n.of(image, group), n.slope[to:], n.slopeX[to:], lo, hi, n.src.pixels())
}

// of returns mean and 1/σ of a group.
func (n *groupPass) of(image, group int) []float32 { return n.stats[2*(image*n.Groups+group):] }

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
func (n *groupPass) parts(c *Crew, do func(n *groupPass, p patch, h *Hand)) {
	parts := partsOf(n.src)
	n.width, n.patches = n.Channels, do
	if all := n.src.N * parts; all < 2*c.Size() {
		n.width = min(n.width, split(n.Channels, (2*c.Size()+all-1)/all, normColumns))
	}
	n.across = (n.Channels + n.width - 1) / n.width
	share(c, n.src.N*parts*n.across, *n, (*groupPass).patch)
}

func (n *groupPass) patch(task int, h *Hand) {
	part, lo, parts := task/n.across, task%n.across*n.width, partsOf(n.src)
	n.patches(n, patch{part / parts, part, part % parts * normRows, lo, min(lo+n.width, n.Channels)}, h)
}

func partsOf(x Images) int { return (x.pixels() + normRows - 1) / normRows }

// groupsPerTask is how many groups of an image a task takes that joins the sums of parts.
const groupsPerTask = 8

// eachGroup calls do for every group of every image, with its channels.
func (n *groupPass) eachGroup(c *Crew, do func(n *groupPass, image, group, lo, hi int)) {
	n.groups = do
	share(c, n.src.N*n.blocks(), *n, func(n *groupPass, task int, _ *Hand) {
		first, width := task%n.blocks()*groupsPerTask, n.Channels/n.Groups
		for k := first; k < min(first+groupsPerTask, n.Groups); k++ {
			n.groups(n, task/n.blocks(), k, k*width, (k+1)*width)
		}
	})
}

// blocks returns the tasks of the groups of an image.
func (n *groupPass) blocks() int { return (n.Groups + groupsPerTask - 1) / groupsPerTask }

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

// measure writes the means and squared deviations of the channels of a part.
func (n *groupPass) measure(p patch, h *Hand) {
	m := p.of(n.src)
	sum, mean := p.sums(n.sums), h.Floats(m.Cols)
	Sums(sum, m)
	for i, s := range sum {
		mean[i] = s / float32(m.Rows)
	}
	Squares(p.sums(n.sumsX), m, mean)
	copy(sum, mean)
}

// settle finds mean and 1/σ of a group from the means and squared deviations of the parts of
// every channel (Chan, Golub and LeVeque, 1979), and the map x a + b that normalises and applies
// the affine map.
func (n *groupPass) settle(image, group, lo, hi int) {
	s := n.of(image, group)
	n.moments(s, n.src.pixels(), image, lo, hi, n.sums, n.sumsX)
	n.normalise(n.a.of(image), n.b.of(image), s, lo, hi)
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
// Σ dz and Σ dz x̂ of every channel and part.
func (n *groupPass) slopes(c *Crew) {
	images, parts := n.src.N, partsOf(n.src)
	n.a, n.b = newPerImage(c, images, n.Channels), newPerImage(c, images, n.Channels)
	n.scale, n.shift = newPerImage(c, images, n.Channels), newPerImage(c, images, n.Channels)
	n.eachGroup(c, func(n *groupPass, image, group, lo, hi int) {
		s := n.of(image, group)
		n.normalise(n.a.of(image), n.b.of(image), s, lo, hi)
		for j := lo; j < hi; j++ {
			n.scale.of(image)[j], n.shift.of(image)[j] = s[1], -s[0]*s[1]
		}
	})
	n.sums, n.sumsX = newPerPart(c, images, parts, n.Channels), newPerPart(c, images, parts, n.Channels)
	n.parts(c, func(n *groupPass, p patch, _ *Hand) {
		g := NormGrad{A: p.numbers(n.a), B: p.numbers(n.b), XScale: p.numbers(n.scale), XBias: p.numbers(n.shift),
			Sum: p.sums(n.sums), SumX: p.sums(n.sumsX)}
		if n.SiLU {
			NormSiLUGrad(p.of(n.dz), p.of(n.src), p.of(n.dy), &g)
		} else {
			ScaleGrad(p.of(n.dz), p.of(n.src), p.of(n.dy), &g)
		}
	})
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
