package planner

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-pcd/pcd/internal/thorough"
)

// A plan in the shortest time on cells has fewer waypoints than its samples: plan.json has the times of
// the plan, and is judged.
func TestTimesAreThoseOfThePlan(t *testing.T) {
	thorough.Test(t)
	scene := "map: {file: random-32.map}\nteam: {file: random-32.scen, count: 36, radius: 0.3, speed: 2}\n"
	files := func(name string, _ int64) ([]byte, error) {
		return os.ReadFile(filepath.Join("../../examples/maps", name))
	}
	out, err := Do(t.Context(), &PlanTask{Request: PlanRequest{Task: "crowd", Scene: &scene, Samples: new(1), Files: files}}, Watch{}, nil)
	if err != nil || out.Verdict != nil {
		t.Fatal(err, out.Verdict)
	}
	s := out.Summary
	for name, states := range s.Plan.Trajectories {
		if len(states) != len(s.Times) {
			t.Fatalf("%s has %d waypoints, and there are %d times", name, len(states), len(s.Times))
		}
	}
	for _, a := range out.Arrays {
		if a.Name == "trajectories" && a.Shape[2] == len(s.Times) {
			t.Errorf("samples have %d waypoints, as the plan", a.Shape[2])
		}
	}
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	judged, err := Do(t.Context(), &JudgeTask{Request: JudgeRequest{Task: "crowd", Scene: &scene, Files: files, Paths: []PathFile{{"plan.json", data}}}}, Watch{}, nil)
	if err != nil || judged.Verdict != nil {
		t.Errorf("%v, %v", err, judged.Verdict)
	}
}
