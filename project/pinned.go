package project

import "github.com/go-pcd/pcd/tensor"

// roundPinned rounds the solution in m, whose first and last points are held, to
// row k of dst. It rounds from both ends to the shortest step, which has most
// room for what rounding adds. If that does not fit, it solves again for a limit
// that leaves room for any rounding, and if the goal is too far away for that, it
// takes the straight line, which is feasible but not optimal.
func (s *SpeedLimit) roundPinned(dst tensor.Batch, k int, m *linkage, o outcome) outcome {
	v := s.view(dst, k)
	copy(v.point(v.n), s.goal.at(dst.First+k))
	l := newLattice(s.limit)
	meet, shortest := v.n, inf
	for h := 1; h <= v.n; h++ {
		if d := m.links[h].d.norm(); d < shortest {
			meet, shortest = h, d
		}
	}
	s.round(&v, m, 1, meet)
	for h := v.n - 1; h >= meet; h-- {
		l.next(v.point(h), v.point(h+1), m.links[h].p)
	}
	if l.fits(v.point(meet-1), v.point(meet)) {
		return o
	}
	return s.roundWithin(dst, k, m, o)
}

// roundWithin is the second and third resort of roundPinned.
func (s *SpeedLimit) roundWithin(dst tensor.Batch, k int, m *linkage, o outcome) outcome {
	m.rewind()
	scale := m.scale()
	within := s.limit - 2*roundingStep(scale, s.dims)
	start, goal := m.links[0].p, vecOf(s.goal.at(dst.First+k))
	if n := float64(m.n); within > 0 && goal.sub(start).norm() < n*within {
		again := m.project(within, scale, true)
		again.iterations += o.iterations
		v := s.view(dst, k)
		for h := 1; h < v.n; h++ {
			at := m.links[h].p.array()
			roundNearest(v.point(h), at[:v.dims])
		}
		if finite(dst.Sample(k)) && s.excess(dst, k) <= 0 {
			return again
		}
	}
	s.straight(dst, k)
	o.status = IterationLimit
	return o
}
