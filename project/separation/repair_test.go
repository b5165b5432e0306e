package separation_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// straight returns straight paths of n waypoints.
func straight(ends [][2]geom.Vec2, n int) []tensor.Batch {
	var out []tensor.Batch
	for _, e := range ends {
		b := tensor.New(1, n, 2)
		for h := range n {
			q := e[0].Lerp(e[1], float64(h)/float64(n-1))
			b.Data[2*h], b.Data[2*h+1] = float32(q.X), float32(q.Y)
		}
		out = append(out, b)
	}
	return out
}

// acrossCircle returns ends on a circle, each goal opposite to its start.
func acrossCircle(n int, radius float64) (ends [][2]geom.Vec2) {
	for k := range n {
		s, c := math.Sincos(2 * math.Pi * float64(k) / float64(n))
		at := geom.Vec2{X: radius * c, Y: radius * s}
		ends = append(ends, [2]geom.Vec2{at, at.Scale(-1)})
	}
	return ends
}

// roughGaps looks at many instants of every step, with none of the formulas of the
// judge: the smallest distance of two surfaces.
func roughGaps(w *separation.World, x []tensor.Batch, instants int) float64 {
	at := func(i, h int, t float64) geom.Vec2 {
		if i >= len(x) {
			return w.Traffic[i-len(x)].Path[h].Lerp(w.Traffic[i-len(x)].Path[h+1], t)
		}
		c := x[i].Shape[1]
		d := x[i].Data[h*c:]
		return geom.Vec2{X: float64(d[0]) + t*(float64(d[c])-float64(d[0])), Y: float64(d[1]) + t*(float64(d[c+1])-float64(d[1]))}
	}
	radius := func(i int) float64 {
		if i >= len(x) {
			return w.Traffic[i-len(x)].Radius
		}
		return w.Robots[i].Radius
	}
	smallest := math.Inf(1)
	for h := range x[0].Shape[0] - 1 {
		for k := range instants {
			t := float64(k) / float64(instants-1)
			for i := range x {
				p := at(i, h, t)
				for j := range i + len(w.Traffic) {
					if j >= i {
						j += len(x) - i
					}
					smallest = min(smallest, p.Dist(at(j, h, t))-radius(i)-radius(j))
				}
				for _, c := range w.Obstacles {
					d, _ := c.SignedDistance(p)
					smallest = min(smallest, d-radius(i))
				}
			}
		}
	}
	return smallest
}

func TestJudgeAgainstManyInstants(t *testing.T) {
	s := crossing(32)
	r := rand.New(rand.NewPCG(8, 8))
	for range 60 {
		x := []tensor.Batch{tensor.New(1, 32, 4), tensor.New(1, 32, 4), tensor.New(1, 32, 4)}
		drawCrossing(r, [][]float32{x[0].Data, x[1].Data, x[2].Data})
		v := s.Judge(x, 0)
		got := min(v[separation.Bodies].Value, v[separation.Obstacles].Value)
		// Instants of a step of 0.1 miss the smallest gap by less than 1e-4.
		if rough := roughGaps(&s.World, x, 400); got > rough+1e-12 || got < rough-2e-3 {
			t.Fatalf("smallest gap %v, at 400 instants per step %v; %v", got, rough, v)
		}
	}
}

func TestJudgeFindsTheSmallestGapOfDistantRobots(t *testing.T) {
	w := &separation.World{Robots: []separation.Robot{{Radius: 0.01}, {Radius: 0.02}, {Radius: 0.01}}}
	x := straight([][2]geom.Vec2{{{X: -1, Y: -1}, {X: 1, Y: -1}}, {{X: -1, Y: 0.5}, {X: 1, Y: 0.5}}, {{X: -1, Y: 1}, {X: -1, Y: 1}}}, 8)
	v := w.Judge(x, 0)
	if m := v[separation.Bodies]; math.Abs(m.Value-0.47) > 1e-7 || m.Robot != 1 || m.Other != 2 || m.Segment != 0 {
		t.Errorf("smallest gap %+v, want 0.47 between robots 1 and 2 on segment 0", m)
	}
}

// The smallest gap is that of all pairs, also where another pair is in sight before it: here
// one beside the other, while two pass each other diagonally a little nearer.
func TestJudgeFindsTheSmallestOfSimilarGaps(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 300 {
		w, x := &separation.World{}, []tensor.Batch(nil)
		for range 6 {
			w.Robots = append(w.Robots, separation.Robot{Radius: 0.01})
			from := geom.Vec2{X: r.Float64(), Y: r.Float64()}
			x = append(x, straight([][2]geom.Vec2{{from, from.Add(geom.Vec2{X: 0.4 * r.Float64(), Y: 0.4 * r.Float64()})}}, 6)...)
		}
		got := w.Judge(x, 0)[separation.Bodies].Value
		if rough := roughGaps(w, x, 200); got > rough+1e-12 {
			t.Fatalf("smallest gap %v, at 200 instants per step %v", got, rough)
		}
	}
}

func TestJudgeReportsPlaceAndAmount(t *testing.T) {
	border := geom.Box{Min: geom.Vec2{X: -1, Y: -1}, Max: geom.Vec2{X: 1, Y: 1}}
	w := &separation.World{
		Robots:    []separation.Robot{{Radius: 0.125, Step: 0.5, Change: 0.25, After: geom.Vec2{X: 0.125}, Inset: 0.125}, {Radius: 0.125, Inset: 0.125}},
		Obstacles: []geom.Convex{{Core: geom.Polygon{{X: 0.5, Y: 0.5}}, Radius: 0.125}},
		Border:    &border,
	}
	x := straight([][2]geom.Vec2{{{}, {}}, {{X: -0.5, Y: 0.75}, {X: 0.5, Y: 0.75}}}, 5)
	copy(x[0].Data, []float32{0, 0, 0.25, 0, 0.5, 0, 0.75, 0, 1, 0})
	v := w.Judge(x, 0)
	want := map[separation.Kind]separation.Margin{
		separation.Speed:        {Value: 0.25, Robot: 0, Other: -1},
		separation.Acceleration: {Value: 0, Robot: 0, Other: -1, Segment: 0},
		separation.Obstacles:    {Value: 0, Robot: 1, Other: 0, Segment: 3},
		separation.Border:       {Value: -0.125, Robot: 0, Other: -1, Segment: 3},
		separation.Bodies:       {Value: math.Sqrt(0.5*0.5+0.75*0.75) - 0.25, Robot: 0, Other: 1, Segment: 3},
	}
	for k, m := range want {
		if got := v[k]; math.Abs(got.Value-m.Value) > 1e-12 || got.Robot != m.Robot || got.Other != m.Other || k != separation.Bodies && got.Segment != m.Segment {
			t.Errorf("%v: %+v, want %+v", k, got, m)
		}
	}
	if v.Worst(0) != separation.Border || v.Certified(0) || math.Abs(v.Violation(0)-0.125) > 1e-12 {
		t.Errorf("worst is %v by %v, want the border by 0.125", v.Worst(0), v.Violation(0))
	}
}

// repaired repairs and checks what every repair promises.
func repaired(t *testing.T, w *separation.World, x []tensor.Batch) ([]tensor.Batch, separation.Outcome) {
	t.Helper()
	var out []tensor.Batch
	for _, b := range x {
		out = append(out, b.Clone())
	}
	o, err := w.Repair(context.Background(), out, x, 0)
	if err != nil {
		t.Fatal(err)
	}
	if v := w.Judge(out, 0); !v.Certified(w.Margin) {
		t.Fatalf("after %d rounds %v fails: %+v", o.Rounds, v.Worst(w.Margin), v[v.Worst(w.Margin)])
	}
	if rough := roughGaps(w, out, 20); rough < w.Margin {
		t.Fatalf("gap %v between waypoints, want %v", rough, w.Margin)
	}
	for i, b := range out {
		n, c := b.Shape[0], b.Shape[1]
		for _, at := range []int{0, 1, (n - 1) * c, (n-1)*c + 1} {
			if b.Data[at] != x[i].Data[at] {
				t.Fatalf("robot %d: element %d is %v, want the end %v", i, at, b.Data[at], x[i].Data[at])
			}
		}
	}
	return out, o
}

// robotsAcrossACircle are numbers of robots. Where goroutines are watched, more robots show no others.
func robotsAcrossACircle() []int {
	numbers := []int{2, 3, 8, 16, 32}
	if testing.Short() {
		numbers = numbers[:3]
	}
	return numbers
}

func TestRepairAcrossACircle(t *testing.T) {
	for _, n := range robotsAcrossACircle() {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			w := &separation.World{}
			for range n {
				w.Robots = append(w.Robots, separation.Robot{Radius: 0.05, Step: 1.5 * 1.6 / 63})
			}
			_, o := repaired(t, w, straight(acrossCircle(n, 0.8), 64))
			if o.Rounds == 0 || o.Displacement == 0 || o.Displacement > 0.4 {
				t.Errorf("%+v", o)
			}
		})
	}
}

// Two that meet head-on give way equally.
func TestRepairIsFair(t *testing.T) {
	w := &separation.World{Robots: []separation.Robot{{Radius: 0.05}, {Radius: 0.05}}}
	out, o := repaired(t, w, straight(acrossCircle(2, 0.75), 33))
	for h := range 33 {
		a, b := out[0].Data[2*h:2*h+2], out[1].Data[2*h:2*h+2]
		if math.Abs(float64(a[0]+b[0])) > 1e-6 || math.Abs(float64(a[1]+b[1])) > 1e-6 {
			t.Fatalf("waypoint %d: %v and %v, want one the mirror of the other", h, a, b)
		}
	}
	// Passing at the sum of radii needs each to step aside by one radius.
	if o.Displacement < 0.05 || o.Displacement > 0.08 {
		t.Errorf("displacement %v, want little more than a radius of 0.05", o.Displacement)
	}
}

func TestRepairAmongTrafficWithLimitsAndMargin(t *testing.T) {
	s := crossing(48)
	s.Robots[0].Change, s.Robots[2].Change = 0.02, 0.03
	s.Margin = 0.03
	s.Obstacles = append(s.Obstacles, geom.Convex{Core: geom.Rectangle(geom.Vec2{X: -0.5, Y: 0.12}, geom.Vec2{X: 0.4, Y: 0.1}, 0.6)})
	x := straight(crossingEnds, 48)
	for i := range x { // from rest to rest
		for h := range 48 {
			u := float64(h) / 47
			smooth := u * u * (3 - 2*u)
			q := crossingEnds[i][0].Lerp(crossingEnds[i][1], smooth)
			x[i].Data[2*h], x[i].Data[2*h+1] = float32(q.X), float32(q.Y)
		}
	}
	out, o := repaired(t, &s.World, x)
	if v := s.Judge(out, 0); v[separation.Acceleration].Robot < 0 || math.IsInf(v[separation.Speed].Value, 1) {
		t.Errorf("verdict %+v, want accelerations and speeds judged; %+v", v, o)
	}
}

func TestRepairFailsWhereThereIsNoWay(t *testing.T) {
	wall := geom.Box{Min: geom.Vec2{X: -0.1, Y: -5}, Max: geom.Vec2{X: 0.1, Y: 5}}
	border := geom.Box{Min: geom.Vec2{X: -1, Y: -1}, Max: geom.Vec2{X: 1, Y: 1}}
	w := &separation.World{Robots: []separation.Robot{{Radius: 0.05}}, Obstacles: []geom.Convex{wall.Convex()}, Border: &border}
	x := straight([][2]geom.Vec2{{{X: -0.8}, {X: 0.8}}}, 32)
	o, err := w.Repair(context.Background(), x, x, 0)
	if err != nil {
		t.Fatal(err)
	}
	if m := o.Verdict[separation.Obstacles]; o.Verdict.Certified(0) || m.Robot != 0 || m.Value > -0.1 {
		t.Errorf("%+v, want the wall in the way", o.Verdict)
	}
}

// A goal out of reach is refused before anything is written, with how much is missing.
func TestRepairRefusesAGoalOutOfReach(t *testing.T) {
	w := &separation.World{Robots: []separation.Robot{{Radius: 0.05}, {Radius: 0.05, Step: 0.0625, Unit: [2]float64{2, 1}}}}
	x := straight([][2]geom.Vec2{{{X: -1}, {X: 1}}, {{Y: -0.5}, {Y: 0.625}}}, 17) // 16 steps of 0.0625 go 1 far
	dst := []tensor.Batch{tensor.New(1, 17, 2), tensor.New(1, 17, 2)}
	_, err := w.Repair(context.Background(), dst, x, 0)
	var e *project.InfeasibleError
	if !errors.As(err, &e) || math.Abs(e.Violation-0.125) > 1e-12 || !strings.Contains(e.Reason, "robot 1") {
		t.Fatalf("error %v, want that robot 1 lacks 0.125", err)
	}
	for i := range dst {
		for j, v := range dst[i].Data {
			if v != 0 {
				t.Fatalf("robot %d, element %d was written", i, j)
			}
		}
	}
}

// A member stays as it is, bit for bit, and takes no round.
func TestRepairLeavesMembersAlone(t *testing.T) {
	w := &separation.World{Robots: []separation.Robot{{Radius: 0.05, Step: 0.1}, {Radius: 0.05}}}
	x := straight([][2]geom.Vec2{{{X: -1}, {X: 1}}, {{X: -1, Y: 0.1001}, {X: 1, Y: 0.1001}}}, 32)
	out, o := repaired(t, w, x)
	if o.Rounds != 0 || o.Displacement != 0 {
		t.Errorf("%+v, want no round", o)
	}
	for i := range x {
		for j, v := range x[i].Data {
			if out[i].Data[j] != v {
				t.Fatalf("robot %d, element %d moved", i, j)
			}
		}
	}
}
