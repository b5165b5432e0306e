package plan

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// framed returns a team in metres, with robots that differ, on a map with a wall.
func framed(t *testing.T) Team {
	team, _ := walled(t, 1.2, 0.06, []geom.Box{{Min: at(-0.1, 0.1), Max: at(0.1, 0.9)}},
		[2]geom.Vec2{at(-0.7, 0), at(0.7, 0.02)}, [2]geom.Vec2{at(0.1, -0.7), at(0, 0)}, [2]geom.Vec2{at(0.7, -0.3), at(-0.7, -0.2)})
	team.Robots[1].Radius, team.Robots[2].Acceleration = 0.04, 12
	team.Frame = nav2d.Frame{Center: at(7, 3), Scale: 5}
	return team
}

// nearStraight draws normalised paths from start to goal with a bend.
func nearStraight(team Team) func(r *rand.Rand, x [][]float32) {
	return func(r *rand.Rand, x [][]float32) {
		for i, robot := range team.Robots {
			bend := at(0.05*r.NormFloat64(), 0.05*r.NormFloat64())
			n := len(x[i]) / channels
			for h := range n {
				u := float64(h) / float64(n-1)
				smooth := u * u * (3 - 2*u)
				p := robot.Start.Lerp(robot.Goal, smooth).Add(bend.Scale(math.Pow(math.Sin(math.Pi*u), 2)))
				copy(x[i][h*channels:], robot.Model.state(p).Data)
			}
		}
	}
}

func TestContactFreeKeepsTheLawsOfJointSets(t *testing.T) {
	team := framed(t)
	set, err := team.newContactFree()
	if err != nil {
		t.Fatal(err)
	}
	shape := tensor.Shape{64, channels}
	lawtest.Joint(t, lawtest.JointSuite{
		Joint: set, Shapes: []tensor.Shape{shape, shape, shape}, Input: nearStraight(team),
		NotConvex: true, Rows: 8, First: 3, Seed: 30,
	})
}

// Samples that are projected after the last steps are certified as they are drawn.
func TestSeparationSteps(t *testing.T) {
	team := drawnTeam(t, nav2d.Highways(), 6, 1, 61)
	team.Motion = Polyline
	o := Options{Method: PCDSHD, Settings: settings(t, "default"), Gamma: new(0.1), Seed: 4}
	drawn := func(steps, workers int) *Result {
		o.Settings.SeparationSteps, o.Workers = steps, workers
		r, err := Run(t.Context(), team, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	free := func(r *Result) (n int) {
		w, err := team.World()
		if err != nil {
			t.Fatal(err)
		}
		for k := range r.Samples[0].N {
			if w.Judge(r.Samples, k).Certified(w.Margin) {
				n++
			}
		}
		return n
	}
	plain, one, two := drawn(0, 1), drawn(1, 1), drawn(2, 3)
	if n := free(plain); n == 4 {
		t.Error("nothing is left to project")
	}
	for _, r := range []*Result{one, two} {
		if n := free(r); n != 4 || !r.SampleLimits.Certified || len(r.Nearest().Changes) != 0 {
			t.Errorf("%d of 4 samples are certified as drawn, their limits %v, changes %v", n, r.SampleLimits.Certified, r.Nearest().Changes)
		}
	}
	again := drawn(2, 1)
	for i, x := range two.Samples {
		if !slices.Equal(x.Data, again.Samples[i].Data) {
			t.Errorf("robot %d: the samples depend on the number of goroutines", i)
		}
	}
}

// A robot that cannot be at its goal within what rounding leaves of its limit is
// refused, by distance, and nothing moves.
func TestContactFreeRefusesGoalsOutOfReach(t *testing.T) {
	team := framed(t)
	way := team.Robots[0].Model.state(team.Robots[0].Goal).Data[0] - team.Robots[0].Model.state(team.Robots[0].Start).Data[0]
	team.Robots[0].Limit = float64(way) / 63 / team.Step
	set, err := team.newContactFree()
	if err != nil {
		t.Fatal(err)
	}
	shape := tensor.Shape{64, channels}
	x := []tensor.Batch{tensor.New(1, shape...), tensor.New(1, shape...), tensor.New(1, shape...)}
	nearStraight(team)(rand.New(rand.NewPCG(1, 2)), [][]float32{x[0].Data, x[1].Data, x[2].Data})
	before := []tensor.Batch{x[0].Clone(), x[1].Clone(), x[2].Clone()}
	if _, err := set.Project(t.Context(), x, x); !errors.Is(err, project.ErrInfeasible) {
		t.Errorf("%v, want %v", err, project.ErrInfeasible)
	}
	for i, b := range before {
		if !slices.Equal(b.Data, x[i].Data) {
			t.Errorf("robot %d moved", i)
		}
	}
}

func TestSeparationStepsAreRefused(t *testing.T) {
	team := pairOnEmpty(t)
	for name, spoil := range map[string]func(*Settings){
		"negative": func(s *Settings) { s.SeparationSteps = -1 }, "too many": func(s *Settings) { s.SeparationSteps = s.Steps + 1 },
		"free goals": func(s *Settings) { s.SeparationSteps, s.PinGoal = 1, false }, "preset paper": func(s *Settings) { *s = settings(t, "paper"); s.SeparationSteps = 2 },
	} {
		s := settings(t, "default")
		spoil(&s)
		var refused *TeamError
		if _, err := Run(t.Context(), team, Options{Method: PCDSHD, Settings: s}); !errors.As(err, &refused) {
			t.Errorf("%s: %v, want it refused", name, err)
		}
	}
}
