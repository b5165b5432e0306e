package path

import "math"

// band is a symmetric positive definite matrix of half-bandwidth w, its lower
// part stored by rows: element (i, i−j) is at [i*(w+1)+j].
type band struct {
	n, w int
	a    []float64
	x    []float64
}

func (b *band) reset(n, w int) {
	b.n, b.w = n, w
	if cap(b.a) < n*(w+1) {
		b.a, b.x = make([]float64, n*(w+1)), make([]float64, n)
	}
	b.a, b.x = b.a[:n*(w+1)], b.x[:n]
	clear(b.a)
}

// solve overwrites the matrix by its Cholesky factor and x by the solution.
func (b *band) solve() {
	s := b.w + 1
	for i := range b.n {
		row := b.a[i*s : i*s+s]
		reach := min(i, b.w)
		x := b.x[i]
		for j := reach; j >= 1; j-- {
			other := b.a[(i-j)*s : (i-j)*s+s]
			v := row[j]
			for k := j + 1; k <= reach; k++ {
				v -= row[k] * other[k-j]
			}
			v *= other[0] // holds the inverse of its pivot
			row[j] = v
			x -= v * b.x[i-j]
		}
		v := row[0]
		for k := 1; k <= reach; k++ {
			v -= row[k] * row[k]
		}
		row[0] = 1 / math.Sqrt(v)
		b.x[i] = x * row[0]
	}
	for i := b.n - 1; i >= 0; i-- {
		row := b.a[i*s : i*s+s]
		x := b.x[i] * row[0]
		b.x[i] = x
		for j := 1; j <= min(i, b.w); j++ {
			b.x[i-j] -= row[j] * x
		}
	}
}

// solveBand solves the linear mechanism in its forces,
//
//	(E Eᵀ + C) F = E p − rest,
//
// a banded system, for any order and number of coordinates. Its condition grows
// with the number n of links that are tight in a row, as n² for first and n⁴ for
// second differences.
func (m *Linkage) solveBand() {
	dims, b := m.dims, &m.band
	b.reset(m.n*dims, m.order*dims)
	s := b.w + 1
	for h := 1; h <= m.n; h++ {
		e := &m.links[h]
		u, r := e.u.array(), e.r.array()
		for i := range dims {
			at := (h-1)*dims + i
			row := b.a[at*s : at*s+s]
			if e.slack {
				row[0], b.x[at] = 1, 0
				continue
			}
			for j := range i {
				row[i-j] = (e.along - e.across) * u[i] * u[j]
			}
			row[0] = m.stiffness(h, 0) + e.across + (e.along-e.across)*u[i]*u[i]
			for lag := 1; lag <= m.order && lag < h; lag++ {
				if !m.links[h-lag].slack {
					row[lag*dims] = m.stiffness(h, lag)
				}
			}
			b.x[at] = r[i] - e.rest*u[i]
		}
	}
	b.solve()
	m.settle()
}

// settle takes the forces from the solution of the banded system and sets the
// differences: from their own law, or for slack links from E p − E Eᵀ F.
func (m *Linkage) settle() {
	for h := 1; h <= m.n; h++ {
		e := &m.links[h]
		e.f = vecOf(m.band.x[(h-1)*m.dims : h*m.dims])
		if !e.slack {
			e.d = e.u.times(e.rest + (e.along-e.across)*e.u.dot(e.f)).add(e.f.times(e.across))
		}
	}
	for h := 1; h <= m.n; h++ {
		if e := &m.links[h]; e.slack {
			e.f = vec{}
			e.d = m.equilibrium(h)
		}
	}
}

// equilibrium returns the difference of link h that goes with the forces of all
// links, E p − E Eᵀ F.
func (m *Linkage) equilibrium(h int) vec {
	d := m.links[h].r.sub(m.links[h].f.times(m.stiffness(h, 0)))
	for lag := 1; lag <= m.order; lag++ {
		if h-lag >= 1 {
			d = d.sub(m.links[h-lag].f.times(m.stiffness(h, lag)))
		}
		if h+lag <= m.n {
			d = d.sub(m.links[h+lag].f.times(m.stiffness(h+lag, lag)))
		}
	}
	return d
}
