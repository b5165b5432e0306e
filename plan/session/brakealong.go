package session

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
)

// Who brakes along a bend, on its way or late on it, needs the curve itself: straight ahead there may be a wall, and
// waypoints of other times make another curve, which cuts the bend or turns too tightly.

// gentler are shares of the acceleration with which robots brake along curves, of what a bend leaves of their limits.
var gentler = []float64{0.95, 0.8, 0.6, 0.4, 0.25}

// brakedAlong returns motions on which all robots brake along the curves of the plan before, from the hardest braking on. Robots
// that are late on it or nearly on it do so beside it, as far from it as they are; there is none where one is elsewhere.
func (at situation) brakedAlong() (out [][]geom.Curve) {
	if at.before == nil || at.before.Curves == nil || at.team.Motion == plan.Polyline {
		return nil
	}
	for _, share := range gentler {
		var curves []geom.Curve
		for k := range at.team.Robots {
			c, ok := at.brakedOn(k, share)
			if !ok {
				return out
			}
			curves = append(curves, c)
		}
		out = append(out, curves)
	}
	return out
}

// brakedOn returns the curve of robot k that comes to rest on its way; false where it is elsewhere, or would not rest in time.
func (at situation) brakedOn(k int, share float64) (geom.Curve, bool) {
	c, r, f := standing(at.team, k), at.team.Robots[k], at.team.TaskFrame()
	if at.who[k] < 0 || r.StartVelocity == (geom.Vec2{}) {
		return c, true
	}
	w, from := wayOf(at.before, at.who[k]), at.left
	if at.off[k] {
		var far float64
		if from, far = w.nearest(c.X[0]); far > onCourse*at.team.RadiusOf(r) {
			return c, false
		}
	}
	x, _ := w.at(from)
	c.V[0] = r.StartVelocity.Scale(f.Scale)
	beside, walk := c.X[0].Sub(x), walk{way: w, t: from}
	most, speed, length := at.team.AccelerationOf(r), c.V[0].Norm(), 0.0
	for h := 1; h < len(c.X); h++ {
		next := speed - share*walk.left(most, speed)*w.step
		length += (speed + next) / 2 * w.step
		p, v := walk.to(length)
		if most == 0 || next <= 0 || v == (geom.Vec2{}) {
			// A span to rest that bends has no bound of its curvature: the last one is straight.
			end := c.X[h-1].Add(c.V[h-1].Scale(w.step / 2))
			for ; h < len(c.X); h++ {
				c.X[h], c.V[h] = end, geom.Vec2{}
			}
			return c, true
		}
		c.X[h], c.V[h], speed = p.Add(beside), v.Scale(next/v.Norm()), next
	}
	return c, false
}

// walk goes along a way by lengths that grow.
type walk struct {
	way
	t, gone float64
}

// left returns what the bend within the next step leaves of a limit of acceleration at a speed, an eighth of it at least.
func (w *walk) left(most, speed float64) float64 {
	bend := 0.0
	for _, ahead := range [3]float64{0, 0.5, 1} {
		if _, v, a := w.curve.At(w.t + ahead*w.step); v != (geom.Vec2{}) {
			bend = max(bend, math.Abs(v.Cross(a))/math.Pow(v.Norm(), 3)*speed*speed)
		}
	}
	return max(most/8, math.Sqrt(max(0, most*most-bend*bend)))
}

// to returns where a length of the way has been gone, or its end, and the velocity that the way has there.
func (w *walk) to(length float64) (x, v geom.Vec2) {
	const looks = 16 // a step
	end := float64(w.last()) * w.step
	x, v = w.at(w.t)
	for w.gone < length && w.t < end {
		t := min(w.t+w.step/looks, end)
		y, u := w.at(t)
		d := y.Dist(x)
		if w.gone+d > length {
			t = w.t + (t-w.t)*(length-w.gone)/d
			w.t, w.gone = t, length
			return w.at(t)
		}
		w.t, w.gone, x, v = t, w.gone+d, y, u
	}
	return x, v
}
