package plan

import (
	"errors"
	"math"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/project/separation"
)

// A plan along curves begins and ends at rest where the scene says, in its decimals, and
// keeps every limit and every radius at many instants.
func TestPlansAlongCurves(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	for _, name := range []string{"intersection", "doorway", "forest"} {
		team := exampleTeam(t, name)
		team.Motion = Curve
		p := delivered(t, team, Options{})
		if p == nil || !p.Certificate.Certified || len(p.Curves) != len(team.Robots) {
			t.Fatalf("%s: %+v", name, p)
		}
		w := p.Certificate.World
		const instants = 16
		for i, c := range p.Curves {
			start, goal := team.TaskFrame().FromMap(team.Robots[i].Start), team.TaskFrame().FromMap(team.Robots[i].Goal)
			if last := len(c.X) - 1; c.X[0].Dist(start) > 1e-12 || c.X[last].Dist(goal) > 1e-12 {
				t.Errorf("%s: robot %d goes from %v to %v, want %v to %v", name, i, c.X[0], c.X[last], start, goal)
			}
			step := geom.Vec2{X: w.Robots[i].Before.X / c.Step, Y: w.Robots[i].Before.Y / c.Step}
			if c.V[0].Dist(step) > 1e-6 {
				t.Errorf("%s: robot %d begins with %v, want %v", name, i, c.V[0], step)
			}
			for k := range c.Spans()*instants + 1 {
				at := float64(k) / instants * c.Step
				x, v, a := c.At(at)
				r, unit := w.Robots[i], w.Robots[i].Unit[0]
				if r.Step > 0 && v.Norm()*c.Step/unit > r.Step || r.Change > 0 && a.Norm()*c.Step*c.Step/unit > r.Change {
					t.Fatalf("%s: robot %d at %v: velocity %v, acceleration %v", name, i, at, v, a)
				}
				for j := range i {
					if y, _, _ := p.Curves[j].At(at); x.Dist(y) < r.Radius+w.Robots[j].Radius+w.Margin {
						t.Fatalf("%s: robots %d and %d are %v apart at %v", name, i, j, x.Dist(y), at)
					}
				}
				for o, c := range w.Obstacles {
					if d, _ := c.SignedDistance(x); d < r.Radius+w.Margin-1e-12 {
						t.Fatalf("%s: robot %d is %v from obstacle %d at %v", name, i, d, o, at)
					}
				}
			}
		}
	}
}

// What does not go with curves is refused before anything is computed.
func TestCurvesAreRefused(t *testing.T) {
	team := exampleTeam(t, "doorway")
	team.Motion = Curve
	for name, o := range map[string]Options{
		"a search":          {Method: "pp"},
		"goals let go":      {Settings: settings(t, "paper")},
		"steps in the loop": {Settings: func() Settings { s := settings(t, "default"); s.SeparationSteps = 2; return s }()},
	} {
		var refused *TeamError
		if err := team.CheckRun(o); !errors.As(err, &refused) {
			t.Errorf("%s: %v, want a TeamError", name, err)
		}
	}
	team.Motion = "spline"
	var refused *TeamError
	if err := team.CheckRun(Options{}); !errors.As(err, &refused) {
		t.Errorf("%v, want a TeamError", err)
	}
}

// Waypoints of a team along curves are control points for who judges and repairs them.
func TestCertifyAlongCurves(t *testing.T) {
	team := fourOnEmpty(t)
	team.Motion = Curve
	straight := delivered(t, team, Options{})
	var control = straight.Trajectories
	p, err := team.Repair(t.Context(), control)
	if err != nil || !p.Certificate.Certified || p.Curves == nil {
		t.Fatalf("%v, %+v", err, p)
	}
	if v := p.Certificate.World.JudgeCurves(p.Curves); math.Abs(v[separation.Bodies].Value-*p.Certificate.Gap(separation.Bodies)) > 1e-12 {
		t.Errorf("gap %v, in the certificate %v", v[separation.Bodies].Value, *p.Certificate.Gap(separation.Bodies))
	}
	if x := p.Trajectories[0].Data[4*10 : 4*10+4]; math.Abs(float64(x[2])-p.Curves[0].V[10].X) > 1e-6 {
		t.Errorf("state %v, velocity %v", x, p.Curves[0].V[10])
	}
}
