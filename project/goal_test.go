package project_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

func TestGoalTooFar(t *testing.T) {
	goals := tensor.New(3, 2)
	goals.First = 20
	copy(goals.Data, []float32{0.1, 0, 0, 0.75, 3, 4})
	s, err := project.NewSpeedLimit(0.25, project.Path{Start: row(0, 0), Goal: goals, Skip: 1})
	if err != nil {
		t.Fatal(err)
	}
	x := tensor.New(3, 5, 4) // 4 steps reach 1
	x.First = 20
	for i := range x.Data {
		x.Data[i] = float32(i)
	}
	before := x.Clone()
	_, err = s.Project(context.Background(), x, x)
	var ie *project.InfeasibleError
	if !errors.As(err, &ie) || ie.Sample != 22 || math.Abs(ie.Violation-4) > 1e-12 {
		t.Fatalf("Project to a goal at 5 with 4 steps of 0.25 = %v, want sample 22 infeasible by 4", err)
	}
	for i, v := range before.Data {
		if x.Data[i] != v {
			t.Fatalf("element %d was written before the error", i)
		}
	}
	r, err := s.Project(context.Background(), x.Rows(0, 2), x.Rows(0, 2))
	if err != nil || r.Status != project.Converged {
		t.Fatalf("Project of the others = %+v, %v", r, err)
	}
	for k, want := range [][2]float32{{0.1, 0}, {0, 0.75}} {
		if got := x.Sample(k)[16:18]; got[0] != want[0] || got[1] != want[1] {
			t.Errorf("sample %d ends at %v, want %v", k, got, want)
		}
	}
}

// TestTightGoals walks goals across the distance that can just be reached.
func TestTightGoals(t *testing.T) {
	const n = 10
	feasible, infeasible := 0, 0
	for i := range 400 {
		angle := 0.1 * float64(i)
		apart := 1 + 1e-8*float64(i-200)
		goal := row(float32(3+apart*math.Cos(angle)), float32(-2+apart*math.Sin(angle)))
		s, err := project.NewSpeedLimit(0.1, project.Path{Start: row(3, -2), Goal: goal})
		if err != nil {
			t.Fatal(err)
		}
		x := points(1, 2*n, 1)
		x.Shape = tensor.Shape{n, 2}
		r, err := s.Project(context.Background(), x, x)
		var ie *project.InfeasibleError
		switch {
		case errors.As(err, &ie):
			infeasible++
			if !(ie.Violation > 0 && ie.Violation < 1e-5) {
				t.Errorf("goal %v: %v, want a violation of the size of rounding", goal.Data, err)
			}
		case err != nil:
			t.Fatal(err)
		default:
			feasible++
			if r.ViolationAfter > 0 {
				t.Errorf("goal %v: %+v", goal.Data, r)
			}
		}
	}
	if infeasible == 0 {
		t.Error("no goal was out of reach, want the test to cross the limit")
	}
	t.Logf("%d reached, %d out of reach", feasible, infeasible)

	// Steps that float32 has are reached exactly.
	s, err := project.NewSpeedLimit(0.125, project.Path{Start: row(0, 0), Goal: row(0, 1.25)})
	if err != nil {
		t.Fatal(err)
	}
	x := points(1, 2*n, 1)
	x.Shape = tensor.Shape{n, 2}
	if _, err := s.Project(context.Background(), x, x); err != nil {
		t.Fatal(err)
	}
	for h := range n {
		if x.Data[2*h] != 0 || x.Data[2*h+1] != 0.125*float32(h+1) {
			t.Errorf("waypoint %d is %v, want (0, %v)", h, x.Data[2*h:2*h+2], 0.125*float32(h+1))
		}
	}
}

func TestZeroLimitStaysAtTheStart(t *testing.T) {
	s, err := project.NewSpeedLimit(0, project.Path{Start: row(0.1, -7), Skip: 1})
	if err != nil {
		t.Fatal(err)
	}
	x := points(1, 24, 5)
	x.Shape = tensor.Shape{6, 4}
	out := tensor.New(1, 6, 4)
	r, err := s.Project(context.Background(), out, x)
	if err != nil || r.Status != project.Converged {
		t.Fatalf("Project = %+v, %v", r, err)
	}
	for i, v := range out.Data {
		want := x.Data[i] // skipped, or a velocity
		if i >= 4 && i%4 < 2 {
			want = []float32{0.1, -7}[i%4]
		}
		if v != want {
			t.Errorf("element %d is %v, want %v", i, v, want)
		}
	}
}

// TestGoalsOfHostilePathsConverge pins goals on paths that are far away from them,
// a million limits, or that leave little to spare. Results must be optimal to what
// float32 resolves: a margin of some units in the last place per step takes n times
// that from the sides of a path, and more by the root of what there is to spare.
func TestGoalsOfHostilePathsConverge(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers of many paths, whose goroutines the laws watch")
	}
	for _, c := range []struct{ slack, noise, most float64 }{
		{0.7, 10, 0}, {0.7, 1e6, 0.02}, {0.1, 1e6, 0.02}, {0.01, 1e6, 0.02}, {1e-3, 1e3, 0.02}, {1e-4, 10, 0}, {1e-4, 1e3, 0.02}, {1e-5, 10, 0.02},
	} {
		r := rand.New(rand.NewPCG(3, 4))
		missed := 0
		const rows = 200
		for range rows {
			n, dims := 2+r.IntN(40), 1+r.IntN(3)
			x, goal := tensor.New(1, n, dims), tensor.New(1, dims)
			square := 0.0
			for i := range dims {
				goal.Data[i] = float32(r.NormFloat64())
				square += float64(goal.Data[i]) * float64(goal.Data[i])
			}
			limit := math.Sqrt(square) / float64(n) * (1 + c.slack)
			for i := range x.Data {
				x.Data[i] = float32(limit * c.noise * r.NormFloat64())
			}
			s, err := project.NewSpeedLimit(limit, project.Path{Start: tensor.New(1, dims), Goal: goal})
			if err != nil {
				t.Fatal(err)
			}
			out := tensor.New(1, n, dims)
			report, err := s.Project(context.Background(), out, x)
			if err != nil || report.ViolationAfter > 0 {
				t.Fatalf("slack %v, noise %v: %+v, %v", c.slack, c.noise, report, err)
			}
			if report.Status != project.Converged {
				missed++
				continue
			}
			if off, room := farFromExact(s, out, x), 5e-7*float64(n+10)*(1+math.Sqrt(square))/math.Sqrt(c.slack); off > room {
				t.Errorf("slack %v, noise %v, %d points: %g from the exact solution, more than %g", c.slack, c.noise, n, off, room)
			}
		}
		if rate := float64(missed) / rows; rate > c.most {
			t.Errorf("slack %v, noise %v: %.1f %% of the projections end at their limit, want at most %.1f %%", c.slack, c.noise, 100*rate, 100*c.most)
		}
	}
}

// farFromExact returns the largest distance of an element from the exact solution.
func farFromExact(s *project.SpeedLimit, out, x tensor.Batch) (worst float64) {
	exact := make([]float64, x.Size())
	for i, v := range x.Data {
		exact[i] = float64(v)
	}
	s.ProjectExact(exact, exact, x.Shape, 0)
	for i, v := range out.Data {
		worst = max(worst, math.Abs(float64(v)-exact[i]))
	}
	return worst
}

// A goal at the start that nothing can leave has one path, which is found.
func TestGoalAtTheStart(t *testing.T) {
	for _, limit := range []float64{0, 1e-30} {
		s, err := project.NewSpeedLimit(limit, project.Path{Start: row(3, -2), Goal: row(3, -2)})
		if err != nil {
			t.Fatal(err)
		}
		x := points(1, 20, 1)
		x.Shape = tensor.Shape{10, 2}
		r, err := s.Project(context.Background(), x, x)
		if err != nil || r.Status != project.Converged || r.ViolationAfter > 0 || !(r.Residual <= 1e-6) {
			t.Errorf("limit %v: %+v, %v, want a converged path", limit, r, err)
		}
	}
}
