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
	g.statistics(c, stats, src)
	a, b := g.maps(c, stats, src.N)
	g.parts(c, src, func(image, from, part int, h *Hand) {
		x, y := src.Image(image).part(from, normRows), dst.Image(image).part(from, normRows)
		if g.SiLU {
			NormSiLU(y, x, a.of(image), b.of(image))
		} else {
			Scale(y, x, a.of(image), b.of(image))
		}
	})
}

// Pullback writes the gradient with respect to src to dSrc, or adds it. The gradients of
// the affine map are added to dWeight and dBias, which may both be nil. dSrc may be
// dDst.
func (g *GroupNorm) Pullback(c *Crew, dSrc, dDst, src Images, stats, dWeight, dBias []float32, add bool) {
	g.check(dSrc, src, stats)
	g.check(dDst, src, stats)
	defer c.done()
	dz := dSrc
	if add {
		dz = src
		dz.Pixel, dz.Data = g.Channels, c.floats(src.N*src.pixels()*g.Channels)
	}
	sums := g.slopes(c, dz, dDst, src, stats)
	p, q, r := newPerImage(c, src.N, g.Channels), newPerImage(c, src.N, g.Channels), newPerImage(c, src.N, g.Channels)
	for i := range src.N {
		g.remove(p.of(i), q.of(i), r.of(i), stats[2*g.Groups*i:], sums[2*i], sums[2*i+1], src.pixels())
		for j := range dWeight {
			dBias[j] += float32(sums[2*i][j])
			dWeight[j] += float32(sums[2*i+1][j])
		}
	}
	g.parts(c, src, func(image, from, part int, h *Hand) {
		x, d, out := src.Image(image).part(from, normRows), dz.Image(image).part(from, normRows), dSrc.Image(image).part(from, normRows)
		Affine(d, d, x, p.of(image), q.of(image), r.of(image))
		if add {
			Add(out, out, d)
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

// parts calls do for every part of every image.
func (g *GroupNorm) parts(c *Crew, x Images, do func(image, from, part int, h *Hand)) {
	parts := partsOf(x)
	c.Do(x.N*parts, func(task int, h *Hand) { do(task/parts, task%parts*normRows, task, h) })
}

func partsOf(x Images) int { return (x.pixels() + normRows - 1) / normRows }

// perImage is a vector of channels for every image.
type perImage struct {
	data     []float32
	channels int
}

func newPerImage(c *Crew, n, channels int) perImage {
	return perImage{c.floats(n * Round(channels, Slack)), channels}
}

func (p perImage) of(i int) []float32 { return p.data[i*Round(p.channels, Slack):][:p.channels] }

// statistics finds mean and 1/σ from the means and squared deviations of the parts of
// every channel (Chan, Golub and LeVeque, 1979).
func (g *GroupNorm) statistics(c *Crew, stats []float32, x Images) {
	parts := partsOf(x)
	sums, squares := newPerImage(c, x.N*parts, g.Channels), newPerImage(c, x.N*parts, g.Channels)
	g.parts(c, x, func(image, from, part int, h *Hand) {
		m := x.Image(image).part(from, normRows)
		sum, mean := sums.of(part), h.Floats(Round(g.Channels, Slack))
		Sums(sum, m)
		for i, s := range sum {
			mean[i] = s / float32(m.Rows)
		}
		Squares(squares.of(part), m, mean[:g.Channels])
		copy(sum, mean)
	})
	width := g.Channels / g.Groups
	c.Do(x.N*g.Groups, func(task int, _ *Hand) {
		image, lo := task/g.Groups, task%g.Groups*width
		mean, spread := 0.0, 0.0
		for p := range parts {
			n := float64(min(normRows, x.pixels()-p*normRows))
			mean += n * total(sums.of(image*parts + p)[lo:lo+width])
		}
		mean /= float64(x.pixels() * width)
		for p := range parts {
			n := float64(min(normRows, x.pixels()-p*normRows))
			for _, m := range sums.of(image*parts + p)[lo : lo+width] {
				spread += n * (float64(m) - mean) * (float64(m) - mean)
			}
			spread += total(squares.of(image*parts + p)[lo : lo+width])
		}
		variance := spread / float64(x.pixels()*width)
		stats[2*task], stats[2*task+1] = float32(mean), float32(1/math.Sqrt(variance+g.Epsilon))
	})
}

// total returns the sum of x.
func total(x []float32) (s float64) {
	for _, v := range x {
		s += float64(v)
	}
	return s
}

// maps returns the map x a + b that normalises and applies the affine map.
func (g *GroupNorm) maps(c *Crew, stats []float32, n int) (a, b perImage) {
	a, b = newPerImage(c, n, g.Channels), newPerImage(c, n, g.Channels)
	width := g.Channels / g.Groups
	for i := range n {
		u, v := a.of(i), b.of(i)
		for j := range u {
			s := stats[2*(i*g.Groups+j/width):]
			u[j] = g.Weight[j] * s[1]
			v[j] = g.Bias[j] - s[0]*u[j]
		}
	}
	return a, b
}

// slopes writes dz, the gradient with respect to the argument of the activation, and
// returns Σ dz and Σ dz x̂ of every channel, image after image.
func (g *GroupNorm) slopes(c *Crew, dz, dy, x Images, stats []float32) [][]float64 {
	parts := partsOf(x)
	a, b := g.maps(c, stats, x.N)
	scale, shift := newPerImage(c, x.N, g.Channels), newPerImage(c, x.N, g.Channels)
	width := g.Channels / g.Groups
	for i := range x.N {
		for j := range g.Channels {
			s := stats[2*(i*g.Groups+j/width):]
			scale.of(i)[j], shift.of(i)[j] = s[1], -s[0]*s[1]
		}
	}
	sums, sumsX := newPerImage(c, x.N*parts, g.Channels), newPerImage(c, x.N*parts, g.Channels)
	g.parts(c, x, func(image, from, part int, h *Hand) {
		n := NormGrad{A: a.of(image), B: b.of(image), XScale: scale.of(image), XBias: shift.of(image),
			Sum: sums.of(part), SumX: sumsX.of(part)}
		out, u, d := dz.Image(image).part(from, normRows), x.Image(image).part(from, normRows), dy.Image(image).part(from, normRows)
		if g.SiLU {
			NormSiLUGrad(out, u, d, &n)
		} else {
			ScaleGrad(out, u, d, &n)
		}
	})
	all := make([][]float64, 2*x.N)
	for i := range all {
		all[i] = make([]float64, g.Channels)
		for p := range parts {
			from := sums
			if i%2 == 1 {
				from = sumsX
			}
			for j, v := range from.of(i/2*parts + p) {
				all[i][j] += float64(v)
			}
		}
	}
	return all
}

// remove writes the map dz p + x q + r to the gradient with respect to x: with x̂ the
// normalised x, weight γ and n elements in a group,
// dx = (γ dz - Σ γ dz/n - x̂ Σ γ dz x̂/n)/σ.
func (g *GroupNorm) remove(p, q, r, stats []float32, sum, sumX []float64, pixels int) {
	width := g.Channels / g.Groups
	for k := range g.Groups {
		mean, inverse := float64(stats[2*k]), float64(stats[2*k+1])
		var m1, m2 float64
		for j := k * width; j < (k+1)*width; j++ {
			m1 += float64(g.Weight[j]) * sum[j]
			m2 += float64(g.Weight[j]) * sumX[j]
		}
		n := float64(pixels * width)
		slope := -inverse * inverse * m2 / n
		for j := k * width; j < (k+1)*width; j++ {
			p[j], q[j] = g.Weight[j]*float32(inverse), float32(slope)
			r[j] = float32(-mean*slope - inverse*m1/n)
		}
	}
}
