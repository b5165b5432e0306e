package separation

import (
	"sort"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// strips holds the motions of a curved world span by span, each as the hull of its points.
// Traffic follows the robots.
type strips struct {
	spans int
	rest  int             // spans after the last knot, in which robots rest and traffic goes on
	hulls [][]geom.Bezier // of robots, by span
	blur  [][]float64     // by how much rounding may have moved their points, see [gaps.RoundingOf]
	other [][]strip       // of traffic, in order of time
}

// strip is a piece of the motion of traffic.
type strip struct {
	from, to float64 // counted in waypoints, within one span
	hull     geom.Bezier
	blur     float64
}

// strips returns the motions of robots on some curves, and of the traffic.
func (w *World) strips(curves []geom.Curve) *strips {
	s := &strips{spans: curves[0].Spans()}
	for _, c := range curves {
		hulls, blur := make([]geom.Bezier, s.spans), make([]float64, s.spans)
		for h := range s.spans {
			hulls[h], blur[h] = c.Span(h), gaps.RoundingOf(c, h)
		}
		s.hulls, s.blur = append(s.hulls, hulls), append(s.blur, blur)
	}
	for _, m := range w.Traffic {
		s.other = append(s.other, m.strips())
	}
	s.rest = w.rest(s.spans)
	return s
}

// hull returns the points of a robot on span h, which may be after its last knot.
func (s *strips) hull(i, h int) geom.Bezier {
	if h < s.spans {
		return s.hulls[i][h]
	}
	end := s.hulls[i][s.spans-1][3]
	return geom.Bezier{end, end, end, end}
}

// rest returns for how many spans after so many traffic goes on.
func (w *World) rest(spans int) (longest int) {
	for _, m := range w.Traffic {
		if n := len(m.Times); n > 0 {
			longest = max(longest, int(m.Times[n-1])-spans)
		}
	}
	return longest
}

// strips returns the pieces of a mover.
func (m Mover) strips() (out []strip) {
	for k := range len(m.Path) - 1 {
		piece := strip{from: float64(k), to: float64(k + 1), hull: geom.Straight(m.Path[k], m.Path[k+1])}
		if m.Times != nil {
			piece.from, piece.to = m.Times[k], m.Times[k+1]
		}
		knots := geom.Curve{X: m.Path[k : k+2], V: make([]geom.Vec2, 2), Step: piece.to - piece.from}
		if m.Steps != nil {
			knots.V = m.Steps[k : k+2]
			piece.hull = knots.Span(0)
		}
		piece.blur = gaps.RoundingOf(knots, 0)
		out = append(out, piece)
	}
	return out
}

// on returns the pieces of body j of traffic on span h.
func (s *strips) on(j, h int) []strip {
	all := s.other[j-len(s.hulls)]
	from := sort.Search(len(all), func(k int) bool { return all[k].from >= float64(h) })
	to := sort.Search(len(all), func(k int) bool { return all[k].from >= float64(h+1) })
	return all[from:to]
}

// bounds returns the box of a body on span h.
func (s *strips) bounds(i, h int) geom.Box {
	if i < len(s.hulls) {
		return s.hull(i, h).Bounds()
	}
	pieces := s.on(i, h)
	if len(pieces) == 0 { // it rests
		all := s.other[i-len(s.hulls)]
		end := all[len(all)-1].hull[3]
		return geom.Box{Min: end, Max: end}
	}
	b := pieces[0].hull.Bounds()
	for _, p := range pieces[1:] {
		b = b.Join(p.hull.Bounds())
	}
	return b
}

// seen calls f for the pieces of the motion of robot i seen from body j on span h: one,
// unless j is traffic with times of its own. own is the piece of the robot.
func (s *strips) seen(i, j, h int, f func(own geom.Bezier, of strip)) {
	whole := s.hull(i, h)
	if j < len(s.hulls) {
		f(whole, strip{float64(h), float64(h + 1), whole.Sub(s.hulls[j][h]), s.blur[i][h] + s.blur[j][h]})
		return
	}
	pieces := s.on(j, h)
	blur := s.blur[i][min(h, s.spans-1)]
	if len(pieces) > 1 {
		blur *= 3 // cutting rounds twice as often as halving does
	}
	for _, p := range pieces {
		own := whole.Between(p.from-float64(h), p.to-float64(h))
		f(own, strip{p.from, p.to, own.Sub(p.hull), blur + p.blur})
	}
}
