package session

import (
	"os"
	"testing"

	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/plan"
)

// exampleTeam returns the team of an example.
func exampleTeam(t *testing.T, name string) plan.Team {
	t.Helper()
	text, err := os.ReadFile("../../examples/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	team := sceneTeam(t, string(text))
	team.Motion = plan.Polyline
	return team
}

// In a scene with units and accelerations of its own plans begin bit for bit where the
// ones before are left, between trams that go on along their paths.
func TestSessionOfAScene(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	d := newDrive(t, exampleTeam(t, "intersection"))
	if p := d.replan(t.Context(), Update{}); p.Kind != Planned {
		t.Fatalf("%s: %v", p.Kind, p.Reason)
	}
	for range 3 {
		if p := d.replan(t.Context(), Update{Steps: 9}); p.Kind == Stopped {
			t.Errorf("stopped: %v", p.Reason)
		}
	}
	goals := goalsOf(d.team)
	goals[0] = goals[1]
	for i, g := range goals { // a session speaks in the units of the scene
		goals[i] = d.team.TaskFrame().FromMap(g)
	}
	if p := d.replan(t.Context(), Update{Steps: 1, Goals: goals}); len(p.Halted) != 1 || p.Halted[0].Robot != d.team.Robots[1].Name || !isCollision(p.Halted[0].Reason) {
		t.Errorf("%s, %v halted, want the second robot because two goals overlap", p.Kind, p.Halted)
	}
}

// Without a duration plans have the time that ways to the goals take, however far these are.
func TestSessionsHaveTimeEnough(t *testing.T) {
	team := sceneTeam(t, `bounds: {min: [0, 0], max: [60, 40]}
boxes: [{center: [30, 20], size: [4, 20]}]
acceleration: 0.8
robots:
- {name: ada, start: [3, 20], goal: [57, 21], speed: 1.2}
- {name: bob, start: [57, 18], goal: [3, 17], speed: 1.2}
`)
	s, err := New(team, plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Replan(t.Context(), Update{})
	if err != nil || p.Kind != Planned || len(p.Halted) > 0 {
		t.Errorf("%s, %v halted, %v: want a plan to the goals", p.Kind, p.Halted, err)
	}
}
