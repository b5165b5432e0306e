package profile

import "github.com/go-pcd/pcd/geom"

// Chords returns a curve as a polyline that is as long, nearly.
func Chords(c geom.Curve) []geom.Vec2 {
	const parts = 8
	out := []geom.Vec2{c.X[0]}
	for h := range c.Spans() {
		b := c.Span(h)
		for k := 1; k <= parts; k++ {
			out = append(out, b.At(float64(k)/parts))
		}
	}
	return out
}

// Length returns the length of a curve, by chords so short that they are as long.
func Length(c geom.Curve) (sum float64) {
	const chords = 16
	for h := range c.Spans() {
		b := c.Span(h)
		at := b[0]
		for k := 1; k <= chords; k++ {
			next := b.At(float64(k) / chords)
			sum += at.Dist(next)
			at = next
		}
	}
	return sum
}

// Arrival returns the time, counted in knots, from which a curve stays at its end, to a
// thousandth of a radius; 0 for one that never leaves it.
func Arrival(c geom.Curve, radius float64) float64 {
	last := len(c.X) - 1
	h := last
	for h > 0 && c.X[h-1].Dist(c.X[last]) <= 1e-3*radius {
		h--
	}
	return float64(h)
}

// Hurried returns the control points of a curve that does the same up to its arrival in a part
// of the time, and stays at its end.
func Hurried(c geom.Curve, arrival, part float64) []geom.Vec2 {
	n := len(c.X)
	out := make([]geom.Vec2, n)
	for h := range out {
		out[h] = c.X[n-1]
		if at := float64(h) / part; at < arrival {
			out[h], _, _ = c.At(at * c.Step)
		}
	}
	return out
}
