package planner

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/messages"
)

// pathsOf returns the nav_msgs/Path of each robot of a plan.
func pathsOf(t *testing.T, s *PlanSummary, rate float64) (out []PathFile) {
	t.Helper()
	team, err := teamOfPlan(s, messages.Made{Plan: strings.Repeat("0", 64)})
	if err != nil {
		t.Fatal(err)
	}
	for i := range team.Robots {
		var text bytes.Buffer
		if err := team.ROSPath(&text, i, rate); err != nil {
			t.Fatal(err)
		}
		out = append(out, PathFile{team.Robots[i].Name + ".path.yaml", text.Bytes()})
	}
	return out
}

// A path of ROS messages is judged as the plan that it was written from, at any rate: beside an obstacle that it goes
// round closely, and with limits of acceleration. Only limits of turning are not those of a polyline, and this is said.
func TestPathsAreCertifiedAsTheirPlan(t *testing.T) {
	const scene = "motion: %s\nduration: 12\nbounds: {min: [0, 0], max: [10, 10]}\ncircles: [{center: [5, 5], radius: 1}]\nacceleration: 1\nrobots:\n" +
		"- {name: ada, start: [1, 5], goal: [9, 5], radius: 0.4, speed: 1.5}\n- {name: bob, start: [5, 1], goal: [5, 9], radius: 0.4, speed: 1.5}\n"
	judged := func(scene string, s *PlanSummary, rate float64) *Outcome[JudgeSummary] {
		out, err := Do(t.Context(), &JudgeTask{Request: JudgeRequest{Task: "s.yaml", Scene: &scene, Paths: pathsOf(t, s, rate)}}, Watch{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, motion := range []string{"curve", "polyline"} {
		scene := strings.Replace(scene, "%s", motion, 1)
		o := planned(t, PlanRequest{Task: "s.yaml", Scene: &scene})
		if o.Verdict != nil {
			t.Fatal(o.Verdict)
		}
		for _, rate := range []float64{1, 7.3, 20} {
			if out := judged(scene, o.Summary, rate); out.Verdict != nil || out.Summary.Notes != nil {
				t.Errorf("%s, %v points a second: %v, notes %v", motion, rate, out.Verdict, out.Summary.Notes)
			}
		}
	}
	turning := strings.Replace(strings.Replace(scene, "%s", "curve", 1), "goal: [9, 5],", "goal: [9, 5], turn_rate: 1,", 1)
	o := planned(t, PlanRequest{Task: "s.yaml", Scene: &turning})
	if o.Verdict != nil {
		t.Fatal(o.Verdict)
	}
	out := judged(turning, o.Summary, 20)
	if notes := strings.Join(out.Summary.Notes, ";"); out.Verdict == nil || strings.Count(notes, "tell how they turn (ada)") != 1 {
		t.Errorf("%v, notes %q", out.Verdict, notes)
	}
}

// A rate on which no file depends is refused, in an export as beside a plan.
func TestRatesWithoutEffectAreRefused(t *testing.T) {
	scene := "duration: 12\nbounds: {min: [0, 0], max: [10, 10]}\nrobots: [{name: ada, start: [1, 5], goal: [9, 5], radius: 0.4, speed: 1.5}]\n"
	for _, c := range []struct {
		motion  string
		formats []string
		refused bool
	}{
		{"curve", []string{"ros"}, false}, {"curve", []string{"csv"}, false}, {"curve", []string{"vda5050"}, true}, {"curve", nil, false},
		{"polyline", []string{"ros"}, true}, {"polyline", []string{"csv", "vda5050"}, true}, {"polyline", []string{"ros", "mcap"}, false}, {"polyline", nil, false},
	} {
		o := planned(t, PlanRequest{Task: "s.yaml", Scene: &scene, Motion: c.motion})
		data, err := json.Marshal(o.Summary)
		if err != nil {
			t.Fatal(err)
		}
		var refused *RequestError
		if err := (&ExportTask{Name: "plan.json", Plan: data, Formats: c.formats, Rate: new(5.0)}).Check(); errors.As(err, &refused) != c.refused {
			t.Errorf("export %s of %s: %v", c.formats, c.motion, err)
		}
		if c.formats == nil {
			continue
		}
		// Beside a plan on curves there is a table, which has a rate.
		_, err = PlanRequest{Task: "s.yaml", Scene: &scene, Motion: c.motion, Formats: c.formats, Rate: new(5.0)}.Check()
		if errors.As(err, &refused) != (c.refused && c.motion == "polyline") {
			t.Errorf("plan with %s of %s: %v", c.formats, c.motion, err)
		}
	}
}
