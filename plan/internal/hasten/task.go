package hasten

import (
	"context"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// Task is a certified plan, and what its robots are to keep.
type Task struct {
	World   separation.World // in which the plan is certified
	Control []tensor.Batch   // its control points by robot, counted from the origin of the world: [1, waypoints, channels]
	Robots  []Robot          // as many as in the world
	// Keep is the distance that robots keep where they arrive earlier, at least the margin of the world.
	Keep float64
	// Gentle lets robots without a limit of acceleration go no harder than the hardest of them does in the plan.
	Gentle bool
	// Adherence says how well knots follow a motion pattern, which robots do as well as in the plan; nil for no pattern.
	Adherence func(knots []geom.Vec2) float64
}

// Robot is what a world does not say of a robot.
type Robot struct {
	Stays  bool // it ends where it starts
	Passes bool // it does not rest at its goal, and keeps its times
	Turns  bool // its turning is limited
	OnSpot bool // it may turn where it stands
	// From and To are unit vectors along which it leaves its start and comes to its goal; nil for any.
	From, To *geom.Vec2
}

// Sooner returns control points with which robots arrive earlier, nil where none does. As far as it
// is seen that is certified, too: the judge of all robots has the last word. A context that is done ends
// the search with what was found.
func (t *Task) Sooner(ctx context.Context) (out []tensor.Batch) {
	s := newHaste(t)
	gained := s.alike() && s.drive(s.everybody())
	for range rounds {
		some := s.each(ctx)
		if gained = gained || some; !some {
			break
		}
	}
	for _, m := range s.now {
		if gained {
			out = append(out, m.control)
		}
	}
	return out
}

// gentle returns robots of which those without a limit of acceleration have one: what the hardest of them needs as it moves.
func gentle(robots []separation.Robot, as []driven) []separation.Robot {
	most := 0.0
	for i, r := range robots {
		if r.Change == 0 {
			most = max(most, profile.Hardest(r, as[i].curve))
		}
	}
	robots = slices.Clone(robots)
	for i := range robots {
		if robots[i].Change == 0 {
			robots[i].Change = most
		}
	}
	return robots
}
