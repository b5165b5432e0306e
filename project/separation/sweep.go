package separation

// sweep finds the pairs of bodies that come near each other, segment by segment:
// it sorts the boxes around their ways by the left side and compares those that
// overlap. The order is kept from one segment to the next, where it hardly changes.
type sweep struct {
	order                  []int
	left, right, low, high []float64
}

func newSweep(bodies int) *sweep {
	s := &sweep{
		order: make([]int, bodies), left: make([]float64, bodies), right: make([]float64, bodies),
		low: make([]float64, bodies), high: make([]float64, bodies),
	}
	for i := range s.order {
		s.order[i] = i
	}
	return s
}

// pairs calls f for every pair i < j of which one is a robot and whose surfaces may
// be nearer than reach·(sum of their radii) + beyond on segment h.
func (s *sweep) pairs(w *World, p *paths, h int, reach, beyond float64, f func(i, j int)) {
	for i := range s.order {
		a, b := p.at(i, h), p.at(i, h+1)
		grow := w.radius(i)*(1+reach) + beyond/2
		s.left[i], s.right[i] = min(a.X, b.X)-grow, max(a.X, b.X)+grow
		s.low[i], s.high[i] = min(a.Y, b.Y)-grow, max(a.Y, b.Y)+grow
	}
	s.sort()
	for k, i := range s.order {
		for _, j := range s.order[k+1:] {
			if s.left[j] > s.right[i] {
				break
			}
			if s.low[j] > s.high[i] || s.low[i] > s.high[j] {
				continue
			}
			if lo, hi := min(i, j), max(i, j); lo < len(w.Robots) {
				f(lo, hi)
			}
		}
	}
}

// sort is an insertion sort: the order is nearly right.
func (s *sweep) sort() {
	for k := 1; k < len(s.order); k++ {
		i := s.order[k]
		at := k
		for ; at > 0 && s.before(i, s.order[at-1]); at-- {
			s.order[at] = s.order[at-1]
		}
		s.order[at] = i
	}
}

// before orders bodies by their left sides, and by number where these are equal.
func (s *sweep) before(i, j int) bool {
	return s.left[i] < s.left[j] || s.left[i] == s.left[j] && i < j
}
