package judge

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/paths"
)

// motionAt returns the velocity and the acceleration of a curved path by its definition: differences of [at].
func motionAt(p *paths.Path, t float64) (v, a geom.Vec2) {
	before, is, after := at(p, t-apart), at(p, t), at(p, t+apart)
	return after.Sub(before).Scale(1 / (2 * apart)), after.Sub(is).Sub(is.Sub(before)).Scale(1 / (apart * apart))
}

const apart = 1e-4 // seconds between the points of a difference

// roving returns a curved path on which a robot never comes near to rest, over pieces of different length.
func roving(r *rand.Rand) *paths.Path {
	p := &paths.Path{}
	t := 3 + r.Float64()
	for k := range 4 + r.IntN(4) {
		p.Times = append(p.Times, t)
		p.X = append(p.X, geom.Vec2{X: 4 * float64(k), Y: 2 * r.Float64()})
		p.V = append(p.V, geom.Vec2{X: 3 + r.Float64(), Y: 2 * r.NormFloat64()})
		t += 0.8 + 0.6*r.Float64()
	}
	return p
}

// How fast a robot turns and how tightly its way bends is what samples of the motion show, whether that is within
// the limits or beyond them.
func TestTurningAgreesWithSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, many numbers")
	}
	r := rand.New(rand.NewPCG(3, 4))
	exceeded := 0
	for trial := range 60 {
		p := roving(r)
		rate, bend := 0.0, 0.0
		for k := range len(p.Times) - 1 {
			const samples = 400
			from, to := p.Times[k]+apart, p.Times[k+1]-apart // accelerations jump between pieces
			for s := range samples + 1 {
				v, a := motionAt(p, from+(to-from)*float64(s)/samples)
				turns := math.Abs(v.Cross(a)) / v.Dot(v)
				rate, bend = max(rate, turns), max(bend, turns/v.Norm())
			}
		}
		share := [2]float64{0.7, 1.3}[trial%2] // of what the motion does
		robot := Robot{Name: "a", Radius: 0.1, Path: p, TurnRate: share * rate, TurningRadius: 1 / (share * bend)}
		v, err := (&World{Robots: []Robot{robot}}).Judge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			kind        Kind
			limit, most float64
		}{{Turning, robot.TurnRate, rate}, {Curvature, 1 / robot.TurningRadius, bend}} {
			if got := c.limit - v.margin(c.kind); math.Abs(got-c.most) > 0.002*c.most {
				t.Errorf("trial %d: %s of %v, samples show %v", trial, c.kind, got, c.most)
			}
		}
		if share < 1 != (len(v.Faults) > 0) {
			t.Errorf("trial %d: %g of the turning is allowed: %+v", trial, share, v.Faults)
		}
		exceeded += len(v.Faults)
	}
	if exceeded == 0 {
		t.Error("no limit was exceeded")
	}
}

// Robots that may be late come as near to each other as samples of both motions show at any two times that differ
// by no more, and never nearer than is said.
func TestLateAgreesWithSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, many numbers")
	}
	r := rand.New(rand.NewPCG(5, 6))
	for trial := range 40 {
		w := &World{Robots: []Robot{
			{Name: "a", Radius: 0.1, Path: random(r, "", trial%2 == 0)}, {Name: "b", Radius: 0.2, Path: random(r, "", trial%3 == 0)},
		}, Traffic: []Robot{{Name: "cart", Radius: 0.3, Path: random(r, "", false)}}}
		seconds := r.Float64()
		got, err := w.JudgeLate(t.Context(), seconds)
		if err != nil {
			t.Fatal(err)
		}
		begin := min(w.Robots[0].Path.Times[0], w.Robots[1].Path.Times[0])
		end := w.end() + seconds
		smallest, fastest := math.Inf(1), 0.0
		const samples = 300
		step := (end - begin) / samples
		var places [3][samples + 1]geom.Vec2
		for i := range places {
			for k := range samples + 1 {
				places[i][k] = at(w.body(i).Path, begin+step*float64(k))
				if k > 0 {
					fastest = max(fastest, places[i][k].Dist(places[i][k-1])/step)
				}
			}
		}
		for i := range w.Robots {
			for j := i + 1; j < w.bodies(); j++ {
				radii := w.body(i).Radius + w.body(j).Radius
				for k := range samples + 1 {
					for m := max(0, k-int(seconds/step)); m <= min(samples, k+int(seconds/step)); m++ {
						smallest = min(smallest, places[i][k].Dist(places[j][m])-radii)
					}
				}
			}
		}
		// Between samples, and within a 64th of a piece, both may be nearer.
		if got.Gap > smallest+1e-12 || got.Gap < smallest-fastest*(step+1.0/32) {
			t.Errorf("trial %d: %v, samples show %v", trial, got.Gap, smallest)
		}
		if none, err := w.JudgeLate(t.Context(), 0); err != nil || none.Gap < got.Gap-1e-9 {
			t.Errorf("trial %d: %v when nobody is late, %v by %v s, error %v", trial, none.Gap, got.Gap, seconds, err)
		}
	}
}

// Traffic whose path has few points, minutes apart, is as near as it is when it is late: not as all that it passes
// between two points.
func TestLateBesideTrafficOfFewPoints(t *testing.T) {
	follows := &paths.Path{}
	for k := range 400 {
		follows.Times = append(follows.Times, 0.25*float64(k))
		follows.X = append(follows.X, geom.Vec2{X: 0.25 * float64(k)})
	}
	cart := &paths.Path{Times: []float64{0, 200}, X: []geom.Vec2{{X: 4}, {X: 204}}} // as fast, 4 ahead
	w := &World{Robots: []Robot{{Name: "a", Radius: 0.5, Path: follows}}, Traffic: []Robot{{Name: "cart", Radius: 0.5, Path: cart}}, Until: 99.75}
	got, err := w.JudgeLate(t.Context(), 1)
	if err != nil || got.Gap > 2 || got.Gap < 1.95 {
		t.Errorf("%v, %v: want a gap of nearly 2, less by what pieces of a 64th are long", got, err)
	}
}

// A curve begins and ends in the motion that a robot is in before and after it; another one is a jump, which no
// acceleration allows.
func TestCurvesBeginAndEndInMotion(t *testing.T) {
	v := geom.Vec2{X: 1}
	p := &paths.Path{Times: []float64{0, 1, 2}, X: []geom.Vec2{{}, {X: 1}, {X: 2}}, V: []geom.Vec2{v, v, v}}
	for name, c := range map[string]struct {
		before, after geom.Vec2
		faults        int
	}{
		"as before and after": {v, v, 0}, "from rest": {geom.Vec2{}, v, 1}, "to rest": {v, geom.Vec2{}, 1}, "another way": {v.Perp(), v.Scale(-1), 1},
	} {
		w := &World{Robots: []Robot{{Name: "a", Radius: 0.1, Path: p, Acceleration: 2, Before: c.before, After: c.after}}}
		verdict, err := w.Judge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(verdict.Faults) != c.faults || slices.ContainsFunc(verdict.Faults, func(f Fault) bool { return f.Kind != Acceleration }) {
			t.Errorf("%s: %+v", name, verdict.Faults)
		}
		if c.faults == 0 && verdict.margin(Acceleration) != 2 {
			t.Errorf("%s: %v of 2 is left", name, verdict.margin(Acceleration))
		}
	}
}

// A world with a number that makes no sense is refused, and names who has it.
func TestWorldsAreChecked(t *testing.T) {
	x := []geom.Vec2{{}, {X: 1}}
	for name, r := range map[string]Robot{
		"radius": {Path: &paths.Path{X: x}}, "endless": {Radius: math.Inf(1), Path: &paths.Path{X: x}}, "no path": {Radius: 1},
		"empty": {Radius: 1, Path: &paths.Path{}}, "times": {Radius: 1, Path: &paths.Path{X: x, Times: []float64{0}}},
		"velocities": {Radius: 1, Path: &paths.Path{X: x, Times: []float64{0, 1}, V: x[:1]}}, "untimed": {Radius: 1, Path: &paths.Path{X: x, V: x}},
	} {
		r.Name = name
		good := Robot{Name: "good", Radius: 1, Path: &paths.Path{X: x, Times: []float64{0, 1}}}
		for _, w := range []*World{{Robots: []Robot{good, r}}, {Robots: []Robot{good}, Traffic: []Robot{r}}} {
			_, err := w.Judge(t.Context())
			if e, ok := errors.AsType[*WorldError](err); !ok || e.Robot != name {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := w.JudgeLate(t.Context(), 1); err == nil {
				t.Errorf("%s: late robots are judged", name)
			}
		}
	}
}
