package planner

import (
	"encoding/json"
	"testing"
)

// A robot without a name beside one that has the name it would get: what is told by name
// tells of all of them.
func TestEveryRobotIsToldByItsName(t *testing.T) {
	scene := "bounds: {min: [0, 0], max: [10, 10]}\nduration: 8\nrobots:\n" +
		"  - {name: robot 3, start: [1, 2], goal: [9, 2], radius: 0.3}\n  - {name: ada, start: [1, 5], goal: [9, 5], radius: 0.3}\n  - {start: [1, 8], goal: [9, 8], radius: 0.3}\n"
	o := planned(t, PlanRequest{Task: "s.yaml", Scene: &scene, Samples: new(1)})
	if o.Verdict != nil {
		t.Fatal(o.Verdict)
	}
	data, err := json.Marshal(o.Summary)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Robots []struct{ Name string }
		Plan   struct {
			Trajectories map[string][][]float64
			Proof        struct{ Robots []any }
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Robots) != 3 || len(file.Plan.Trajectories) != 3 || len(file.Plan.Proof.Robots) != 3 {
		t.Fatalf("%d robots, %d trajectories, %d in the proof", len(file.Robots), len(file.Plan.Trajectories), len(file.Plan.Proof.Robots))
	}
	for i, r := range file.Robots {
		way := file.Plan.Trajectories[r.Name]
		if want := float64(2 + 3*i); len(way) != 64 || way[0][1] != want {
			t.Errorf("%s, robot %d, has %d waypoints and starts at %v, want y = %v", r.Name, i, len(way), way[0], want)
		}
	}
}
