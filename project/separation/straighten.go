package separation

import "github.com/go-pcd/pcd/geom"

// straighten puts the waypoints beside both ends of a path onto the lines of the headings that a robot has there,
// which a repair leaves them near to: on the first span it then looks as it is to, to rounding. Who turns where
// it stands needs none.
func (r Robot) straighten(p *paths, i int) {
	n := p.waypoints
	for k, heading := range r.Headings {
		if heading == nil || heading.Norm() == 0 || r.Held[k] > 0 && r.onTheSpot() {
			continue
		}
		end, ahead := p.at(i, k*(n-1)), heading.Scale(1/heading.Norm())
		if k == 1 {
			ahead = ahead.Scale(-1)
		}
		along, beside := 0.0, 0
		for m := 1; m < n-1 && beside < 2; m++ {
			h := m
			if k == 1 {
				h = n - 1 - m
			}
			d := p.at(i, h).Sub(end)
			if d.Norm() >= 1e-3*r.Radius { // not there any more
				beside++
			}
			along = max(along, d.Dot(ahead))
			if d.Dist(ahead.Scale(along)) > 0.1*(along+r.Radius) {
				break // far from a solution
			}
			p.set(i, h, end.Add(ahead.Scale(along)))
		}
	}
}

func (p *paths) set(body, h int, to geom.Vec2) {
	at := 2*body*p.waypoints + h
	p.x[at], p.x[at+p.waypoints] = to.X, to.Y
}
