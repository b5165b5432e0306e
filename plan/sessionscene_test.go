package plan

import (
	"os"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
)

// In a scene with units and accelerations of its own plans begin bit for bit where the
// ones before are left, between trams that go on along their paths.
func TestSessionOfAScene(t *testing.T) {
	f, err := os.Open("../examples/intersection.yaml")
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
	team, err := TeamOfTask(task, Bundled)
	if err != nil {
		t.Fatal(err)
	}
	d := newDrive(t, team)
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
	if p := d.replan(t.Context(), Update{Steps: 1, Goals: goals}); p.Kind == Planned || !isCollision(p.Reason) {
		t.Errorf("%s because of %v, want no new plan because two goals overlap", p.Kind, p.Reason)
	}
}
