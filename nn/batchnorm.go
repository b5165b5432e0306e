package nn

import (
	"math"

	"github.com/go-pcd/pcd/internal/kernel"
)

// batchNorm is a normalisation of every channel over all pixels of a batch. Frozen, it is
// an affine map from running statistics; in a training that is not, it uses those of the
// batch and moves the running ones towards them. Source: Ioffe and Szegedy, "Batch
// normalization" (ICML 2015).
type batchNorm struct {
	channels       int
	eps            float64
	weight, bias   *Param
	mean, variance *Param // running; no gradients
}

// momentum is how far the running statistics move in a step.
const momentum = 0.1

func newBatchNorm(p *params, name string, channels int, eps float64) *batchNorm {
	return &batchNorm{
		channels: channels, eps: eps,
		weight:   p.add(name+".weight", 1, 0, channels),
		bias:     p.add(name+".bias", 0, 0, channels),
		mean:     p.buffer(name+".running_mean", 0, channels),
		variance: p.buffer(name+".running_var", 1, channels),
	}
}

// batchNorm lays out a normalisation, followed by a rectifier on demand.
func (g *graph) batchNorm(l *batchNorm, in *signal, rectified bool) *signal {
	out, stats := g.like(in, in.channels), g.signal(2, l.channels) // mean and 1/σ, for the chunk
	moving := g.key.size.moving
	g.from(out, l.weight, in)
	g.does(func(r *run) {
		mean, inverse := l.statistics(r, stats, in, moving)
		l.apply(r, out, in, mean, inverse, rectified)
	}, out, in, stats)
	g.onBackward(out, func(d *signal) {
		sum, add := g.room(in)
		if g.purpose != training && !add {
			g.does(func(r *run) { l.scaleBack(r, sum, out, stats, d, rectified) }, sum, out, stats, d)
			return
		}
		dy := d
		if rectified {
			dy = g.like(d, d.channels)
			g.does(func(r *run) {
				r.each(dy, func(m kernel.Matrix, first int) { rectifyBack(r, m, out, d, first) })
			}, dy, out, d)
		}
		g.does(func(r *run) { l.backward(r, g, sum, in, stats, dy, add) }, sum, in, stats, dy)
	})
	return out
}

// rectifyBack writes the cotangent of the rectifier whose result is out for a block of rows.
func rectifyBack(r *run, dst kernel.Matrix, out, d *signal, first int) {
	lo, n := first*dst.Cols, dst.Rows*dst.Cols
	kernel.RectifyGrad(dst.Data[:n], r.all(out)[lo:lo+n], r.all(d)[lo:lo+n])
}

// columnsPerTask is how many channels a task takes that adds up columns.
const columnsPerTask = 16

// columns calls do for ranges of channels, several at a time.
func (l *batchNorm) columns(r *run, do func(lo, hi int)) {
	r.crew.Do((l.channels+columnsPerTask-1)/columnsPerTask, func(task int, _ *kernel.Hand) {
		do(task*columnsPerTask, min((task+1)*columnsPerTask, l.channels))
	})
}

// statistics returns mean and 1/σ of every channel, in the memory of stats.
func (l *batchNorm) statistics(r *run, stats, in *signal, moving bool) (mean, inverse []float32) {
	s := r.data(stats)
	mean, inverse = s[:l.channels], s[l.channels:2*l.channels]
	if moving {
		x := r.pixels(in)
		l.columns(r, func(lo, hi int) { l.moments(x, lo, hi, mean, inverse) })
		return mean, inverse
	}
	copy(mean, l.mean.Data)
	for c, v := range l.variance.Data {
		inverse[c] = float32(1 / math.Sqrt(float64(v)+l.eps))
	}
	return mean, inverse
}

// moments computes the statistics of some channels of a batch and moves the running ones.
func (l *batchNorm) moments(x kernel.Matrix, lo, hi int, mean, inverse []float32) {
	var sums, squares [columnsPerTask]float64
	n := float64(x.Rows)
	for i := range x.Rows {
		for c, v := range x.Data[i*x.Stride+lo : i*x.Stride+hi] {
			sums[c] += float64(v)
		}
	}
	for i := range x.Rows {
		for c, v := range x.Data[i*x.Stride+lo : i*x.Stride+hi] {
			d := float64(v) - sums[c]/n
			squares[c] += d * d
		}
	}
	for c := lo; c < hi; c++ {
		m, v := sums[c-lo]/n, squares[c-lo]/n
		mean[c], inverse[c] = float32(m), float32(1/math.Sqrt(v+l.eps))
		follow(&l.mean.Data[c], m)
		follow(&l.variance.Data[c], v*n/max(n-1, 1))
	}
}

func follow(running *float32, now float64) {
	*running = float32((1-momentum)*float64(*running) + momentum*now)
}

// apply writes (x - mean)/σ weight + bias.
func (l *batchNorm) apply(r *run, out, in *signal, mean, inverse []float32, rectified bool) {
	a, b := kernel.Alloc(l.channels), kernel.Alloc(l.channels)
	for c := range a {
		a[c] = l.weight.Data[c] * inverse[c]
		b[c] = l.bias.Data[c] - mean[c]*a[c]
	}
	x := r.pixels(in)
	r.each(out, func(m kernel.Matrix, first int) {
		kernel.Scale(m, block(x, first, m.Rows), a, b)
		if y := m.Data[:m.Rows*m.Cols]; rectified {
			kernel.Rectify(y, y)
		}
	})
}

// scaleBack writes the cotangent of in where the statistics do not depend on it.
func (l *batchNorm) scaleBack(r *run, dIn, out, stats, d *signal, rectified bool) {
	inverse := r.data(stats)[l.channels : 2*l.channels]
	a, zero := kernel.Alloc(l.channels), kernel.Alloc(l.channels)
	for c := range a {
		a[c] = l.weight.Data[c] * inverse[c]
	}
	dy := r.pixels(d)
	r.each(dIn, func(m kernel.Matrix, first int) {
		from := block(dy, first, m.Rows)
		if rectified {
			rectifyBack(r, m, out, d, first)
			from = m
		}
		kernel.Scale(m, from, a, zero)
	})
}

// backward writes the cotangent of in, or adds it, and the gradients of the parameters.
func (l *batchNorm) backward(r *run, g *graph, dIn, in, stats, d *signal, add bool) {
	s := r.data(stats)
	mean, inverse := s[:l.channels], s[l.channels:2*l.channels]
	sums, sumsX := make([]float64, l.channels), make([]float64, l.channels)
	x, dy := r.pixels(in), r.pixels(d)
	learn := g.trains(l.weight)
	if g.purpose == training {
		l.columns(r, func(lo, hi int) { slopes(x, dy, lo, hi, mean, inverse, sums, sumsX) })
	}
	if learn {
		for c := range sums {
			l.bias.Grad[c] += float32(sums[c])
			l.weight.Grad[c] += float32(sumsX[c])
		}
	}
	p, q, o := kernel.Alloc(l.channels), kernel.Alloc(l.channels), kernel.Alloc(l.channels)
	for c := range p {
		p[c] = l.weight.Data[c] * inverse[c]
		if g.key.size.moving && g.purpose == training {
			n := float64(x.Rows)
			slope := -float64(p[c]) * float64(inverse[c]) * sumsX[c] / n
			q[c], o[c] = float32(slope), float32(-float64(mean[c])*slope-float64(p[c])*sums[c]/n)
		}
	}
	r.each(dIn, func(m kernel.Matrix, first int) {
		out := m
		if add {
			out = kernel.Matrix{Data: kernel.Alloc(m.Rows * m.Cols), Rows: m.Rows, Cols: m.Cols, Stride: m.Cols}
		}
		kernel.Affine(out, block(dy, first, m.Rows), block(x, first, m.Rows), p, q, o)
		if add {
			kernel.Add(m, m, out)
		}
	})
}

// slopes adds up dy and dy x̂ of some channels.
func slopes(x, dy kernel.Matrix, lo, hi int, mean, inverse []float32, sums, sumsX []float64) {
	for i := range x.Rows {
		row, d := x.Data[i*x.Stride:], dy.Data[i*dy.Stride:]
		for c := lo; c < hi; c++ {
			sums[c] += float64(d[c])
			sumsX[c] += float64(d[c]) * (float64(row[c]) - float64(mean[c])) * float64(inverse[c])
		}
	}
}
