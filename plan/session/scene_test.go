package session

import (
	"cmp"
	"os"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/plan"
)

// exampleTeam returns the team of an example.
func exampleTeam(t *testing.T, name string) plan.Team {
	t.Helper()
	f, err := os.Open("../../examples/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scene, err := nav2d.ReadScene(f)
	if err != nil {
		t.Fatal(err)
	}
	task, err := scene.Task()
	if err != nil {
		t.Fatal(err)
	}
	team, err := plan.TeamOfTask(task, func(name string) (*plan.Model, error) { return plan.Bundled(cmp.Or(name, "empty")) })
	if err != nil {
		t.Fatal(err)
	}
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
