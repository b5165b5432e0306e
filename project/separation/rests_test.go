package separation_test

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// legs returns a curve that goes from place to place, from rest to rest on a span each, and stands at every
// place for some spans.
func legs(stands []int, places ...geom.Vec2) geom.Curve {
	c := geom.Curve{Step: 1}
	for k, p := range places {
		for range stands[k] + 1 {
			c.X, c.V = append(c.X, p), append(c.V, geom.Vec2{})
		}
	}
	return c
}

func TestTurningOnTheSpot(t *testing.T) {
	up, left := &geom.Vec2{Y: 1}, &geom.Vec2{X: -1}
	drive := separation.Robot{Radius: 0.1, TurnRate: 0.8} // a right angle takes two spans
	vehicle := separation.Robot{Radius: 0.1, TurningRadius: 0.01}
	corner := []geom.Vec2{{}, {X: 1}, {X: 1, Y: 1}}
	for _, c := range []struct {
		name     string
		robot    separation.Robot
		headings [2]*geom.Vec2
		curve    geom.Curve
		fails    separation.Kind // -1 is none
	}{
		{"turns at a corner", drive, [2]*geom.Vec2{}, legs([]int{0, 2, 0}, corner...), -1},
		{"turns too fast at a corner", drive, [2]*geom.Vec2{}, legs([]int{0, 1, 0}, corner...), separation.Turning},
		{"a vehicle at a corner", vehicle, [2]*geom.Vec2{}, legs([]int{0, 9, 0}, corner...), separation.Curvature},
		{"back without turning", drive, [2]*geom.Vec2{}, legs([]int{0, 0, 0}, geom.Vec2{}, geom.Vec2{X: 1}, geom.Vec2{}), separation.Turning},
		{"turns before it leaves", drive, [2]*geom.Vec2{up}, legs([]int{2, 0}, corner[:2]...), -1},
		{"leaves too early", drive, [2]*geom.Vec2{up}, legs([]int{1, 0}, corner[:2]...), separation.Heading},
		{"turns back at its goal", drive, [2]*geom.Vec2{nil, left}, legs([]int{0, 4}, corner[:2]...), -1},
		{"ends too early", drive, [2]*geom.Vec2{nil, left}, legs([]int{0, 3}, corner[:2]...), separation.Heading},
		{"a vehicle does not turn", vehicle, [2]*geom.Vec2{up}, legs([]int{9, 0}, corner[:2]...), separation.Heading},
		{"turns where it stays", drive, [2]*geom.Vec2{up, left}, legs([]int{2}, geom.Vec2{X: 1}), -1},
		{"has no time to turn where it stays", drive, [2]*geom.Vec2{up, left}, legs([]int{1}, geom.Vec2{X: 1}), separation.Heading},
		{"goes back on a span", drive, [2]*geom.Vec2{}, geom.Curve{Step: 1, X: []geom.Vec2{{}, {}}, V: []geom.Vec2{{X: 1}, {X: -1}}}, separation.Turning},
	} {
		c.robot.Headings = c.headings
		w := &separation.World{Robots: []separation.Robot{c.robot}, Motion: separation.Motion{Curved: true, Step: 1}}
		v := w.JudgeCurves([]geom.Curve{c.curve})
		for _, kind := range []separation.Kind{separation.Turning, separation.Curvature, separation.Heading} {
			if fails := v[kind].Value < 0; fails != (kind == c.fails) {
				t.Errorf("%s: %v of %v", c.name, kind, v[kind].Value)
			}
		}
	}
}

// A repair leaves the waypoints at which a robot is to stand, and the robot stands there, at the very place
// that is given.
func TestRepairsHoldWhoStands(t *testing.T) {
	const n = 24
	ends := [2]geom.Vec2{{X: -1.0000001, Y: 0.1}, {X: 1.0000001, Y: 0.1}}
	w := curved(separation.World{
		Robots:    []separation.Robot{{Radius: 0.2, Step: 0.3, Change: 0.1, Ends: &ends, Held: [2]int{4, 3}}},
		Obstacles: []geom.Convex{{Core: geom.Polygon{{}}, Radius: 0.2}},
	})
	x := tensor.New(1, n, 2)
	for h := range n {
		s := min(max(float64(h-4)/float64(n-1-7), 0), 1)
		p := ends[0].Lerp(ends[1], s)
		x.Data[2*h], x.Data[2*h+1] = float32(p.X), float32(p.Y)
	}
	from := []tensor.Batch{x.Clone()}
	o, err := w.Repair(t.Context(), []tensor.Batch{x}, from, 0)
	if err != nil || !o.Verdict.Certified(0) {
		t.Fatalf("%+v, %v", o.Verdict, err)
	}
	for h := range n {
		held := h <= 4 || h >= n-4
		if moved := math.Hypot(float64(x.Data[2*h]-from[0].Data[2*h]), float64(x.Data[2*h+1]-from[0].Data[2*h+1])); held && moved > 0 {
			t.Errorf("waypoint %d is moved by %v", h, moved)
		}
	}
	c := w.Curves([]tensor.Batch{x}, 0)[0]
	for h, want := range map[int]geom.Vec2{0: ends[0], 1: ends[0], 3: ends[0], n - 3: ends[1], n - 1: ends[1]} {
		if c.X[h] != want || c.V[h] != (geom.Vec2{}) {
			t.Errorf("knot %d is %v at %v, want %v at rest", h, c.X[h], c.V[h], want)
		}
	}
}

// Robots that are repaired look along their headings to rounding, at both ends, and not only nearly.
func TestRepairsKeepHeadingsExactly(t *testing.T) {
	const n = 24
	for _, r := range []separation.Robot{
		{Radius: 0.1, Step: 0.3, Change: 0.05, TurningRadius: 0.3},
		{Radius: 0.1, Step: 0.3, Change: 0.05, TurnRate: 0.5},
	} {
		given := [2]geom.Vec2{{X: math.Cos(0.4), Y: math.Sin(0.4)}, {X: math.Cos(0.3), Y: -math.Sin(0.3)}}
		r.Headings = [2]*geom.Vec2{&given[0], &given[1]}
		w := curved(separation.World{Robots: []separation.Robot{r}, Obstacles: []geom.Convex{{Core: geom.Polygon{{X: 0, Y: -0.1}}, Radius: 0.2}}})
		x := tensor.New(1, n, 2)
		for h := range n {
			s := float64(h) / (n - 1)
			s *= s * (3 - 2*s)
			x.Data[2*h], x.Data[2*h+1] = float32(2*s-1), float32(0.3*math.Sin(math.Pi*s))
		}
		out, err := w.Repair(t.Context(), []tensor.Batch{x}, []tensor.Batch{x.Clone()}, 0)
		if err != nil || !out.Verdict.Certified(0) {
			t.Fatalf("%v, %v", out.Verdict, err)
		}
		c := w.Curves([]tensor.Batch{x}, 0)[0]
		for k, at := range []float64{1e-3, n - 1 - 1e-3} {
			_, v, _ := c.At(at * c.Step)
			if e := math.Abs(math.Atan2(given[k].Cross(v), given[k].Dot(v))); e > 1e-4 {
				t.Errorf("turning radius %v: at end %d it looks %v rad beside its heading", r.TurningRadius, k, e)
			}
		}
	}
}

// Who is stored at one place does not move, also where the decimals of that place are those of the float32 next to it.
func TestWhoStaysDoesNotMove(t *testing.T) {
	const perUnit = 1e7
	others := 0
	for k := range 200 {
		given := geom.Vec2{X: 3 + 0.0371*float64(k), Y: 7 + math.Sqrt(float64(k))/10}
		end := geom.Vec2{X: math.Round(given.X*perUnit) / perUnit, Y: math.Round(given.Y*perUnit) / perUnit}
		if float32(end.X) != float32(given.X) || float32(end.Y) != float32(given.Y) {
			others++
		}
		x := tensor.New(1, 8, 4)
		for h := 0; h < len(x.Data); h += 4 {
			x.Data[h], x.Data[h+1] = float32(given.X), float32(given.Y)
		}
		w := &separation.World{
			Robots: []separation.Robot{{Radius: 0.3, TurnRate: 1, Ends: &[2]geom.Vec2{end, end}}},
			Motion: separation.Motion{Curved: true, Step: 1, PerUnit: [2]float64{perUnit, perUnit}},
		}
		c := w.Curves([]tensor.Batch{x}, 0)[0]
		for h := range c.X {
			if c.X[h] != end || c.V[h] != (geom.Vec2{}) {
				t.Fatalf("stored at %v, it is at %v with %v", given, c.X[h], c.V[h])
			}
		}
	}
	if others == 0 {
		t.Error("no place has decimals next to it")
	}
}
