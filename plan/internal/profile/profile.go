package profile

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// Along a straight line from rest to rest the fastest curve takes steps between its control
// points that are as long as both limits allow from either end: min(v, a(h+½), a(n−2−h+½)) for
// step h of n−1, in units of time steps. It is nearer to the best motion in continuous time than
// a thousandth, but for a robot without an acceleration limit, which takes two thirds of a
// step longer. See [geom.NaturalSpline].

// Profile is the longest steps of a curve from rest to rest.
type Profile struct {
	Steps  []float64 // lengths between control points
	Reach  float64   // how far the curve gets
	inside bool
}

// Fastest returns the profile of so many steps, with a highest speed of step and a highest acceleration of
// change, both per time step, that arrives with the last of them: within a curve that goes on to rest there,
// or at its end. Either limit may be +Inf.
func Fastest(steps int, step, change float64, inside bool) Profile {
	p := Profile{Steps: make([]float64, steps), inside: inside}
	for h := range p.Steps {
		left := float64(steps-1-h) + 0.5
		if inside {
			left += 0.5
		}
		p.Steps[h] = min(step, change*(float64(h)+0.5), change*left)
		p.Reach += p.Steps[h] * p.share(h)
	}
	return p
}

// Even returns the profile of a robot without limits.
func Even(steps int, inside bool) Profile { return Fastest(steps, 1, math.Inf(1), inside) }

// share is what a step between control points counts for the way: the natural ends take a third
// of the first and of the last one.
func (p Profile) share(h int) float64 {
	c := 1.0
	if h == 0 {
		c -= 1.0 / 3
	}
	if h == len(p.Steps)-1 && !p.inside {
		c -= 1.0 / 3
	}
	return c
}

// Spread returns a line's beginning, and where it is after each of the steps but the last, stretched to the
// length of the line: the control points of a curve along it, but for its end.
func (p Profile) Spread(line []geom.Vec2) []geom.Vec2 {
	way := geom.Length(line)
	at, out := 0.0, []geom.Vec2{line[0]}
	for h, d := range p.Steps[:len(p.Steps)-1] {
		at += d * p.share(h) * way / p.Reach
		out = append(out, Along(line, at))
	}
	return out
}

// Straight is Spread on the straight line between two points, its end included.
func (p Profile) Straight(from, to geom.Vec2) []geom.Vec2 {
	at, out := 0.0, []geom.Vec2{from}
	for h, d := range p.Steps[:len(p.Steps)-1] {
		at += d * p.share(h) / p.Reach
		out = append(out, from.Lerp(to, at))
	}
	return append(out, to)
}

// Along returns the point of a polyline at a distance along it.
func Along(line []geom.Vec2, at float64) geom.Vec2 {
	for k := 1; k < len(line); k++ {
		d := line[k].Dist(line[k-1])
		if at <= d && d > 0 {
			return line[k-1].Lerp(line[k], at/d)
		}
		at -= d
	}
	return line[len(line)-1]
}

// Least returns the least time between control points in which so many steps reach the end of a way, within limits
// of speed and acceleration; 0 without limits.
func Least(steps int, speed, acceleration, way float64) float64 {
	if way == 0 || math.IsInf(speed, 1) && math.IsInf(acceleration, 1) {
		return 0
	}
	far := func(dt float64) bool { return Fastest(steps, speed*dt, acceleration*dt*dt, false).Reach >= way }
	high := 1.0
	for !far(high) {
		high *= 2
	}
	for low := 0.0; high-low > 1e-12*high; {
		if mid := (low + high) / 2; far(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}
