package main

import "math"

// joints is how many an arm has.
const joints = 3

// arm is a chain of links in the plane. The first angle is that of the first link to the x axis,
// the others are those of a link to the one before, in radians.
type arm struct {
	name  string
	base  [2]float64 // metres
	links [joints]float64
	// Limits of the angles today: some are tighter than what the demonstrations use.
	low, high [joints]float64
}

// arms are the two that share a table, mirror images of one another.
var arms = [2]arm{
	{"left", [2]float64{-0.6, 0}, [joints]float64{0.5, 0.4, 0.2}, [joints]float64{0.2, -1.7, -1.2}, [joints]float64{2.1, -0.8, 0.6}},
	{"right", [2]float64{0.6, 0}, [joints]float64{0.5, 0.4, 0.2}, [joints]float64{math.Pi - 2.1, 0.8, -0.6}, [joints]float64{math.Pi - 0.2, 1.7, 1.2}},
}

// points returns the places of the joints and of the hand.
func (a arm) points(q []float64) (out [joints + 1][2]float64) {
	out[0] = a.base
	angle := 0.0
	for i, l := range a.links {
		angle += q[i]
		out[i+1] = [2]float64{out[i][0] + l*math.Cos(angle), out[i][1] + l*math.Sin(angle)}
	}
	return out
}

// hand returns the place of the hand.
func (a arm) hand(q []float64) [2]float64 { return a.points(q)[joints] }

// pull returns the product of a cotangent of the hand with the Jacobian of its place: a joint
// turns everything beyond it about itself.
func (a arm) pull(q []float64, d [2]float64) (out [joints]float64) {
	p := a.points(q)
	for i := range out {
		x, y := p[joints][0]-p[i][0], p[joints][1]-p[i][1]
		out[i] = -y*d[0] + x*d[1]
	}
	return out
}

// towards returns the angles after a step of at most most radians a joint that brings the hand
// nearer to a place: damped least squares, by gradient.
func (a arm) towards(q [joints]float64, place [2]float64, most float64) [joints]float64 {
	want := q
	for range 200 {
		h := a.hand(want[:])
		for i, g := range a.pull(want[:], [2]float64{place[0] - h[0], place[1] - h[1]}) {
			want[i] += g
		}
	}
	largest := 0.0
	for i := range q {
		largest = max(largest, math.Abs(want[i]-q[i]))
	}
	share := min(1, most/max(largest, 1e-9))
	for i := range q {
		q[i] += share * (want[i] - q[i])
	}
	return q
}

// within reports whether angles keep the limits.
func (a arm) within(q [joints]float64) bool {
	for i, v := range q {
		if v < a.low[i] || v > a.high[i] {
			return false
		}
	}
	return true
}
