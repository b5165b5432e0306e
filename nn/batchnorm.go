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
	g.from(out, l.weight, in)
	g.does(l.statistics(in, stats, g.key.size.moving), stats, in)
	g.scaled(out, stats, func(r *run, a, b []float32) { l.scales(a, b, r.data(stats)) }, func(r *run, m kernel.Matrix, first int, a, b []float32) {
		kernel.Scale(m, r.block(in, first, m.Rows), a, b)
		if y := m.Data[:m.Rows*m.Cols]; rectified {
			kernel.Rectify(y, y)
		}
	}, in)
	g.onBackward(out, func(d *signal) {
		sum, add := g.room(in)
		if g.purpose != training && !add {
			l.scaleBack(g, sum, out, stats, d, rectified)
			return
		}
		dy := d
		if rectified {
			dy = g.like(d, d.channels)
			g.rows(dy, func(r *run, m kernel.Matrix, first int) { rectifyBack(r, m, out, d, first) }, out, d)
		}
		l.backward(g, sum, in, stats, dy, add)
	})
	return out
}

// scaled lays out an operation on blocks of the rows of dst that uses two numbers for every
// channel, which set writes.
func (g *graph) scaled(dst, stats *signal, set func(r *run, a, b []float32), do func(r *run, m kernel.Matrix, first int, a, b []float32), others ...*signal) {
	c := dst.channels
	scale := g.signal(2, c)
	block := func(r *run, m kernel.Matrix, first int) {
		v := r.data(scale)
		do(r, m, first, v[:c], v[c:2*c])
	}
	g.does(func(r *run) {
		v := r.data(scale)
		set(r, v[:c], v[c:2*c])
		r.rows(dst, block)
	}, append([]*signal{dst, stats, scale}, others...)...)
}

// rectifyBack writes the cotangent of the rectifier whose result is out for a block of rows.
func rectifyBack(r *run, dst kernel.Matrix, out, d *signal, first int) {
	kernel.RectifyGrad(dst.Data[:dst.Rows*dst.Cols], r.elements(out, first, dst.Rows), r.elements(d, first, dst.Rows))
}

// columnsPerTask is how many channels a task takes that adds up columns.
const columnsPerTask = 16

// columns returns the number of tasks that take all channels.
func (l *batchNorm) columns() int { return (l.channels + columnsPerTask - 1) / columnsPerTask }

// columnsOf returns the channels of a task.
func (l *batchNorm) columnsOf(task int) (lo, hi int) {
	return task * columnsPerTask, min((task+1)*columnsPerTask, l.channels)
}

// of returns mean and 1/σ of every channel.
func (l *batchNorm) of(stats []float32) (mean, inverse []float32) {
	return stats[:l.channels], stats[l.channels : 2*l.channels]
}

// statistics returns the operation that writes mean and 1/σ of every channel.
func (l *batchNorm) statistics(in, stats *signal, moving bool) operation {
	if moving {
		do := func(r *run, task int, _ *kernel.Hand) {
			lo, hi := l.columnsOf(task)
			mean, inverse := l.of(r.data(stats))
			l.moments(r.pixels(in), lo, hi, mean, inverse)
		}
		return func(r *run) { r.share(l.columns(), do) }
	}
	return func(r *run) {
		mean, inverse := l.of(r.data(stats))
		copy(mean, l.mean.Data)
		for c, v := range l.variance.Data {
			inverse[c] = float32(1 / math.Sqrt(float64(v)+l.eps))
		}
	}
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

// scales writes the map x a + b that is (x - mean)/σ weight + bias.
func (l *batchNorm) scales(a, b, stats []float32) {
	mean, inverse := l.of(stats)
	for c := range a {
		a[c] = l.weight.Data[c] * inverse[c]
		b[c] = l.bias.Data[c] - mean[c]*a[c]
	}
}

// scaleBack lays out the cotangent of in where the statistics do not depend on it.
func (l *batchNorm) scaleBack(g *graph, dIn, out, stats, d *signal, rectified bool) {
	g.scaled(dIn, stats, func(r *run, a, zero []float32) {
		_, inverse := l.of(r.data(stats))
		for c := range a {
			a[c], zero[c] = l.weight.Data[c]*inverse[c], 0
		}
	}, func(r *run, m kernel.Matrix, first int, a, zero []float32) {
		from := r.block(d, first, m.Rows)
		if rectified {
			rectifyBack(r, m, out, d, first)
			from = m
		}
		kernel.Scale(m, from, a, zero)
	}, out, d)
}

// backward lays out the cotangent of in, written or added, and the gradients of the parameters.
func (l *batchNorm) backward(g *graph, dIn, in, stats, d *signal, add bool) {
	follows := g.key.size.moving && g.purpose == training
	coefficients, part := g.signal(3, l.channels), dIn
	if add {
		part = g.like(dIn, dIn.channels)
	}
	sumUp := func(r *run, task int, _ *kernel.Hand) {
		lo, hi := l.columnsOf(task)
		mean, inverse := l.of(r.data(stats))
		slopes(r.pixels(in), r.pixels(d), lo, hi, mean, inverse, r.sums[:l.channels], r.sums[l.channels:])
	}
	block := func(r *run, m kernel.Matrix, first int) {
		v, c := r.data(coefficients), l.channels
		to := r.block(part, first, m.Rows)
		kernel.Affine(to, r.block(d, first, m.Rows), r.block(in, first, m.Rows), v[:c], v[c:2*c], v[2*c:3*c])
		if add {
			kernel.Add(m, m, to)
		}
	}
	learn := g.trains(l.weight)
	g.does(func(r *run) {
		sums := r.doubles(2 * l.channels)
		if g.purpose == training {
			r.share(l.columns(), sumUp)
		}
		if learn {
			for c := range l.channels {
				l.bias.Grad[c] += float32(sums[c])
				l.weight.Grad[c] += float32(sums[l.channels+c])
			}
		}
		l.coefficients(r.data(coefficients), r.data(stats), sums, float64(r.n*in.length), follows)
		r.rows(dIn, block)
	}, dIn, in, stats, d, coefficients, part)
}

// coefficients writes the map dy p + x q + o to the cotangent of in, one after the other, from
// the sums of dy and of dy x̂ over n pixels.
func (l *batchNorm) coefficients(dst, stats []float32, sums []float64, n float64, follows bool) {
	p, q, o := dst[:l.channels], dst[l.channels:2*l.channels], dst[2*l.channels:3*l.channels]
	mean, inverse := l.of(stats)
	for c := range p {
		p[c], q[c], o[c] = l.weight.Data[c]*inverse[c], 0, 0
		if follows {
			slope := -float64(p[c]) * float64(inverse[c]) * sums[l.channels+c] / n
			q[c], o[c] = float32(slope), float32(-float64(mean[c])*slope-float64(p[c])*sums[c]/n)
		}
	}
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
