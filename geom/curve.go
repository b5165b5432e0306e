package geom

// Curve is a motion on the clock: spans of equal duration, on each of them a cubic in
// time that is given by position and velocity at its two knots. Position and velocity
// are continuous; acceleration is linear on every span, and continuous as well where the
// curve comes from a [NaturalSpline].
//
// Before the first knot and after the last one it stands there.
type Curve struct {
	X    []Vec2  // positions at the knots
	V    []Vec2  // velocities there, per unit of time
	Step float64 // duration of a span, positive
}

// NaturalSpline returns the uniform cubic B-spline of some control points as a [Curve]
// with as many knots. The first and the last of them are where it begins and ends, at
// velocities start and end; those between are control points proper. Knot h is
//
//	x = (p_(h-1) + 4 p_h + p_(h+1)) / 6,  v = (p_(h+1) − p_(h-1)) / (2 step),
//
// where p_0 is not the first point s but (3s − p_1 + start·step)/2, so that the curve is
// at s with velocity start and its acceleration is free there; likewise at the end. There
// are three points or more.
//
// Source: de Boor, "A Practical Guide to Splines" (1978), chapter IX; the ends by the two
// conditions solved for the two control points outside.
func NaturalSpline(points []Vec2, step float64, start, end Vec2) Curve {
	n := len(points)
	p := append([]Vec2(nil), points...)
	p[0] = points[0].Scale(3).Sub(points[1]).Add(start.Scale(step)).Scale(0.5)
	p[n-1] = points[n-1].Scale(3).Sub(points[n-2]).Sub(end.Scale(step)).Scale(0.5)
	c := Curve{X: make([]Vec2, n), V: make([]Vec2, n), Step: step}
	c.X[0], c.V[0] = points[0], start
	c.X[n-1], c.V[n-1] = points[n-1], end
	for h := 1; h < n-1; h++ {
		c.X[h] = p[h-1].Add(p[h].Scale(4)).Add(p[h+1]).Scale(1.0 / 6)
		c.V[h] = p[h+1].Sub(p[h-1]).Scale(0.5 / step)
	}
	return c
}

// Spans returns the number of spans: one less than knots.
func (c Curve) Spans() int { return len(c.X) - 1 }

// Duration returns how long the curve takes.
func (c Curve) Duration() float64 { return float64(c.Spans()) * c.Step }

// Span returns the four points whose hull holds the curve from knot h to the next.
func (c Curve) Span(h int) Bezier {
	third := c.Step / 3
	return Bezier{c.X[h], c.X[h].Add(c.V[h].Scale(third)), c.X[h+1].Sub(c.V[h+1].Scale(third)), c.X[h+1]}
}

// At returns where the curve is at a time, how fast, and its acceleration: at a knot that
// of the span that begins there.
func (c Curve) At(time float64) (x, v, a Vec2) {
	switch {
	case !(time >= 0):
		return c.X[0], Vec2{}, Vec2{}
	case time > c.Duration():
		return c.X[len(c.X)-1], Vec2{}, Vec2{}
	}
	h := min(int(time/c.Step), c.Spans()-1)
	b := c.Span(h)
	t := min(max(time/c.Step-float64(h), 0), 1)
	return b.At(t), b.Velocity(t).Scale(1 / c.Step), b.Acceleration(t).Scale(1 / (c.Step * c.Step))
}

// Bezier is a cubic of a parameter from 0 to 1 that lies in the hull of four points: at
// the first one it begins, at the last one it ends, and the others lie along its
// velocities there.
type Bezier [4]Vec2

// At returns the point at t.
func (b Bezier) At(t float64) Vec2 {
	first, _ := b.split(t)
	return first[3]
}

// Velocity returns the derivative at t.
func (b Bezier) Velocity(t float64) Vec2 {
	d := [3]Vec2{b[1].Sub(b[0]), b[2].Sub(b[1]), b[3].Sub(b[2])}
	return d[0].Lerp(d[1], t).Lerp(d[1].Lerp(d[2], t), t).Scale(3)
}

// Acceleration returns the second derivative at t: it is linear in t.
func (b Bezier) Acceleration(t float64) Vec2 {
	from := b[0].Sub(b[1]).Add(b[2].Sub(b[1]))
	to := b[1].Sub(b[2]).Add(b[3].Sub(b[2]))
	return from.Lerp(to, t).Scale(6)
}

// Halves returns the two halves of the curve: their hulls lie within that of the whole,
// and nearer to the curve.
func (b Bezier) Halves() (first, second Bezier) { return b.split(0.5) }

// split returns the curve up to t and from there, by de Casteljau's construction.
func (b Bezier) split(t float64) (first, second Bezier) {
	p, q, r := b[0].Lerp(b[1], t), b[1].Lerp(b[2], t), b[2].Lerp(b[3], t)
	s, u := p.Lerp(q, t), q.Lerp(r, t)
	m := s.Lerp(u, t)
	return Bezier{b[0], p, s, m}, Bezier{m, u, r, b[3]}
}

// Between returns the curve from one parameter to a later one.
func (b Bezier) Between(from, to float64) Bezier {
	if to < 1 {
		b, _ = b.split(to)
	}
	if from > 0 {
		_, b = b.split(from / to)
	}
	return b
}

// Sub returns the curve as seen from another one: the difference of two motions.
func (b Bezier) Sub(c Bezier) Bezier {
	for k := range b {
		b[k] = b[k].Sub(c[k])
	}
	return b
}

// Bounds returns the smallest box around the four points.
func (b Bezier) Bounds() Box { return around(b[:]) }

// Straight returns the steady motion from one point to another.
func Straight(from, to Vec2) Bezier {
	return Bezier{from, from.Lerp(to, 1.0/3), from.Lerp(to, 2.0/3), to}
}
