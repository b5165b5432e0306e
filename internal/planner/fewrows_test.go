package planner

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// A table of a certified plan that has too few rows to tell its motion may fail between these: the judgement says what to judge
// instead, and that is certified. Of tables that tell it, or nobody knows what of, nothing is said.
func TestTablesOfFewRowsSayWhatToJudge(t *testing.T) {
	const scene = "duration: 12\nbounds: {min: [0, 0], max: [10, 6]}\nboxes: [{center: [5, 3], size: [1, 1.5]}]\n" +
		"robots:\n- {name: ada, start: [1, 3], goal: [9, 3], radius: 0.3, speed: 1, acceleration: 1}\n- {name: bob, start: [9, 2], goal: [1, 2], radius: 0.25, speed: 1, acceleration: 1}\n"
	o := planned(t, PlanRequest{Task: "s.yaml", Scene: new(scene)})
	data, err := json.Marshal(o.Summary)
	if err != nil {
		t.Fatal(err)
	}
	export := &ExportTask{Name: "plan.json", Plan: data}
	if err := export.Check(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rate              float64
		anonymous         bool
		certified, advice bool
	}{{rate: 2, advice: true}, {rate: 2, anonymous: true}, {rate: 10, certified: true}} {
		var table bytes.Buffer
		if err := export.team.CSV(&table, c.rate); err != nil {
			t.Fatal(err)
		}
		text := table.Bytes()
		if c.anonymous {
			text = bytes.Replace(text, []byte("plan_sha256"), []byte("remark"), 1)
		}
		out, err := Do(t.Context(), &JudgeTask{Request: JudgeRequest{Task: "s.yaml", Scene: new(scene), Paths: []PathFile{{"motion.csv", text}}}}, Watch{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		told := strings.Contains(strings.Join(out.Summary.Notes, "\n"), "motion.csv has too few rows to tell the motion of the plan that it was written from (sha256 "+export.team.Made.Plan[:12])
		if (out.Verdict == nil) != c.certified || told != c.advice {
			t.Errorf("%+v: %v, %q", c, out.Verdict, out.Summary.Notes)
		}
	}
	if verdict := judgedIn(t, scene, "plan.json", data); verdict != nil {
		t.Error(verdict)
	}
}
