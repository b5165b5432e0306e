package route

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// late returns by how many steps two bodies may be apart in time.
func (t Task) late() int { return int(math.Ceil(t.Lateness)) }

// nearLate returns by how much one that moves straight from p to q on step h comes nearer than a
// distance to a body that is at most so many steps earlier or later than it should be; at most 0
// is not at all.
func (c Course) nearLate(p, q geom.Vec2, h, late int, distance float64) float64 {
	most := math.Inf(-1)
	own := geom.Segment{A: p, B: q}
	for k := max(h-late, 0); k <= min(h+late, len(c.Path)-2); k++ {
		other := geom.Segment{A: c.Path[k], B: c.Path[k+1]}
		if far := distance + p.Dist(q) + other.A.Dist(other.B); math.Abs(p.X-other.A.X) > far || math.Abs(p.Y-other.A.Y) > far {
			continue
		}
		most = max(most, distance-between(own, other))
	}
	return most
}

// between returns the distance of two segments.
func between(s, t geom.Segment) float64 {
	if s.Crosses(t) {
		return 0
	}
	return min(s.Distance(t.A), s.Distance(t.B), t.Distance(s.A), t.Distance(s.B))
}
