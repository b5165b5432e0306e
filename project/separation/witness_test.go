package separation_test

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/exact"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// along returns n·(p − q) in rational numbers.
func along(n, p, q geom.Vec2) *big.Rat {
	x := new(big.Rat).Mul(rat(n.X), new(big.Rat).Sub(rat(p.X), rat(q.X)))
	return x.Add(x, new(big.Rat).Mul(rat(n.Y), new(big.Rat).Sub(rat(p.Y), rat(q.Y))))
}

// parts reports whether d ≥ (r + s) ‖n‖, exactly.
func parts(d *big.Rat, r, s float64, n geom.Vec2) bool {
	need := new(big.Rat).Add(rat(r), rat(s))
	square := along(n, n, geom.Vec2{})
	square.Mul(square, need.Mul(need, need))
	return d.Sign() >= 0 && new(big.Rat).Mul(d, d).Cmp(square) >= 0
}

func vectors(points ...geom.Vec2) (out []exact.Vec) {
	for _, p := range points {
		out = append(out, exact.Of(p))
	}
	return out
}

// beyond reports whether the boxes around some points and others are so far apart, exactly.
func beyond(points, others []exact.Vec, size *big.Rat) bool {
	for _, side := range []func(v exact.Vec) *big.Rat{
		func(v exact.Vec) *big.Rat { return v.X }, func(v exact.Vec) *big.Rat { return v.Y },
		func(v exact.Vec) *big.Rat { return new(big.Rat).Neg(v.X) }, func(v exact.Vec) *big.Rat { return new(big.Rat).Neg(v.Y) },
	} {
		apart := true
		for _, p := range points {
			for _, q := range others {
				apart = apart && exact.Sub(side(p), side(q)).Cmp(size) >= 0
			}
		}
		if apart {
			return true
		}
	}
	return false
}

// stranger checks witnesses with nothing but products and sums, without rounding, and
// that they leave no segment out.
func stranger(t *testing.T, w *separation.World, x []tensor.Batch, ws separation.Witnesses) {
	t.Helper()
	n := x[0].Shape[0]
	at := func(i, h int) geom.Vec2 {
		if i >= len(x) {
			return w.Traffic[i-len(x)].Path[h]
		}
		c := x[i].Shape[1]
		return geom.Vec2{X: float64(x[i].Data[h*c]), Y: float64(x[i].Data[h*c+1])}
	}
	radius := func(i int) float64 {
		if i >= len(x) {
			return w.Traffic[i-len(x)].Radius
		}
		return w.Robots[i].Radius
	}
	covered := map[[3]int]int{}
	for _, b := range ws.Bodies {
		covered[[3]int{0, b.Robot, b.Other}] += int(b.To - b.From)
		for h := int(b.From); h <= int(b.To); h++ {
			if !parts(along(b.N, at(b.Robot, h), at(b.Other, h)), radius(b.Robot), radius(b.Other), b.N) {
				t.Errorf("%+v does not hold at waypoint %d", b, h)
			}
		}
	}
	proven := map[[3]int]bool{}
	for _, b := range ws.Obstacles {
		for h := int(b.From); h < int(b.To); h++ {
			proven[[3]int{b.Robot, b.Other, h}] = true
		}
		for h := int(b.From); h <= int(b.To); h++ {
			for _, v := range w.Obstacles[b.Other].Core {
				if !parts(along(b.N, at(b.Robot, h), v), radius(b.Robot), w.Obstacles[b.Other].Radius, b.N) {
					t.Errorf("%+v does not hold at waypoint %d", b, h)
				}
			}
		}
	}
	for i := range x {
		for j := i + 1; j < len(x)+len(w.Traffic); j++ {
			if covered[[3]int{0, i, j}] != n-1 {
				t.Errorf("bodies %d and %d: %d of %d segments are proven", i, j, covered[[3]int{0, i, j}], n-1)
			}
		}
		for o, c := range w.Obstacles {
			size := new(big.Rat).Add(rat(radius(i)), rat(c.Radius))
			for h := range n - 1 {
				if !proven[[3]int{i, o, h}] && !beyond(vectors(at(i, h), at(i, h+1)), vectors(c.Core...), size) {
					t.Errorf("robot %d and obstacle %d: segment %d is not proven", i, o, h)
				}
			}
		}
	}
}

func TestWitnessesConvinceAStranger(t *testing.T) {
	s := crossing(48)
	s.Margin = 0
	s.Obstacles = append(s.Obstacles,
		geom.Convex{Core: geom.Rectangle(geom.Vec2{X: -0.5, Y: 0.12}, geom.Vec2{X: 0.4, Y: 0.1}, 0.6)},
		geom.Convex{Core: geom.Polygon{{X: 0.5, Y: 0.2}, {X: 0.7, Y: 0.3}}, Radius: 0.02})
	ring := &separation.World{}
	for range 16 {
		ring.Robots = append(ring.Robots, separation.Robot{Radius: 0.05})
	}
	for name, c := range map[string]struct {
		w *separation.World
		x []tensor.Batch
	}{
		"obstacles and traffic": {&s.World, straight(crossingEnds, 48)},
		"circle":                {ring, straight(acrossCircle(16, 0.8), 64)},
	} {
		t.Run(name, func(t *testing.T) {
			out, _ := repaired(t, c.w, c.x)
			ws, ok, err := c.w.Witness(t.Context(), out, 0)
			if !ok || err != nil {
				t.Fatalf("no witness for a certified path: %v", err)
			}
			stranger(t, c.w, out, ws)
			pairs := len(out) * (len(out) - 1) / 2
			if most := 8 * (pairs + len(out)*(len(c.w.Obstacles)+len(c.w.Traffic))); len(ws.Bodies)+len(ws.Obstacles) > most {
				t.Errorf("%d witnesses, want at most %d", len(ws.Bodies)+len(ws.Obstacles), most)
			}
		})
	}
}

// Robots that pass at the very sum of their radii have a witness, and those that
// touch have none.
func TestWitnessAtTheLimit(t *testing.T) {
	w := &separation.World{Robots: []separation.Robot{{Radius: 0.0625}, {Radius: 0.0625}}}
	ends := [][2]geom.Vec2{{{X: -1}, {X: 1}}, {{X: 1, Y: 0.125000015}, {X: -1, Y: 0.125000015}}}
	x := straight(ends, 9)
	ws, ok, err := w.Witness(t.Context(), x, 0)
	if !ok || err != nil || !w.Judge(x, 0).Certified(0) {
		t.Fatalf("no witness at a gap of %v", w.Judge(x, 0)[separation.Bodies].Value)
	}
	stranger(t, w, x, ws)
	w.Robots[0].Radius = 0.0626
	if _, ok, err := w.Witness(t.Context(), x, 0); ok || err != nil {
		t.Errorf("a witness for robots that touch, or %v", err)
	}
}

// A search for witnesses ends with its context.
func TestWitnessIsInterrupted(t *testing.T) {
	w := &separation.World{Robots: []separation.Robot{{Radius: 0.05}, {Radius: 0.05}, {Radius: 0.05}}}
	x := straight([][2]geom.Vec2{{{X: -1}, {X: 1}}, {{X: -1, Y: 0.5}, {X: 1, Y: 0.5}}, {{X: -1, Y: 1}, {X: 1, Y: 1}}}, 9)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ws, ok, err := w.Witness(ctx, x, 0)
	if ok || !errors.Is(err, context.Canceled) || ws.Bodies != nil {
		t.Errorf("proven %v with %d witnesses, error %v; want none and the error of the context", ok, len(ws.Bodies), err)
	}
}
