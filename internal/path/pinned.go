package path

import "math"

// Round rounds the points of the solution in m to v, one after the other from the
// start.
func (m *Linkage) Round(v *View) { m.round(v, newLattice(m.limit), 1, v.N+1) }

// round is Round of the points lo <= h < hi.
func (m *Linkage) round(v *View, l lattice, lo, hi int) {
	if v.Dims == 2 {
		l.planar(v.X[(lo-1)*v.Stride:], v.Point(lo-1), m.links[lo:hi], v.Stride)
		return
	}
	for h := lo; h < hi; h++ {
		l.next(v.Point(h), v.Point(h-1), m.links[h].p)
	}
}

// RoundPinned rounds the solution in m, whose first and last points are held, to v.
// It rounds from both ends to the shortest step, which has most room for what
// rounding adds. If that does not fit, it solves again for a limit that leaves room
// for any rounding, and if the goal is too far away for that, it takes the straight
// line, which is feasible but not optimal.
func (m *Linkage) RoundPinned(v *View, goal []float32, o Outcome) Outcome {
	if !m.roundBothEnds(v, goal, m.limit) {
		return m.roundWithin(v, goal, o)
	}
	if o.Converged {
		return o
	}
	return confined(v, goal, m.limit, o)
}

// confined is the outcome of a path that may not be the nearest one: it is where no
// other is farther away than rounding.
func confined(v *View, goal []float32, limit float64, o Outcome) Outcome {
	start, end := v.at(0), vecOf(goal)
	o.Residual = room(end.sub(start).norm(), float64(v.N)*limit)
	o.Converged = o.Residual <= roundingStep(max(start.magnitude(), end.magnitude()), v.Dims)
	return o
}

// roundBothEnds rounds the solution in m from both ends to the shortest step and
// reports whether that one keeps the limit too.
func (m *Linkage) roundBothEnds(v *View, goal []float32, limit float64) bool {
	copy(v.Point(v.N), goal)
	l := newLattice(limit)
	meet, shortest := v.N, math.Inf(1)
	for h := 1; h <= v.N; h++ {
		if d := m.links[h].d.norm(); d < shortest {
			meet, shortest = h, d
		}
	}
	m.round(v, l, 1, meet)
	for h := v.N - 1; h >= meet; h-- {
		l.next(v.Point(h), v.Point(h+1), m.links[h].p)
	}
	return l.fits(v.Point(meet-1), v.Point(meet))
}

// roundWithin is the second and third resort of RoundPinned.
func (m *Linkage) roundWithin(v *View, goal []float32, o Outcome) Outcome {
	limit, reached := m.limit, m.scale() // of the solution
	m.rewind()
	scale := m.scale() // of the path as well
	apart := vecOf(goal).sub(m.links[0].p).norm()
	spare := limit - apart/float64(m.n)
	rounding := 2 * roundingStep(reached, v.Dims)
	last := math.Inf(1)
	for _, margin := range [...]float64{coarse(2*roundingStep(scale, v.Dims), rounding), rounding, spare / 2, spare / 8, spare / 32} {
		within := limit - margin
		if !(margin < last && within > 0 && apart < float64(m.n)*within) {
			continue
		}
		last = margin
		again := m.project(within, scale, true)
		o.Iterations += again.Iterations
		if m.roundEvenly(v, limit) || m.roundBothEnds(v, goal, limit) && v.finite() && v.keeps(limit) {
			again.Iterations = o.Iterations
			return again
		}
		m.rewind()
	}
	Straight(v, goal, limit)
	return confined(v, goal, limit, o)
}

// coarse returns the margin that the path itself suggests, before it is projected,
// unless it takes more from the solution than its rounding explains.
func coarse(margin, rounding float64) float64 {
	if margin > 8*rounding {
		return rounding
	}
	return margin
}

// room is how far at most a waypoint can be from the straight line between points that are
// apart, on a path of the given length: the minor semi-axis of an ellipse.
func room(apart, length float64) float64 {
	return math.Sqrt(max(0, length-apart)) * math.Sqrt(length+apart) / 2
}

// roundEvenly rounds every point of the solution to the nearest one, and reports
// whether that keeps the limit. The last point of v is the goal.
func (m *Linkage) roundEvenly(v *View, limit float64) bool {
	for h := 1; h < v.N; h++ {
		at := m.links[h].p.array()
		roundNearest(v.Point(h), at[:v.Dims])
	}
	return v.finite() && v.keeps(limit)
}

// keeps reports whether no step of v is longer than the limit.
func (v *View) keeps(limit float64) bool { return math.Sqrt(v.LongestSquared())-limit <= 0 }

// Roomy reports whether a straight line to the goal in n steps keeps the limit
// however it is rounded.
func Roomy(start, goal []float32, n int, limit float64) bool {
	a, b := vecOf(start), vecOf(goal)
	spare := limit - b.sub(a).norm()/float64(n)
	return spare >= 2*roundingStep(max(a.magnitude(), b.magnitude()), len(start))
}

// Straight writes the evenly spaced path to the goal to v: its rounding if that
// keeps the limit, otherwise one that keeps every limit but perhaps the last.
func Straight(v *View, goal []float32, limit float64) {
	start, end := v.at(0), vecOf(goal)
	even := func(h int) vec { return start.lerp(end, float64(h)/float64(v.N)) }
	for h := 1; h < v.N; h++ {
		at := even(h).array()
		roundNearest(v.Point(h), at[:v.Dims])
	}
	copy(v.Point(v.N), goal)
	if v.keeps(limit) {
		return
	}
	l := newLattice(limit)
	for h := 1; h < v.N; h++ {
		l.next(v.Point(h), v.Point(h-1), even(h))
	}
}

func roundNearest(dst []float32, x []float64) {
	for i, v := range x {
		dst[i] = float32(v)
	}
}
