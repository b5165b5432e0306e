package planner

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
)

// In a workspace of the least size that a refusal names, far from zero, a plan is certified and convinces the judge.
func TestTheLeastWorkspaceIsPlannedFor(t *testing.T) {
	const x, y = 432000.0, 5410000.0
	scene := func(side float64) string {
		return fmt.Sprintf("duration: 8\nbounds: {min: [%v, %v], max: [%v, %v]}\ncircles: [{center: [%[5]v, %[6]v], radius: %[7]v}]\nrobots:\n"+
			"- {name: ada, start: [%[5]v, %[8]v], goal: [%[5]v, %[9]v], radius: %[7]v, speed: %[10]v}\n",
			x, y, x+side, y+side, x+side/2, y+side/2, side/10, y+side/5, y+side-side/5, side/2)
	}
	var value *nav2d.ValueError
	_, err := PlanRequest{Task: "s.yaml", Scene: new(scene(0.04))}.Check()
	if !errors.As(err, &value) {
		t.Fatal(err)
	}
	var least float64
	if _, err := fmt.Sscanf(value.Want, "sides of at least %f:", &least); err != nil || least < 0.05 || least > 0.06 {
		t.Fatalf("%q: %v", value.Want, err)
	}
	o := planned(t, PlanRequest{Task: "s.yaml", Scene: new(scene(least))})
	if o.Verdict != nil {
		t.Fatal(o.Verdict)
	}
	for _, p := range pathsOf(t, o.Summary, 20) {
		if err := judgedIn(t, scene(least), p.Name, p.Data); err != nil {
			t.Error(strings.Split(err.Error(), ";")[0])
		}
	}
}
