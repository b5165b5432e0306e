package heading_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/heading"
)

func stay(from, to float64, p geom.Vec2) heading.Piece {
	return heading.Piece{From: from, To: to, Way: geom.Straight(p, p)}
}

// drive goes from rest to rest on a straight line.
func drive(from, to float64, p, q geom.Vec2) heading.Piece {
	return heading.Piece{From: from, To: to, Way: geom.Bezier{p, p, q, q}}
}

// A robot stands and turns, drives, stands and turns, drives on, and turns at its goal.
func TestTurnsOnTheSpot(t *testing.T) {
	start, goal := math.Pi, 0.0
	corner, end := geom.Vec2{X: 2}, geom.Vec2{X: 2, Y: 1}
	w := heading.Along([]heading.Piece{
		stay(1, 5, geom.Vec2{}), drive(5, 7, geom.Vec2{}, corner), stay(7, 9, corner), drive(9, 10, corner, end), stay(10, 12, end),
	}, heading.Rule{Rate: 1, Start: &start, Goal: &goal, Hardly: 1e-6})
	for _, c := range []struct{ at, want float64 }{
		{0, math.Pi}, {1, math.Pi}, {2.5, math.Pi - 1.5}, {4.5, 0}, {6, 0}, {7, 0}, {8, 1}, {8.9, math.Pi / 2}, {9.5, math.Pi / 2},
		{10, math.Pi / 2}, {11, math.Pi/2 - 1}, {12, 0}, {20, 0},
	} {
		if got := w.At(c.at); math.Abs(math.Remainder(got-c.want, 2*math.Pi)) > 1e-9 {
			t.Errorf("at %v it looks to %v, want %v", c.at, got, c.want)
		}
	}
}

// Without a rule one that stands keeps its heading, or has that with which it starts; and what digits leave of
// a direction near rest does not count.
func TestHeadingsAlongTheWay(t *testing.T) {
	p, q := geom.Vec2{X: 1, Y: 1}, geom.Vec2{X: 1, Y: 3}
	w := heading.Along([]heading.Piece{
		stay(0, 1, p), {From: 1, To: 2, Way: geom.Bezier{p, p, p.Add(geom.Vec2{X: 1e-9}), q}}, stay(2, 3, q),
	}, heading.Rule{Hardly: 1e-4})
	for _, at := range []float64{0, 0.5, 1, 1 + 1e-6, 1.001, 1.5, 2, 2.5, 3, 4} {
		if got := w.At(at); math.Abs(got-math.Pi/2) > 1e-5 {
			t.Errorf("at %v it looks to %v, want up", at, got)
		}
	}
	if got := heading.Along(nil, heading.Rule{}).At(1); got != 0 {
		t.Errorf("one without a way looks to %v", got)
	}
}

// Pieces on which a robot creeps to where it rests, and from there, do not tell where it looks, however many there are; and one that
// does not get away from there looks as it did.
func TestCreepingDoesNotTell(t *testing.T) {
	const hardly = 0.01
	rest := geom.Vec2{X: 1}
	near, nearer := rest.Add(geom.Vec2{X: -0.004, Y: 0.001}), rest.Add(geom.Vec2{Y: 0.002})
	down := rest.Add(geom.Vec2{Y: -1})
	pieces := []heading.Piece{ // of different length in time, and not from 0 on
		{From: 2, To: 5, Way: geom.Straight(geom.Vec2{}, near)},
		{From: 5, To: 5.5, Way: geom.Straight(near, nearer)},
		{From: 5.5, To: 7.5, Way: geom.Bezier{nearer, nearer.Lerp(rest, 0.5), rest, rest}},
		stay(7.5, 8, rest),
		{From: 8, To: 12, Way: geom.Bezier{rest, rest, nearer, nearer}}, // up, and rests again
		stay(12, 13, nearer),
		{From: 13, To: 16, Way: geom.Bezier{nearer, nearer, nearer.Lerp(near, 0.5), near}}, // back, and away from there
		{From: 16, To: 18, Way: geom.Straight(near, down)},
	}
	w := heading.Along(pieces, heading.Rule{Hardly: hardly})
	for at := 1.05; at < 13; at += 0.1 {
		if got := w.At(at); math.Abs(got) > 0.002 {
			t.Errorf("at %v it looks to %v, want along its way", at, got)
		}
	}
	for _, at := range []float64{13.1, 14, 15.9, 16.001, 17, 18, 19} {
		if got := w.At(at); math.Abs(got+math.Pi/2) > 0.01 {
			t.Errorf("at %v it looks to %v, want down", at, got)
		}
	}
	// Along the way the direction is that of the velocity, whatever the piece takes.
	bend := heading.Along([]heading.Piece{
		{From: 2, To: 6, Way: geom.Bezier{{}, {X: 1}, {X: 2}, {X: 2, Y: 1}}},
		{From: 6, To: 6.5, Way: geom.Bezier{{X: 2, Y: 1}, {X: 2, Y: 2}, {X: 1, Y: 3}, {Y: 3}}},
	}, heading.Rule{Hardly: hardly})
	for at, v := range map[float64]geom.Vec2{3: {X: 2.8125, Y: 0.1875}, 5.5: {X: 0.703125, Y: 2.296875}, 6: {Y: 1}, 6.25: {X: -1.5, Y: 1.5}} {
		if got, want := bend.At(at), math.Atan2(v.Y, v.X); math.Abs(got-want) > 1e-9 {
			t.Errorf("at %v it looks to %v, want %v", at, got, want)
		}
	}
	start := 1.0
	if got := heading.Along(pieces[1:4], heading.Rule{Hardly: hardly, Start: &start}).At(7.7); got != start {
		t.Errorf("one that only creeps looks to %v, want %v", got, start)
	}
}

// One that leaves a place of rest, or comes to one, looks along its way from the first instant to the last: near that place as it
// does where it is far enough away for digits to tell.
func TestLeavesAndComesAlongTheWay(t *testing.T) {
	const hardly = 1e-3
	r := rand.New(rand.NewPCG(7, 8))
	point := func() geom.Vec2 { return geom.Vec2{X: 4 * r.Float64(), Y: 4 * r.Float64()} }
	for trial := range 100 {
		rest, bend, far := point(), point(), point()
		if bend.Dist(rest) < 0.5 || far.Dist(bend) < 0.5 {
			continue
		}
		want := bend.Sub(rest)
		way := geom.Bezier{rest, rest, bend, far}
		if trial%2 == 1 { // the other way round
			way, want = geom.Bezier{far, bend, rest, rest}, want.Scale(-1)
		}
		from := 10 * r.Float64()
		for _, hardly := range []float64{0, hardly} {
			w := heading.Along([]heading.Piece{{From: from, To: from + 5, Way: way}}, heading.Rule{Hardly: hardly})
			for _, part := range []float64{0, 1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.3, 0.5, 0.7, 0.99, 0.999, 0.9999, 1} {
				tolerance, direction := 1e-6, way.Velocity(part)
				if v := way.At(part); v.Dist(rest) <= 2*hardly || direction == (geom.Vec2{}) {
					direction, tolerance = want, 0.1 // so far from rest, a way may have bent by that
				}
				got := w.At(from + 5*part)
				if off := math.Abs(math.Remainder(got-math.Atan2(direction.Y, direction.X), 2*math.Pi)); off > tolerance {
					t.Errorf("trial %d, %v of %v, hardly %v: it looks to %v, off by %v", trial, part, way, hardly, got, off)
				}
			}
		}
	}
}
