package separation

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thirds"
)

// Robots that turn like vehicles: how fast their heading changes, which is that of their
// velocity, |v×a|/|v|², and how tightly, |v×a|/|v|³.

// turns reports whether the turning of a robot is limited.
func (r Robot) turns() bool {
	return r.TurnRate > 0 || r.TurningRadius > 0 || r.Headings[0] != nil || r.Headings[1] != nil
}

// onTheSpot reports whether a robot may turn where it stands, as a differential drive does.
func (r Robot) onTheSpot() bool { return r.TurnRate > 0 && r.TurningRadius == 0 }

// judgeTurning measures how robot i turns.
func (w *World) judgeTurning(v *Verdict, i int, c geom.Curve) {
	r := w.Robots[i]
	if !r.turns() {
		return
	}
	for h := range c.Spans() {
		b := displacement(c, h)
		if r.TurnRate > 0 {
			v.offer(Turning, Margin{Value: r.turnMargin(b), Robot: i, Other: -1, Segment: h, reach: r.Radius})
		}
		if r.TurningRadius > 0 {
			v.offer(Curvature, Margin{Value: r.curvatureMargin(b), Robot: i, Other: -1, Segment: h, reach: r.Radius * r.TurningRadius})
		}
	}
	w.judgeRests(v, i, c)
	for k, e := range r.Headings {
		if e != nil {
			v.offer(Heading, Margin{Value: headingRoom - r.headingError(c, k == 1), Robot: i, Other: -1, Segment: k * (c.Spans() - 1), reach: r.Radius})
		}
	}
}

// displacement returns the points of span h of a curve as they lie from its first one. They keep the
// digits of a small step that coordinates far from zero have no room for.
func displacement(c geom.Curve, h int) geom.Bezier {
	third, gone := c.Step/3, c.X[h+1].Sub(c.X[h])
	return geom.Bezier{{}, c.V[h].Scale(third), gone.Sub(c.V[h+1].Scale(third)), gone}
}

// lookedAt is how many instants of a span tell by how much a limit is kept or not, before the least is looked for
// around the best of them; whether it is kept is decided for all of them.
const lookedAt = 16

// turnMargin returns the least room that a span leaves to the turn rate.
func (r Robot) turnMargin(b geom.Bezier) float64 {
	return agreed(r.TurnRate-r.sharpest(b, 2), 1, r.withinTurnRate(b, 1, turnDepth) && r.withinTurnRate(b, -1, turnDepth))
}

// curvatureMargin is the same of the curvature.
func (r Robot) curvatureMargin(b geom.Bezier) float64 {
	return agreed(1/r.TurningRadius-r.sharpest(b, 3), 1/r.TurningRadius, r.withinCurvature(b, turnDepth))
}

// sharpest returns the largest |v×a|/|v|^power on a span, but for where it has hardly left a place of rest.
func (r Robot) sharpest(b geom.Bezier, power float64) float64 {
	less := func(t float64) float64 {
		v, cross := turnAt(b, t)
		if v == 0 {
			return 0
		}
		return -math.Abs(cross) / math.Pow(v, power)
	}
	from, to := 0.0, 1.0
	if b[0] == b[1] {
		from = leaves(b, hardly*r.Radius)
	}
	if b[2] == b[3] {
		to = 1 - leaves(geom.Bezier{b[3], b[2], b[1], b[0]}, hardly*r.Radius)
	}
	if from >= to {
		return 0
	}
	near, _, least := thirds.Least(less, from, to, lookedAt, 40)
	return -min(least, less(near))
}

// agreed returns an estimate of a margin, in some unit, with the sign that was decided.
func agreed(margin, unit float64, kept bool) float64 {
	if kept {
		return max(margin, 0)
	}
	return min(margin, -1e-9*unit)
}

// turnAt returns the speed at a parameter, and velocity times acceleration.
func turnAt(b geom.Bezier, t float64) (speed, cross float64) {
	v := b.Velocity(t)
	return v.Norm(), v.Cross(b.Acceleration(t))
}

// turnDepth is how often a span is halved to decide.
const turnDepth = 12

// withinTurnRate decides whether limit·|v|² − side·(v×a) is nowhere negative on a span, which is
// a polynomial of degree 4 in the basis of Bernstein, but for where it has hardly left a place of rest.
func (r Robot) withinTurnRate(b geom.Bezier, side float64, depth int) bool {
	d := velocities(b)
	square := squares(d)
	cross := crosses(d)
	// The product of velocity and acceleration is of degree 2: twice raised.
	raised := [5]float64{cross[0], (cross[0] + cross[1]) / 2, (cross[0] + 4*cross[1] + cross[2]) / 6, (cross[1] + cross[2]) / 2, cross[2]}
	size := 0.0
	for _, s := range square {
		size = max(size, math.Abs(s))
	}
	least, ends := math.Inf(1), math.Inf(1)
	for k := range square {
		f := r.TurnRate*square[k] - side*raised[k]
		least = min(least, f)
		if k == 0 || k == 4 {
			ends = min(ends, f)
		}
	}
	blur := -0x1p-40 * r.TurnRate * size
	switch {
	case least >= blur || r.hardlyLeft(b):
		return true
	case ends < blur || depth == 0:
		return false
	}
	first, second := b.Halves()
	// A half takes half the time: its velocity is half, its product with the acceleration an eighth.
	half := r
	half.TurnRate /= 2
	return half.withinTurnRate(first, side, depth-1) && half.withinTurnRate(second, side, depth-1)
}

// hardly is the part of its radius within which decimals do not tell how a robot leaves a place of rest.
const hardly = 1e-4

// leaves returns the parameter at which a span that begins at rest is some way from there, 1 for one that is not.
func leaves(b geom.Bezier, way float64) float64 {
	lo, hi := 0.0, 1.0
	for range 50 {
		if m := (lo + hi) / 2; b.At(m).Dist(b[0]) > way {
			hi = m
		} else {
			lo = m
		}
	}
	return hi
}

// hardlyLeft reports whether a piece begins or ends at rest and moves so little that decimals do not
// tell how it turns.
func (r Robot) hardlyLeft(b geom.Bezier) bool {
	return (b[0] == b[1] || b[2] == b[3]) && b.Bounds().Size().Norm() <= hardly*r.Radius
}

// withinCurvature decides whether |v×a| ≤ |v|³/radius on a span, but for where it has hardly left a
// place of rest.
func (r Robot) withinCurvature(b geom.Bezier, depth int) bool {
	d := velocities(b)
	cross, square := crosses(d), squares(d)
	most, slowest := 0.0, math.Inf(1)
	for _, c := range cross {
		most = max(most, math.Abs(c))
	}
	for _, s := range square {
		slowest = min(slowest, s)
	}
	slowest = math.Sqrt(max(slowest, 0))
	switch {
	case most*r.TurningRadius <= slowest*slowest*slowest*(1+0x1p-40):
		return true
	case r.hardlyLeft(b):
		return true
	case depth == 0:
		return false
	}
	first, second := b.Halves()
	return r.withinCurvature(first, depth-1) && r.withinCurvature(second, depth-1)
}

// velocities returns the three points of the hull of velocities of a span.
func velocities(b geom.Bezier) [3]geom.Vec2 {
	return [3]geom.Vec2{b[1].Sub(b[0]).Scale(3), b[2].Sub(b[1]).Scale(3), b[3].Sub(b[2]).Scale(3)}
}

// squares returns the coefficients of |v|².
func squares(d [3]geom.Vec2) [5]float64 {
	return [5]float64{d[0].Dot(d[0]), d[0].Dot(d[1]), (d[0].Dot(d[2]) + 2*d[1].Dot(d[1])) / 3, d[1].Dot(d[2]), d[2].Dot(d[2])}
}

// crosses returns those of v×a.
func crosses(d [3]geom.Vec2) [3]float64 {
	return [3]float64{2 * d[0].Cross(d[1]), d[0].Cross(d[2]), 2 * d[1].Cross(d[2])}
}

// A heading is kept to a hundredth of a radian, where a robot has left its place by a hundredth
// of its radius.
const (
	headingRoom = 0.01
	headingAway = 0.01
)

// headingError returns by which angle a robot leaves its start, or comes to its end, in another
// direction than given, less what it turns while it stands there. One that stays turns from one
// to the other.
func (r Robot) headingError(c geom.Curve, atEnd bool) float64 {
	const parts = 64
	n, at, given, other := c.Spans(), c.X[0], r.Headings[0], r.Headings[1]
	if atEnd {
		at, given, other = c.X[n], other, given
	}
	for k := 1; k <= n*parts; k++ {
		t := float64(k) / parts
		if atEnd {
			t = float64(n) - t
		}
		h := min(int(t), n-1)
		b := displacement(c, h)
		if b.At(t-float64(h)).Dist(at.Sub(c.X[h])) < headingAway*r.Radius {
			continue
		}
		return r.turnedLess(*given, b.Velocity(t-float64(h)), restsAt(c, atEnd))
	}
	if other != nil {
		return r.turnedLess(*given, *other, n)
	}
	return 0
}

// hullLinesOfTurns adds the lines of turning about the present iterate: the change of a step
// across its direction is bounded by what the speed there lets it be. Where a robot leaves a place or
// comes to one, its way is straight for two waypoints, along its heading if that is given.
func (w *World) hullLinesOfTurns(l *lineMaker) {
	n := l.s.start.waypoints
	for i, r := range w.Robots {
		if !r.turns() || !l.s.moves(i) {
			continue
		}
		p := func(h int) geom.Vec2 { return geom.Vec2{X: l.s.ext[2*i][h+1], Y: l.s.ext[2*i+1][h+1]} } // from -1 to n
		for h := 0; h < n && (r.TurnRate > 0 || r.TurningRadius > 0); h++ {
			d := p(h + 1).Sub(p(h - 1)).Scale(0.5)
			speed := d.Norm()
			if speed == 0 {
				continue
			}
			most := math.Inf(1)
			if r.TurnRate > 0 {
				most = r.TurnRate * speed
			}
			if r.TurningRadius > 0 {
				most = min(most, speed*speed/r.TurningRadius)
			}
			across := geom.Vec2{X: -d.Y, Y: d.X}.Scale(1 / speed)
			if change := p(h - 1).Add(p(h + 1)).Sub(p(h).Scale(2)); math.Abs(change.Dot(across)) < 0.5*most {
				continue
			}
			l.turn(i, changeRow(h), across, turnReserve*most, 8*h)
		}
		for k, e := range r.Headings {
			l.straightEnd(i, k, e, r, p)
		}
	}
}

// turnReserve is the part of the turning that lines leave for instants between waypoints.
const turnReserve = 0.9

// turn adds two lines: a row is within most of zero along a direction.
func (l *lineMaker) turn(i int, of row, across geom.Vec2, most float64, key int) {
	fold := of.folded(l.s.start.waypoints)
	l.put(lineKey{i, -1, -1, key}, hullLine{n: across, bound: -most, i: int32(i), j: -1, point: &of, fold: &fold})
	l.put(lineKey{i, -1, -1, key + 1}, hullLine{n: across.Scale(-1), bound: -most, i: int32(i), j: -1, point: &of, fold: &fold})
}

// straightEnd keeps the two waypoints nearest to an end on a line through it.
func (l *lineMaker) straightEnd(i, k int, heading *geom.Vec2, r Robot, p func(h int) geom.Vec2) {
	if r.Held[k] > 0 && r.onTheSpot() {
		heading = nil // it turns first
	}
	n := l.s.start.waypoints
	inner := func(m int) int { // the m-th free waypoint from that end
		if k == 1 {
			return n - 1 - m
		}
		return m
	}
	end := l.s.start.at(i, k*(n-1))
	first := 1
	for first < n-3 && p(inner(first)).Dist(end) < 1e-3*r.Radius { // as long as it stays there
		first++
	}
	e := p(inner(first + 1)).Sub(end)
	if k == 1 {
		e = e.Scale(-1)
	}
	if heading != nil {
		e = *heading
	} else if r.TurningRadius == 0 && r.TurnRate == 0 || e.Norm() == 0 {
		return
	}
	e = e.Scale(1 / e.Norm())
	across := geom.Vec2{X: -e.Y, Y: e.X}
	for m := first; m <= first+1; m++ {
		h := inner(m)
		of := row{h, [3]float64{0, 1, 0}} // p_h
		fold := of.folded(n)
		key := 8*(n+4*k+m-first) + 2
		for side, s := range [2]float64{1, -1} {
			nrm := across.Scale(s)
			l.put(lineKey{i, -1, -1, key + side}, hullLine{n: nrm, bound: nrm.Dot(end), i: int32(i), j: -1, point: &of, fold: &fold})
		}
		if heading != nil && m == first { // forwards
			ahead := e
			if k == 1 {
				ahead = e.Scale(-1)
			}
			least := 0.02 * r.Radius
			if r.Change > 0 {
				least = min(least, 0.1*r.Change*r.unit(0))
			}
			l.put(lineKey{i, -1, -1, key + 2}, hullLine{n: ahead, bound: ahead.Dot(end) + least, i: int32(i), j: -1, point: &of, fold: &fold})
		}
	}
}
