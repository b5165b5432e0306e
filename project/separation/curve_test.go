package separation_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// curved returns a world in which robots move along splines that are rounded to decimals.
func curved(w separation.World) *separation.World {
	w.Motion = separation.Motion{Curved: true, PerUnit: [2]float64{1e9, 1e9}}
	return &w
}

// where returns a mover at a time counted in waypoints, straight from point to point.
func where(m separation.Mover, t float64) geom.Vec2 {
	for k := 1; k < len(m.Path); k++ {
		from, to := float64(k-1), float64(k)
		if m.Times != nil {
			from, to = m.Times[k-1], m.Times[k]
		}
		if t <= to {
			return m.Path[k-1].Lerp(m.Path[k], (t-from)/(to-from))
		}
	}
	return m.Path[len(m.Path)-1]
}

// sampled is what many instants of a joint motion show, with none of the formulas of the
// judge: the smallest gaps, the largest step and the largest change of a step.
type sampled struct{ gap, border, step, change float64 }

func sample(w *separation.World, curves []geom.Curve, instants int) (out sampled) {
	out = sampled{gap: math.Inf(1), border: math.Inf(1)}
	for h := range curves[0].Spans() {
		for k := range instants + 1 {
			t := (float64(h) + float64(k)/float64(instants)) * curves[0].Step
			for i, c := range curves {
				x, v, a := c.At(t)
				out.step = max(out.step, v.Norm()*c.Step)
				out.change = max(out.change, a.Norm()*c.Step*c.Step)
				for j, d := range curves[:i] {
					y, _, _ := d.At(t)
					out.gap = min(out.gap, x.Dist(y)-w.Robots[i].Radius-w.Robots[j].Radius)
				}
				for _, m := range w.Traffic {
					out.gap = min(out.gap, x.Dist(where(m, t/c.Step))-w.Robots[i].Radius-m.Radius)
				}
				for _, o := range w.Obstacles {
					d, _ := o.SignedDistance(x)
					out.gap = min(out.gap, d-w.Robots[i].Radius)
				}
				if b := w.Border; b != nil {
					out.border = min(out.border, min(min(x.X-b.Min.X, b.Max.X-x.X), min(x.Y-b.Min.Y, b.Max.Y-x.Y))-w.Robots[i].Inset)
				}
			}
		}
	}
	return out
}

func TestJudgeOfCurvesAgainstManyInstants(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 8))
	for round := range 60 {
		s := crossing(32)
		if round%2 == 1 {
			s = amongTurning(r, 32)
		}
		for i := range s.Robots {
			s.Robots[i].Step, s.Robots[i].Change, s.Robots[i].Unit = 1, 1, [2]float64{}
		}
		w := curved(s.World)
		x := []tensor.Batch{tensor.New(1, 32, 4), tensor.New(1, 32, 4), tensor.New(1, 32, 4)}
		drawCrossing(r, [][]float32{x[0].Data, x[1].Data, x[2].Data})
		v, rough := w.Judge(x, 0), sample(w, w.Curves(x, 0), 100)
		got := min(v[separation.Bodies].Value, v[separation.Obstacles].Value)
		if got > rough.gap+1e-12 || got < rough.gap-2e-3 {
			t.Fatalf("smallest gap %v, at many instants %v; %v", got, rough, v)
		}
		if got := v[separation.Border].Value; got > rough.border+1e-12 || got < rough.border-0.05 {
			t.Fatalf("gap to the border %v, at many instants %v", got, rough.border)
		}
		if step := 1 - v[separation.Speed].Value; step < rough.step-1e-12 || step > rough.step*1.5 {
			t.Fatalf("longest step %v, at many instants %v", step, rough.step)
		}
		if change := 1 - v[separation.Acceleration].Value; math.Abs(change-rough.change) > 1e-9 {
			t.Fatalf("largest change %v, at many instants %v", change, rough.change)
		}
	}
}

// repairedCurves repairs and checks what every repair promises, at many instants.
func repairedCurves(t *testing.T, w *separation.World, x []tensor.Batch) ([]tensor.Batch, separation.Outcome) {
	t.Helper()
	var out []tensor.Batch
	for _, b := range x {
		out = append(out, b.Clone())
	}
	o, err := w.Repair(t.Context(), out, x, 0)
	if err != nil {
		t.Fatal(err)
	}
	if v := w.Judge(out, 0); !v.Certified(w.Margin) {
		t.Fatalf("after %d rounds %v fails: %+v", o.Rounds, v.Worst(w.Margin), v[v.Worst(w.Margin)])
	}
	curves := w.Curves(out, 0)
	rough := sample(w, curves, 20)
	if rough.gap < w.Margin || rough.border < 0 {
		t.Fatalf("%+v at many instants, want a gap of %v", rough, w.Margin)
	}
	for i, r := range w.Robots {
		alone := sample(&separation.World{Robots: w.Robots[i : i+1]}, curves[i:i+1], 20)
		if unit := r.Unit[1]; (unit == 0 || unit == 1) && (r.Step > 0 && alone.step > r.Step || r.Change > 0 && alone.change > r.Change) {
			t.Fatalf("robot %d: %+v, limits %v and %v", i, alone, r.Step, r.Change)
		}
		n, c := out[i].Shape[0], out[i].Shape[1]
		for _, at := range []int{0, 1, (n - 1) * c, (n-1)*c + 1} {
			if out[i].Data[at] != x[i].Data[at] {
				t.Fatalf("robot %d: element %d is %v, want the end %v", i, at, out[i].Data[at], x[i].Data[at])
			}
		}
	}
	return out, o
}

func TestRepairOfCurvesAcrossACircle(t *testing.T) {
	for _, n := range robotsAcrossACircle() {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			w := separation.World{}
			for range n {
				w.Robots = append(w.Robots, separation.Robot{Radius: 0.05, Step: 1.5 * 1.6 / 63})
			}
			_, o := repairedCurves(t, curved(w), straight(acrossCircle(n, 0.8), 64))
			if o.Rounds == 0 || o.Displacement == 0 || o.Displacement > 0.5 {
				t.Errorf("%+v", o)
			}
		})
	}
}

// A robot in an empty room goes from rest to rest with little more than the least
// acceleration that takes it there.
func TestRepairOfCurvesFromRestToRest(t *testing.T) {
	const steps = 63
	for _, f := range []float64{1.03, 1.1, 1.2, 1.3, 1.5, 1.7, 2, 2.3, 2.6, 3} {
		t.Run(fmt.Sprint(f), func(t *testing.T) {
			w := separation.World{Robots: []separation.Robot{{Radius: 0.05, Change: f * 1.6 * 4 / (steps * steps)}}}
			repairedCurves(t, curved(w), straight([][2]geom.Vec2{{{X: -0.8}, {X: 0.8, Y: 1e-3}}}, steps+1))
		})
	}
}

func TestRepairOfCurvesAmongTrafficWithLimitsAndMargin(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of robots alone")
	}
	for seed := range uint64(4) {
		s := crossing(48)
		if seed > 0 {
			s = amongTurning(rand.New(rand.NewPCG(seed, 5)), 48)
		}
		s.Robots[0].Change, s.Robots[2].Change = 0.02, 0.03
		s.Robots[1].Before = geom.Vec2{X: 0.02, Y: 0.03}
		s.Margin = 0.02
		s.Obstacles = append(s.Obstacles, geom.Convex{Core: geom.Rectangle(geom.Vec2{X: -0.5, Y: 0.12}, geom.Vec2{X: 0.4, Y: 0.1}, 0.6)})
		out, _ := repairedCurves(t, curved(s.World), straight(crossingEnds, 48))
		first := curved(s.World).Curves(out, 0)[1].V[0]
		if first.Dist(s.Robots[1].Before) > 1e-9 {
			t.Errorf("begins with %v, want %v", first, s.Robots[1].Before)
		}
	}
}

// What waits for a repair that cannot help is refused with how far it can get.
func TestReachOfCurves(t *testing.T) {
	w := curved(separation.World{Robots: []separation.Robot{{Radius: 0.05, Step: 0.1}}})
	for _, c := range []struct {
		way     float64
		refused bool
	}{{0.1 * (63 - 2.0/3) * 0.998, false}, {0.1 * (63 - 2.0/3) * 1.001, true}} {
		x := straight([][2]geom.Vec2{{{}, {X: c.way}}}, 64)
		o, err := w.Repair(t.Context(), x, x, 0)
		var refused *project.InfeasibleError
		if errors.As(err, &refused) != c.refused || !c.refused && !o.Verdict.Certified(0) {
			t.Errorf("a way of %v: %v, %+v", c.way, err, o.Verdict)
		}
	}
}

func TestSetOfCurvesKeepsTheLawsOfJointSets(t *testing.T) {
	shape := tensor.Shape{32, 4}
	lawtest.Joint(t, lawtest.JointSuite{
		Joint: &separation.Set{World: *curved(crossing(32).World)}, Shapes: []tensor.Shape{shape, shape, shape}, Input: drawCrossing,
		NotConvex: true, Rows: lawRows(), First: 5, Seed: 14,
	})
}

func TestCurvesAreChecked(t *testing.T) {
	good := func() []geom.Curve {
		return []geom.Curve{{X: make([]geom.Vec2, 4), V: make([]geom.Vec2, 4), Step: 1}, {X: make([]geom.Vec2, 4), V: make([]geom.Vec2, 4), Step: 1}}
	}
	w := curved(separation.World{Robots: []separation.Robot{{Radius: 1}, {Radius: 1}}})
	if err := w.CheckCurves(good()); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(c []geom.Curve) []geom.Curve{
		"too few":        func(c []geom.Curve) []geom.Curve { return c[:1] },
		"no velocities":  func(c []geom.Curve) []geom.Curve { c[1].V = nil; return c },
		"other knots":    func(c []geom.Curve) []geom.Curve { c[1].X, c[1].V = c[1].X[1:], c[1].V[1:]; return c },
		"other times":    func(c []geom.Curve) []geom.Curve { c[1].Step = 2; return c },
		"no time":        func(c []geom.Curve) []geom.Curve { c[0].Step, c[1].Step = 0, 0; return c },
		"not a number":   func(c []geom.Curve) []geom.Curve { c[0].X[2].Y = math.NaN(); return c },
		"not a velocity": func(c []geom.Curve) []geom.Curve { c[0].V[3].X = math.Inf(1); return c },
	} {
		var refused *separation.WorldError
		if err := w.CheckCurves(spoil(good())); !errors.As(err, &refused) {
			t.Errorf("%s: %v, want a WorldError", name, err)
		}
	}
	for name, spoil := range map[string]func(w *separation.World){
		"step":     func(w *separation.World) { w.Motion.Step = -1 },
		"rounding": func(w *separation.World) { w.Motion.PerUnit[1] = math.NaN() },
		"end":      func(w *separation.World) { w.Robots[0].Ends = &[2]geom.Vec2{{X: math.NaN()}} },
		"steps of traffic": func(w *separation.World) {
			w.Traffic = []separation.Mover{{Radius: 1, Path: make([]geom.Vec2, 4), Steps: make([]geom.Vec2, 3)}}
		},
		"steps when straight": func(w *separation.World) {
			w.Motion.Curved = false
			w.Traffic = []separation.Mover{{Radius: 1, Path: make([]geom.Vec2, 4), Steps: make([]geom.Vec2, 4)}}
		},
	} {
		w := curved(separation.World{Robots: []separation.Robot{{Radius: 1}, {Radius: 1}}})
		spoil(w)
		var refused *separation.WorldError
		if err := w.Check(4); !errors.As(err, &refused) {
			t.Errorf("%s: %v, want a WorldError", name, err)
		}
	}
}

// The gap to traffic is told however far it is from robots that stand or hardly move.
func TestJudgeOfCurvesTellsTrafficFarFromRobotsThatStand(t *testing.T) {
	for _, name := range []string{"in time", "late"} {
		w := curved(separation.World{
			Robots:  []separation.Robot{{Radius: 0.5}},
			Traffic: []separation.Mover{{Radius: 0.5, Path: []geom.Vec2{{X: 40, Y: -1}, {X: 40}, {X: 40, Y: 1}}}},
		})
		if name == "late" {
			w.Lateness = 0.5
		}
		for _, moved := range []float64{0, 1e-3, 50} {
			c := geom.Curve{X: []geom.Vec2{{}, {X: -moved}, {X: -moved}}, V: make([]geom.Vec2, 3), Step: 1}
			if got, want := w.JudgeCurves([]geom.Curve{c})[separation.Bodies].Value, 39.0; !(math.Abs(got-want) < 0.1) {
				t.Errorf("%s, moved by %v: the gap to traffic is %v, want %v", name, moved, got, want)
			}
		}
	}
}
