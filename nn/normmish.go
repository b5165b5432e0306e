package nn

import (
	"math"

	"github.com/go-pcd/pcd/internal/kernel"
)

// statistics writes mean and 1/σ of every group of x to stats.
func (l *groupNorm) statistics(r *run, stats []float32, x kernel.Matrix) {
	sum, mean := r.vectors[0][:l.channels], r.vectors[1][:l.channels]
	width := l.channels / l.groups
	count := float64(width * x.Rows)
	kernel.Sums(sum, x)
	for g := range l.groups {
		m := float32(total(sum[g*width:(g+1)*width]) / count)
		stats[2*g] = m
		for c := g * width; c < (g+1)*width; c++ {
			mean[c] = m
		}
	}
	kernel.Squares(sum, x, mean)
	for g := range l.groups {
		variance := total(sum[g*width:(g+1)*width]) / count
		stats[2*g+1] = float32(1 / math.Sqrt(variance+l.eps))
	}
}

// total returns the sum of x, in four parts that do not wait for one another.
func total(x []float32) float64 {
	var a, b, c, d float64
	for ; len(x) >= 4; x = x[4:] {
		a += float64(x[0])
		b += float64(x[1])
		c += float64(x[2])
		d += float64(x[3])
	}
	for _, v := range x {
		a += float64(v)
	}
	return a + b + (c + d)
}

// coefficients writes the map x a + b that normalises and applies the affine map.
func (l *groupNorm) coefficients(a, b, stats []float32) {
	width := l.channels / l.groups
	for g := range l.groups {
		mean, inverse := stats[2*g], stats[2*g+1]
		lo, hi := g*width, (g+1)*width
		w, bias, a, b := l.weight.Data[lo:hi], l.bias.Data[lo:hi], a[lo:hi], b[lo:hi]
		for c := range w {
			a[c] = w[c] * inverse
			b[c] = bias[c] - mean*a[c]
		}
	}
}

// film says where the modulation between the blocks of a residual block comes
// from: one signal of shifts, or of scales followed by shifts.
type film struct {
	signal *signal
	scaled bool
}

// of returns scale and shift of sample i of the chunk.
func (f film) of(r *run, i, channels int) (scale, shift []float32) {
	v := r.vector(f.signal, i)
	if !f.scaled {
		return nil, v
	}
	return v[:channels], v[channels:]
}

// forward writes dst = mish(norm(x)), modulated by f or with y added, and the
// statistics.
func (l *groupNorm) forward(r *run, dst, x, stats, y *signal, f film) {
	a, b := r.vectors[2][:l.channels], r.vectors[3][:l.channels]
	for i := range r.n {
		in, out, s := r.matrix(x, i), r.matrix(dst, i), r.vector(stats, i)
		l.statistics(r, s, in)
		l.coefficients(a, b, s)
		switch {
		case f.signal != nil:
			scale, shift := f.of(r, i, l.channels)
			if scale != nil {
				kernel.NormMishFilm(out, in, a, b, scale, shift)
			} else {
				kernel.NormMishShift(out, in, a, b, shift)
			}
		case y != nil:
			kernel.NormMishAdd(out, in, r.matrix(y, i), a, b)
		default:
			kernel.NormMish(out, in, a, b)
		}
	}
}

// normSums are the signals that keep per-sample sums for parameter gradients.
type normSums struct {
	weight, bias *signal // of the affine map
	film         *signal // of the modulation; laid out like it
}

// backward writes the cotangent of x over x, from the cotangent dy of the result.
// dz is scratch and may be dy.
func (l *groupNorm) backward(r *run, x, stats, dz, dy *signal, f film, sums normSums) {
	v := &r.vectors
	c := l.channels
	g := kernel.NormGrad{A: v[2][:c], B: v[3][:c], XScale: v[4][:c], XBias: v[5][:c], Sum: v[0][:c], SumX: v[1][:c]}
	for i := range r.n {
		s := r.vector(stats, i)
		l.coefficients(g.A, g.B, s)
		l.normalised(g.XScale, g.XBias, s)
		if sums.weight != nil {
			g.SumX, g.Sum = r.vector(sums.weight, i), r.vector(sums.bias, i)
		}
		if f.signal != nil {
			g.Scale, _ = f.of(r, i, c)
			l.filmSums(r, &g, sums, i)
		}
		u, d := r.matrix(x, i), r.matrix(dz, i)
		kernel.NormMishGrad(d, u, r.matrix(dy, i), &g)
		p, q, o := v[2][:c], v[3][:c], v[4][:c]
		l.remove(p, q, o, s, g.Sum, g.SumX, float32(x.length))
		kernel.Affine(u, d, u, p, q, o)
	}
}

// filmSums points the sums of the modulation to where they are kept, or to scratch.
func (l *groupNorm) filmSums(r *run, g *kernel.NormGrad, sums normSums, i int) {
	c := l.channels
	kept := sums.film != nil
	switch {
	case g.Scale == nil && kept:
		g.SumY = r.vector(sums.film, i)
	case g.Scale != nil && kept:
		all := r.vector(sums.film, i)
		g.SumYValue, g.SumY = all[:c], all[c:]
	case g.Scale != nil:
		g.SumY, g.SumYValue = r.vectors[6][:c], r.vectors[7][:c]
	}
}

// normalised writes the map x scale + shift that normalises.
func (l *groupNorm) normalised(scale, shift, stats []float32) {
	width := l.channels / l.groups
	for g := range l.groups {
		mean, inverse := stats[2*g], stats[2*g+1]
		for c := g * width; c < (g+1)*width; c++ {
			scale[c], shift[c] = inverse, -mean*inverse
		}
	}
}

// remove writes the map dz p + x q + o to the cotangent of x: with x̂ the
// normalised x, weight γ and n elements in a group,
// dx = (γ dz - Σ γ dz/n - x̂ Σ γ dz x̂/n)/σ.
func (l *groupNorm) remove(p, q, o, stats, sum, sumX []float32, length float32) {
	width := l.channels / l.groups
	for g := range l.groups {
		mean, inverse := stats[2*g], stats[2*g+1]
		lo, hi := g*width, (g+1)*width
		var m1, m2 float64
		for c := lo; c < hi; c++ {
			w := float64(l.weight.Data[c])
			m1 += w * float64(sum[c])
			m2 += w * float64(sumX[c])
		}
		n := float64(length) * float64(width)
		slope := -inverse * inverse * float32(m2/n)
		offset := -mean*slope - inverse*float32(m1/n)
		for c := lo; c < hi; c++ {
			p[c], q[c], o[c] = l.weight.Data[c]*inverse, slope, offset
		}
	}
}

// gradients returns the task that adds up the per-sample sums of the affine map.
func (l *groupNorm) gradients(sums normSums) gradientTask {
	return gradientTask{cost: l.channels, do: func(r *run, w *gradientScratch) {
		row := w.row[:l.channels]
		kernel.Sums(row, r.table(sums.weight))
		l.weight.accumulate(0, row)
		kernel.Sums(row, r.table(sums.bias))
		l.bias.accumulate(0, row)
	}}
}

// table returns a signal of one row as a matrix with a row per sample.
func (r *run) table(s *signal) kernel.Matrix {
	return kernel.Matrix{Data: r.data(s), Rows: r.n, Cols: s.channels, Stride: s.channels}
}

// normMish lays out a normalisation with Mish and, on demand, a modulation by f or the sum with
// y, in one pass over sequences whose samples are shared out. Without a backward pass the
// result replaces u.
func (g *graph) normMish(l *groupNorm, u, y *signal, f film) *signal {
	out := u
	if g.purpose.backwards() || g.purpose == observing {
		out = g.like(u, u.channels)
	}
	stats := g.signal(1, 2*l.groups)
	g.plan.channels = max(g.plan.channels, l.channels)
	g.from(out, l.weight, u, y, f.signal)
	g.does(func(r *run) { l.forward(r, out, u, stats, y, f) }, present(out, u, stats, y, f.signal)...)
	g.onBackward(out, func(d *signal) {
		dz := d
		if y != nil {
			g.lend(y, d)
			if y.single { // its way back comes first: then d is free
				g.ways[y]()
			}
			if g.holders(d) > 0 {
				dz = g.like(d, d.channels)
			}
		}
		var sums normSums
		if f.signal != nil && f.signal.needs {
			sums.film = g.lasting(f.signal.channels)
		}
		if g.trains(l.weight) {
			sums.weight, sums.bias = g.lasting(l.channels), g.lasting(l.channels)
			g.whole[sums.weight], g.whole[sums.bias] = true, true
			g.gradients = append(g.gradients, l.gradients(sums))
			g.rowSize = max(g.rowSize, l.channels)
		}
		g.does(func(r *run) { l.backward(r, u, stats, dz, d, f, sums) },
			present(u, stats, dz, d, f.signal, sums.film, sums.weight, sums.bias)...)
		g.give(u, u) // its cotangent is in its place
		if sums.film != nil {
			g.give(f.signal, sums.film)
		}
	})
	return out
}

// lasting returns a row that nobody else's way back writes to.
func (g *graph) lasting(channels int) *signal {
	s := g.signal(1, channels)
	s.lasts = true
	return s
}

// present returns the signals that are there.
func present(signals ...*signal) (all []*signal) {
	for _, s := range signals {
		if s != nil {
			all = append(all, s)
		}
	}
	return all
}
