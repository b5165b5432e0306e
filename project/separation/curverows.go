package separation

import "github.com/go-pcd/pcd/geom"

// A curve's control points are p_(-1) … p_n, of which p_1 … p_(n-2) are free waypoints:
// with the ends s and g, and steps u and w there,
//
//	p_0 = (3s − p_1 + u)/2,  p_(-1) = p_1 − 2u,  p_(n-1) = (3g − p_(n-2) − w)/2,  p_n = p_(n-2) + 2w.

// row is a linear combination of three control points in sequence: the first one is
// p_(first-1). Points of hulls, steps and their changes are of this form.
type row struct {
	first int
	k     [3]float64
}

// hullRow returns the point k of the hull of span h.
func hullRow(h, k int) row {
	switch k {
	case 0:
		return row{h, [3]float64{1.0 / 6, 2.0 / 3, 1.0 / 6}}
	case 1:
		return row{h, [3]float64{0, 2.0 / 3, 1.0 / 3}}
	case 2:
		return row{h, [3]float64{0, 1.0 / 3, 2.0 / 3}}
	default:
		return row{h + 1, [3]float64{1.0 / 6, 2.0 / 3, 1.0 / 6}}
	}
}

// stepRow returns step h, p_(h+1) − p_h: a point of the hull of velocities.
func stepRow(h int) row { return row{h, [3]float64{0, -1, 1}} }

// changeRow returns the change of steps at waypoint h: the acceleration there.
func changeRow(h int) row { return row{h, [3]float64{1, -2, 1}} }

// of returns the value of a row of some control points.
func (r *row) of(points []float64) float64 {
	p := points[r.first : r.first+3]
	return r.k[0]*p[0] + r.k[1]*p[1] + r.k[2]*p[2]
}

// folded returns the same combination in terms of the free waypoints alone, of n
// waypoints, less a constant: the first one is the waypoint first. What is zero there is
// held by the ends.
func (r row) folded(n int) row {
	out := row{first: min(max(r.first-1, 1), max(n-4, 1))}
	for m, k := range r.k {
		p := r.first + m - 1
		switch {
		case p == -1:
			p = 1
		case p == n:
			p = n - 2
		case p == 0:
			p, k = 1, -k/2
		case p == n-1:
			p, k = n-2, -k/2
		}
		out.k[p-out.first] += k
	}
	return out
}

// constant reports whether a folded row says nothing about any free waypoint.
func (r row) constant() bool {
	const zero = 1e-12 // what rounding leaves of coefficients up to 2
	for _, k := range r.k {
		if k > zero || k < -zero {
			return false
		}
	}
	return true
}

// controls writes one coordinate of p_(-1) … p_n to dst, from a row of waypoints.
func controls(dst, waypoints []float64, u, w float64) {
	n := len(waypoints)
	copy(dst[1:], waypoints)
	dst[1] = (3*waypoints[0] - waypoints[1] + u) / 2
	dst[n] = (3*waypoints[n-1] - waypoints[n-2] - w) / 2
	dst[0] = waypoints[1] - 2*u
	dst[n+1] = waypoints[n-2] + 2*w
}

// bandOf collects weight·k·kᵀ of folded rows: the three diagonals of a matrix over the
// waypoints.
type bandOf struct{ diagonal, first, second []float64 }

func newBandOf(n int) bandOf {
	return bandOf{make([]float64, n), make([]float64, n), make([]float64, n)}
}

func (b bandOf) clear() {
	clear(b.diagonal)
	clear(b.first)
	clear(b.second)
}

// add adds weight·k·kᵀ: first[h] is the element (h, h-1), second[h] is (h, h-2).
func (b bandOf) add(r row, weight float64) {
	for m, k := range r.k {
		if k == 0 {
			continue
		}
		at := r.first + m
		b.diagonal[at] += weight * k * k
		if m > 0 {
			b.first[at] += weight * k * r.k[m-1]
		}
		if m > 1 {
			b.second[at] += weight * k * r.k[m-2]
		}
	}
}

// addProduct adds the matrix times d to out, both over all waypoints.
func (b bandOf) addProduct(out, d []float64) {
	for h := range d {
		out[h] += b.diagonal[h] * d[h]
		if h > 0 {
			out[h] += b.first[h] * d[h-1]
			out[h-1] += b.first[h] * d[h]
		}
		if h > 1 {
			out[h] += b.second[h] * d[h-2]
			out[h-2] += b.second[h] * d[h]
		}
	}
}

// spread adds p times the row, transposed, to a right-hand side over the waypoints, which
// goes on for two more.
func (r *row) spread(right []float64, p float64) {
	at := right[r.first : r.first+3]
	at[0] += p * r.k[0]
	at[1] += p * r.k[1]
	at[2] += p * r.k[2]
}

// along returns the component along n of a row of the control points x and y.
func (r *row) along(n geom.Vec2, x, y []float64) float64 { return n.X*r.of(x) + n.Y*r.of(y) }
