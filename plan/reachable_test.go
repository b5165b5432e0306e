package plan

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project"
)

func TestReachFromRest(t *testing.T) {
	team, _ := walled(t, 100, 0.05, nil, [2]geom.Vec2{at(-0.5, 0), at(0.5, 0)})
	r := team.Robots[0]
	half, steps := larger(r.Model.HalfRange()), 63.0
	r.Acceleration = 0.2
	// Without a speed limit: from rest to rest in n steps, n odd, b (n+1)²/4.
	want := 0.2 * nav2d.Step * nav2d.Step * half * (steps + 1) * (steps + 1) / 4
	if got := team.reachAlong(r, at(1, 0)); math.Abs(got-want) > 1e-12 {
		t.Errorf("reach %v, want %v", got, want)
	}
	r.Limit, r.Acceleration = 0.5, 1e6
	if got, want := team.reachAlong(r, at(1, 0)), steps*0.5*nav2d.Step*half; math.Abs(got-want) > 1e-12 {
		t.Errorf("reach %v at the speed limit, want %v", got, want)
	}
	var refused *TeamError
	r.Acceleration = 0.05
	var far *RestError
	if err := team.checkMotion(r); !errors.As(err, &far) || !errors.Is(err, project.ErrInfeasible) {
		t.Errorf("a goal out of reach from rest: %v", err)
	}
	r.StartVelocity, r.GoalVelocity = at(0.2, 0), at(0.2, 0)
	if err := team.checkMotion(r); err != nil {
		t.Errorf("with a running start and end: %v", err)
	}
	// One that brakes all the time goes too far all the same.
	r.Limit, r.StartVelocity, r.GoalVelocity = 100, at(2, 0), geom.Vec2{}
	change := r.Acceleration * nav2d.Step * nav2d.Step * half
	tooFar := 2*nav2d.Step*steps - change*steps*(steps+1)/2 - 1
	var miss *MissError
	if err := team.checkMotion(r); !errors.As(err, &miss) || !errors.Is(err, project.ErrInfeasible) || math.Abs(miss.Missing-tooFar) > 1e-9 {
		t.Errorf("one that cannot brake: %v, want that it is %v away", err, tooFar)
	}
	r.Limit, r.StartVelocity = 0.5, at(0.5*half+r.Acceleration*nav2d.Step*half*1.01, 0)
	if err := team.checkMotion(r); !errors.As(err, &refused) || !strings.Contains(refused.Reason, "velocity at the start") {
		t.Errorf("a velocity at the start beyond the speed limit: %v", err)
	}
	r.Acceleration = math.NaN()
	if err := team.checkMotion(r); !errors.As(err, &refused) {
		t.Errorf("an acceleration that is no number: %v", err)
	}
	team.Traffic = []Mover{{Name: "tram", Radius: 0.1, Path: []geom.Vec2{{}}}}
	if err := team.checkMotion(team.Robots[0]); !errors.As(err, &refused) {
		t.Errorf("traffic of one waypoint: %v", err)
	}
}
