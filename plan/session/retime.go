package session

import (
	"github.com/go-pcd/pcd/geom"
)

// Ways along curves that robots left are driven on with other times. Their knots are new ones on the same curves, and so
// hardly change how tightly these turn; waypoints that curves are made of would cut every bend.

// paces are the parts of the speed of a plan at which its rest is driven: at half of it knots are twice as dense.
var paces = []float64{1, 0.5}

// retimed returns the rest of the ways of a plan along curves that robots left, from where they are, gaining speed sooner or
// later.
func (at situation) retimed(course *Plan) (out [][]geom.Curve) {
	if course == nil || course.Curves == nil || len(at.halted) > 0 {
		return nil
	}
	ways, from, ok := at.onCourse(course)
	if !ok {
		return nil
	}
	for _, most := range paces {
		for _, ramp := range ramps {
			var curves []geom.Curve
			for i := range ways {
				if c, ok := at.retimedWay(i, ways[i], from[i], law{ramp: ramp, most: most}); ok {
					curves = append(curves, c)
				}
			}
			if len(curves) == len(ways) {
				out = append(out, curves)
			}
		}
	}
	return out
}

// law is how time passes on a way: from one pace it reaches another one within some steps, and keeps it.
type law struct {
	first, most float64
	ramp        int
}

// at returns the pace after some steps, and how many steps of the way have passed by then.
func (l law) at(steps int) (pace, passed float64) {
	rising := float64(min(steps, l.ramp))
	pace = l.first + (l.most-l.first)*rising/float64(l.ramp)
	return pace, rising*(l.first+pace)/2 + float64(steps-min(steps, l.ramp))*l.most
}

// arriving returns the law that has the given steps behind it after a whole number of its own, with the largest pace that
// is not above that of l.
func (l law) arriving(steps float64, most int) (law, int, bool) {
	for n := 1; n <= most; n++ {
		if _, passed := l.at(n); passed < steps {
			continue
		}
		lo, hi := 0.0, l.most
		for range 60 {
			l.most = (lo + hi) / 2
			if _, passed := l.at(n); passed < steps {
				lo = l.most
			} else {
				hi = l.most
			}
		}
		l.most = hi
		return l, n, true
	}
	return l, 0, false
}

// retimedWay returns the way of robot i from a time of it on; false where it does not arrive in time.
func (at situation) retimedWay(i int, w way, from float64, l law) (geom.Curve, bool) {
	t, r := at.team, at.team.Robots[i]
	f, c := t.TaskFrame(), standing(t, i)
	end := w.end()
	if c.X[0].Dist(end) <= sameGoal*t.RadiusOf(r) && r.StartVelocity == (geom.Vec2{}) {
		return c, true
	}
	c.V[0] = r.StartVelocity.Scale(f.Scale)
	if _, v := w.at(from); v != (geom.Vec2{}) {
		l.first = min(l.most, c.V[0].Norm()/v.Norm())
	}
	l, steps, ok := l.arriving((w.arrival()-from)/w.step, len(c.X)-1)
	if !ok {
		return c, false
	}
	for h := 1; h < len(c.X); h++ {
		c.X[h], c.V[h] = end, geom.Vec2{}
		if h < steps {
			pace, passed := l.at(h)
			x, v := w.at(from + passed*w.step)
			c.X[h], c.V[h] = x, v.Scale(pace)
		}
	}
	return c, true
}

// arrival returns when a robot comes to the end of its way along a curve.
func (w way) arrival() float64 {
	n := w.curve.Spans()
	for n > 0 && w.curve.X[n-1] == w.curve.X[n] && w.curve.V[n-1] == (geom.Vec2{}) {
		n--
	}
	return float64(n) * w.step
}
