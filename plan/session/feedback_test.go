package session

import (
	"context"
	"math"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/plan"
)

// Goals that are read from the plan in force and fed back, in the units of the scene, leave it in
// force, also far from zero and between two waypoints: nobody brakes.
func TestGoalsFedBack(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, motion := range plan.Motions() {
		s, err := New(hallOf(t, motion, 500_000, 5_000_000), plan.Options{Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Replan(t.Context(), Update{})
		if err != nil || p.Kind != Planned {
			t.Fatalf("%s: %+v, %v", motion, p, err)
		}
		for _, seconds := range []float64{1.1, 0.4321} {
			var goals []geom.Vec2
			for i := range p.Team.Robots {
				goals = append(goals, p.At(i, 1e6).Position)
			}
			if p, err = s.Replan(ended, Update{Seconds: seconds, Goals: goals}); err != nil || p.Kind != Continued {
				t.Fatalf("%s: %s, %v, want the plan before", motion, p.Kind, p.Reason)
			}
		}
		goals := s.Goals()
		goals[2] = geom.Vec2{X: math.NaN()}
		if p, err = s.Replan(t.Context(), Update{Seconds: 0.3, Goals: goals}); err != nil || p.Kind != Planned || len(p.Halted) != 1 || p.Halted[0].Robot != "r2" {
			t.Errorf("%s: %s, halted %v, %v, want r2 to stop and the others to go on", motion, p.Kind, p.Halted, err)
		}
	}
}
