package separation_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// steady returns a curve that goes straight at a steady speed, with its knots at whole numbers.
func steady(from, step geom.Vec2, knots int) geom.Curve {
	c := geom.Curve{Step: 1}
	for h := range knots {
		c.X, c.V = append(c.X, from.Add(step.Scale(float64(h)))), append(c.V, step)
	}
	return c
}

// lateWorld is a world of robots that may be late.
func lateWorld(robots int, radius, late float64) *separation.World {
	w := &separation.World{Lateness: late, Motion: separation.Motion{Curved: true}}
	for range robots {
		w.Robots = append(w.Robots, separation.Robot{Radius: radius})
	}
	return w
}

// One that follows another comes nearer by what the first is late; of two that cross at a right
// angle the one may be at the crossing when the other is as far from it as the times leave.
func TestGapsOfLateRobots(t *testing.T) {
	const radius = 0.1
	for _, late := range []float64{0, 0.25, 0.3, 1, 1.7, 3} {
		w := lateWorld(2, radius, late)
		follow := []geom.Curve{steady(geom.Vec2{X: 1}, geom.Vec2{X: 0.2}, 12), steady(geom.Vec2{}, geom.Vec2{X: 0.2}, 12)}
		got, want := w.JudgeCurves(follow)[separation.Bodies].Value, 1-0.2*late-2*radius
		if got > want+1e-9 || got < want-0.2/4-1e-9 { // by pieces of an eighth of a span each
			t.Errorf("late by %v: one that follows keeps %v, want %v", late, got, want)
		}
		// At times s and u they are at (0.2(s − 5), 0) and (0, 0.2(u − 9)): apart by 0.2·√((s−5)² + (u−9)²), at
		// least by 0.2·(4 − late)/√2.
		cross := []geom.Curve{steady(geom.Vec2{X: -1}, geom.Vec2{X: 0.2}, 12), steady(geom.Vec2{Y: -1.8}, geom.Vec2{Y: 0.2}, 12)}
		got, want = w.JudgeCurves(cross)[separation.Bodies].Value, 0.2*(4-late)/math.Sqrt2-2*radius
		if got > want+1e-9 || got < want-0.2/4-1e-9 {
			t.Errorf("late by %v: they cross with %v, want %v", late, got, want)
		}
	}
}

// drawn returns random smooth curves.
func drawn(r *rand.Rand, robots, waypoints int) ([]geom.Curve, []tensor.Batch) {
	var curves []geom.Curve
	var all []tensor.Batch
	for range robots {
		x := tensor.New(1, waypoints, 2)
		p := geom.Vec2{X: 4 * r.Float64(), Y: 4 * r.Float64()}
		v := geom.Vec2{X: r.NormFloat64(), Y: r.NormFloat64()}.Scale(0.2)
		var points []geom.Vec2
		for h := range waypoints {
			x.Data[2*h], x.Data[2*h+1] = float32(p.X), float32(p.Y)
			points = append(points, geom.Vec2{X: float64(x.Data[2*h]), Y: float64(x.Data[2*h+1])})
			v = v.Add(geom.Vec2{X: r.NormFloat64(), Y: r.NormFloat64()}.Scale(0.05))
			p = p.Add(v)
		}
		curves, all = append(curves, geom.NaturalSpline(points, 1, geom.Vec2{}, geom.Vec2{})), append(all, x)
	}
	return curves, all
}

// sampledLate returns the smallest gap that samples of two curves show whose times differ by no
// more than the lateness.
func sampledLate(a, b geom.Curve, radii, late float64) float64 {
	const per = 20
	least := math.Inf(1)
	n := a.Spans() * per
	for s := range n + 1 {
		x, _, _ := a.At(float64(s) / per)
		for u := max(0, s-int(late*per)); u <= min(n, s+int(late*per)); u++ {
			y, _, _ := b.At(float64(u) / per)
			least = min(least, x.Dist(y)-radii)
		}
	}
	return least
}

// Gaps of late robots are never larger than samples show, and hardly smaller; the witnesses of
// what is apart part all samples, and leave none out.
func TestLateRobotsAgainstSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(50, 1))
	apart := 0
	for k := range 60 {
		late := []float64{0.3, 1, 2.4}[k%3]
		curves, _ := drawn(r, 2, 9)
		w := lateWorld(2, 0.05, late)
		got, want := w.JudgeCurves(curves)[separation.Bodies].Value, sampledLate(curves[0], curves[1], 0.1, late)
		if got > want+1e-9 || want > 0.1 && got < want-0.15 {
			t.Fatalf("late by %v: %v, samples say %v", late, got, want)
		}
		if got < 0 {
			continue
		}
		apart++
		proof, proven, err := w.WitnessCurves(t.Context(), curves)
		if err != nil || !proven {
			t.Fatalf("a gap of %v is not proven: %v", got, err)
		}
		const per = 10
		for s := range 8*per + 1 {
			for u := max(0, s-int(late*per)); u <= min(8*per, s+int(late*per)); u++ {
				if !parted(proof.Late, curves, float64(s)/per, float64(u)/per) {
					t.Fatalf("late by %v: no direction parts them at %v and %v", late, float64(s)/per, float64(u)/per)
				}
			}
		}
	}
	if apart < 20 {
		t.Fatalf("%d are apart, want more", apart)
	}
}

// parted reports whether a witness holds at two progresses.
func parted(all []separation.Witness, curves []geom.Curve, s, u float64) bool {
	x, _, _ := curves[0].At(s)
	y, _, _ := curves[1].At(u)
	for _, w := range all {
		if w.From <= s && s <= w.To && w.There[0] <= u && u <= w.There[1] {
			return w.N.Dot(x.Sub(y)) >= 0.1*w.N.Norm()
		}
	}
	return false
}

// A repair for robots that are late moves them apart in all of the tube.
func TestRepairsForLateRobots(t *testing.T) {
	for _, late := range []float64{0.4, 1, 2.5} {
		w := lateWorld(2, 0.1, late)
		x := []tensor.Batch{tensor.New(1, 24, 2), tensor.New(1, 24, 2)}
		for h := range 24 { // both across the middle, the second a little later
			x[0].Data[2*h], x[0].Data[2*h+1] = float32(-1.2+2.4*float64(h)/23), 0
			x[1].Data[2*h], x[1].Data[2*h+1] = 0, float32(-1.35+2.4*float64(h)/23)
		}
		o, err := w.Repair(t.Context(), x, x, 0)
		if err != nil || !o.Verdict.Certified(0) {
			t.Fatalf("late by %v: %+v, %v", late, o.Verdict[separation.Bodies], err)
		}
		curves := w.Curves(x, 0)
		if got := sampledLate(curves[0], curves[1], 0.2, late); got < 0 {
			t.Errorf("late by %v: samples show %v", late, got)
		}
	}
}

// A repair goes on beside a robot that rests already, where traffic is still under way.
func TestRepairsBesideLateRobotsAtRest(t *testing.T) {
	w := lateWorld(2, 0.1, 3)
	times, path := []float64{}, []geom.Vec2{}
	for h := range 30 {
		times, path = append(times, float64(h)), append(path, geom.Vec2{X: 5, Y: float64(h)})
	}
	w.Traffic = []separation.Mover{{Radius: 0.1, Path: path, Times: times}}
	x := []tensor.Batch{tensor.New(1, 24, 2), tensor.New(1, 24, 2)}
	for h := range 24 { // the first goes past where the second comes to rest
		x[0].Data[2*h], x[0].Data[2*h+1] = float32(-1.2+2.4*float64(h)/23), 0
		x[1].Data[2*h], x[1].Data[2*h+1] = 0.5, float32(1.7-1.55*float64(h)/23)
	}
	for _, order := range [][]tensor.Batch{x, {x[1], x[0]}} {
		if o, err := w.Repair(t.Context(), order, order, 0); err != nil || !o.Verdict.Certified(0) {
			t.Errorf("%+v, %v", o, err)
		}
	}
}

// Traffic that goes on after the last waypoint is judged beside robots that rest at their ends.
func TestTrafficAfterTheLastWaypoint(t *testing.T) {
	x := []tensor.Batch{tensor.New(1, 4, 2)}
	for h := range 4 {
		x[0].Data[2*h] = float32(h) / 10
	}
	for _, curved := range []bool{false, true} {
		for _, c := range []struct {
			until float64 // y at the end
			want  bool
		}{{1, true}, {0.1, false}} {
			w := &separation.World{Robots: []separation.Robot{{Radius: 0.1}}, Motion: separation.Motion{Curved: curved}}
			w.Traffic = []separation.Mover{{Radius: 0.1, Path: []geom.Vec2{{X: 0.3, Y: 2}, {X: 0.3, Y: 2}, {X: 0.3, Y: 2}, {X: 0.3, Y: 2}, {X: 0.3, Y: c.until}}, Times: []float64{0, 1, 2, 3, 4}}}
			if err := w.Check(4); err != nil {
				t.Fatal(err)
			}
			v := w.Judge(x, 0)
			if got := v[separation.Bodies].Value; v.Certified(0) != c.want || math.Abs(got-(c.until-0.2)) > 1e-9 {
				t.Errorf("curved %v: traffic ends at %v: a gap of %v", curved, c.until, got)
			}
			proof, proven, err := w.Witness(t.Context(), x, 0)
			if err != nil || proven != c.want || c.want && proof.Bodies[len(proof.Bodies)-1].To != 4 {
				t.Errorf("curved %v: proven %v: %+v, %v", curved, proven, proof.Bodies, err)
			}
		}
	}
}
