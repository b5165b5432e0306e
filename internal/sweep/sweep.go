// Package sweep finds the pairs of boxes that overlap, of bodies that move a little from
// one question to the next.
package sweep

import "github.com/go-pcd/pcd/geom"

// Sweep sorts boxes by their left sides and compares those that overlap from left to
// right. It keeps the order from one call to the next, where it hardly changes.
type Sweep struct {
	order []int
	boxes []geom.Box
}

// New returns a sweep of so many boxes.
func New(bodies int) *Sweep {
	s := &Sweep{order: make([]int, bodies), boxes: make([]geom.Box, bodies)}
	for i := range s.order {
		s.order[i] = i
	}
	return s
}

// Pairs calls f once for every pair i < j whose boxes overlap or touch.
func (s *Sweep) Pairs(box func(i int) geom.Box, f func(i, j int)) {
	for i := range s.boxes {
		s.boxes[i] = box(i)
	}
	s.sort()
	for k, i := range s.order {
		a := &s.boxes[i]
		for _, j := range s.order[k+1:] {
			b := &s.boxes[j]
			if b.Min.X > a.Max.X {
				break
			}
			if b.Min.Y > a.Max.Y || a.Min.Y > b.Max.Y {
				continue
			}
			f(min(i, j), max(i, j))
		}
	}
}

// sort is an insertion sort: the order is nearly right.
func (s *Sweep) sort() {
	for k := 1; k < len(s.order); k++ {
		i := s.order[k]
		at := k
		for ; at > 0 && s.before(i, s.order[at-1]); at-- {
			s.order[at] = s.order[at-1]
		}
		s.order[at] = i
	}
}

// before orders boxes by their left sides, and by number where these are equal.
func (s *Sweep) before(i, j int) bool {
	a, b := s.boxes[i].Min.X, s.boxes[j].Min.X
	return a < b || a == b && i < j
}
