package session

import (
	"slices"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
)

// A robot on a straight way has the velocity with which it comes to a waypoint, that of the moment before it begins, and
// rests after its end.
func TestStraightWays(t *testing.T) {
	w := way{points: []geom.Vec2{{}, {X: 1}, {X: 1, Y: 2}}, step: 0.1, before: geom.Vec2{X: 3}}
	steps := 0.1 + 0.1 + 0.1 // a sum that rounding makes more than three steps
	for _, c := range []struct {
		t    float64
		x, v geom.Vec2
	}{
		{0, geom.Vec2{}, geom.Vec2{X: 3}}, {0.05, geom.Vec2{X: 0.5}, geom.Vec2{X: 10}}, {0.1, geom.Vec2{X: 1}, geom.Vec2{X: 10}},
		{steps - 0.2, geom.Vec2{X: 1}, geom.Vec2{X: 10}}, {0.15, geom.Vec2{X: 1, Y: 1}, geom.Vec2{Y: 20}}, {0.2, geom.Vec2{X: 1, Y: 2}, geom.Vec2{Y: 20}},
		{0.21, geom.Vec2{X: 1, Y: 2}, geom.Vec2{}}, {steps, geom.Vec2{X: 1, Y: 2}, geom.Vec2{}},
	} {
		if x, v := w.at(c.t); x.Dist(c.x) > 1e-12 || v.Dist(c.v) > 1e-12 {
			t.Errorf("at %v: %v with %v, want %v with %v", c.t, x, v, c.x, c.v)
		}
	}
	if w.last() != 2 || w.end() != w.points[2] {
		t.Errorf("it ends at waypoint %d, %v", w.last(), w.end())
	}
}

// A curve is at its knots to the bit, and as fast as they say.
func TestWaysOfCurves(t *testing.T) {
	c := geom.NaturalSpline([]geom.Vec2{{}, {X: 1}, {X: 2, Y: 1}, {X: 2, Y: 3}}, 0.1, geom.Vec2{}, geom.Vec2{Y: 1})
	w := way{curve: &c, step: c.Step}
	for h := range c.X {
		if x, v := w.at(float64(h) * 0.1); x != c.X[h] || v != c.V[h] {
			t.Errorf("at knot %d: %v with %v, want %v with %v", h, x, v, c.X[h], c.V[h])
		}
	}
	x, v, _ := c.At(0.17)
	if gotX, gotV := w.at(0.17); gotX != x || gotV != v {
		t.Errorf("between knots: %v with %v, want %v with %v", gotX, gotV, x, v)
	}
	if w.last() != 3 || w.end() != c.X[3] {
		t.Errorf("it ends at waypoint %d, %v", w.last(), w.end())
	}
}

// Traffic later is where it was to be then; at times that are no whole steps it gets times of its own.
func TestTrafficLater(t *testing.T) {
	m := plan.Mover{Name: "tug", Path: []geom.Vec2{{}, {X: 1}, {X: 3}}}
	if got := later(m, 0.75, 0.5); !slices.Equal(got.Times, []float64{-0.75, -0.25, 0.25}) || !slices.Equal(got.Path, m.Path) {
		t.Errorf("three quarters of a second later: %+v", got)
	}
	if got := later(m, -0.25, 0.5); !slices.Equal(got.Times, []float64{0.25, 0.75, 1.25}) {
		t.Errorf("a quarter of a second before: %+v", got)
	}
	m.Times = []float64{0, 2, 3}
	if got := later(m, 0.25, 0.5); !slices.Equal(got.Times, []float64{-0.25, 1.75, 2.75}) || m.Times[0] != 0 {
		t.Errorf("with times of its own: %+v, was %+v", got, m)
	}
}
