package separation

import "github.com/go-pcd/pcd/geom"

// polishCurves brings robots that exceed a limit within all of theirs, by the solver
// without any lines, headings at its ends exactly to rounding, and rounds the waypoints to float32.
func (w *World) polishCurves(p *paths) {
	local := w.local()
	only := make([]bool, len(w.Robots))
	points := make([]geom.Vec2, p.waypoints)
	exceeding := func(at *paths) (any bool) {
		for i := range w.Robots {
			for h := range points {
				points[h] = at.at(i, h)
			}
			v := newVerdict()
			w.judgeLimits(&v, i, w.curve(i, points))
			only[i] = !(v[Speed].Value > 0 && v[Acceleration].Value > 0)
			any = any || only[i]
		}
		return any
	}
	straighten := func() {
		for i, r := range local.Robots {
			r.straighten(p, i)
		}
	}
	if straighten(); exceeding(p) {
		moved := append([]bool(nil), only...)
		s := newCurveSolver(local, p, moved)
		s.factor()
		for range smoothRounds {
			s.run(smoothIterations)
			if !exceeding(s.at) {
				break
			}
		}
		copy(p.x, s.at.x)
		straighten()
	}
	for i, r := range local.Robots {
		p.roundInner(i)
		if r.Ends != nil {
			p.end(i, *r.Ends)
		}
	}
}
