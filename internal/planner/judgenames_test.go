package planner

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/go-pcd/pcd/internal/messages"
)

// Orders and states call robots by serial numbers: those of exported files are the robots of the scene.
func TestSerialNumbersAreRobotsOfTheScene(t *testing.T) {
	scene := "bounds: {min: [0, 0], max: [9, 9]}\nduration: 9\nrobots:\n" +
		"- {name: amr 1, start: [1, 1], goal: [8, 1], radius: 0.4}\n- {name: 車, start: [1, 3], goal: [8, 3], radius: 0.4}\n- {name: amr_1, start: [1, 5], goal: [8, 5], radius: 0.4}\n"
	o := planned(t, PlanRequest{Task: "s.yaml", Scene: &scene})
	if o.Verdict != nil {
		t.Fatal(o.Verdict)
	}
	team, err := teamOfPlan(o.Summary, messages.Made{Plan: strings.Repeat("0", 64)})
	if err != nil {
		t.Fatal(err)
	}
	files, err := team.VDA5050(t.Context(), messages.VDA30, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	orders := make([]PathFile, 3)
	for i, serial := range []string{"amr_1", "_", "amr_1_2"} {
		orders[i] = PathFile{"order.json", files["order_"+serial+".json"]}
	}
	out, err := Do(t.Context(), &JudgeTask{Request: JudgeRequest{Scene: &scene, Paths: orders[1:2]}}, Watch{}, nil)
	if err == nil {
		t.Errorf("one robot of three: %+v", out)
	}
	// What a path is called by its own name comes first: this amr_1 is no amr 1, whose path is missing.
	if err := (&JudgeTask{Request: JudgeRequest{Scene: &scene, Paths: orders}}).Check(); err == nil || !strings.Contains(err.Error(), "amr_1_2") {
		t.Errorf("two names of one robot: %v", err)
	}
	other := strings.Replace(scene, "name: amr_1,", "name: amr-1,", 1)
	orders[2].Data = bytes.ReplaceAll(orders[2].Data, []byte("amr_1_2"), []byte("amr-1"))
	out, err = Do(t.Context(), &JudgeTask{Request: JudgeRequest{Scene: &other, Paths: orders}}, Watch{}, nil)
	if err != nil || out.Verdict != nil || !strings.Contains(strings.Join(out.Summary.Notes, ";"), `"amr_1" is "amr 1"`) {
		t.Errorf("%+v, %v", out, err)
	}
}

// Orders whose ways meet are refused, and where they were exported it is said what keeps their robots apart.
func TestOrdersOfAnExportGoWithReleases(t *testing.T) {
	scene := "bounds: {min: [0, 0], max: [9, 9]}\nrobots:\n- {name: ada, start: [1, 4.5], goal: [8, 4.5], radius: 0.4, speed: 1}\n- {name: bob, start: [4.5, 1], goal: [4.5, 8], radius: 0.4, speed: 1}\n"
	o := planned(t, PlanRequest{Task: "s.yaml", Scene: &scene})
	if o.Verdict != nil {
		t.Fatal(o.Verdict)
	}
	digest := strings.Repeat("0", 64)
	team, err := teamOfPlan(o.Summary, messages.Made{Plan: digest, Scene: digest})
	if err != nil {
		t.Fatal(err)
	}
	files, err := team.VDA5050(t.Context(), messages.VDA30, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, exported := range []bool{true, false} {
		var orders []PathFile
		for _, name := range []string{"order_ada.json", "order_bob.json"} {
			if !exported {
				files[name] = bytes.ReplaceAll(files[name], []byte("scene_sha256"), []byte("remark"))
			}
			orders = append(orders, PathFile{name, files[name]})
		}
		out, err := Do(t.Context(), &JudgeTask{Request: JudgeRequest{Scene: &scene, Paths: orders}}, Watch{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(strings.Join(out.Summary.Notes, ";"), "go with its releases.json"); out.Verdict == nil || told != exported {
			t.Errorf("exported %v: %v, %q", exported, out.Verdict, out.Summary.Notes)
		}
	}
}
