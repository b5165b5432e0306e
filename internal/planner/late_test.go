package planner

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/thorough"
)

// late is a crossing among traffic for robots that may be late.
const late = `units: m
duration: 14
lateness: 0.6
margin: 0.05
acceleration: 2
bounds: {min: [-5, -5], max: [5, 5]}
circles: [{center: [-2.5, 2.5], radius: 0.6}]
traffic: [{name: cart, radius: 0.2, path: [[1, 3.5, -4], [5.1, 3.5, 0], [13.99, 3.5, 4]]}]
robots:
- {name: ada, start: [-4, 0], goal: [2.2, 0], radius: 0.3, speed: 1.5}
- {name: bob, start: [0, -4], goal: [0, 4], radius: 0.3, speed: 1.5}
- {name: cleo, start: [2.2, 1.4], goal: [-4, 1.4], radius: 0.3, speed: 1.5}
`

// tamperedLate lists changes of a plan for late robots.
var tamperedLate = map[string]func(p anyPlan){
	"a row is gone": func(p anyPlan) { p.proof()["late"] = p.proof()["late"].([]any)[1:] },
	"more lateness": func(p anyPlan) {
		p.proof()["lateness"] = 2 * p.proof()["lateness"].(float64)
		p["plan"].(map[string]any)["certificate"].(map[string]any)["lateness"] = 1.2
	},
	"a direction": func(p anyPlan) {
		row := p.proof()["late"].([]any)[0].([]any)
		row[6], row[7] = row[7], row[6]
	},
	"another time": func(p anyPlan) { p.proof()["late"].([]any)[0].([]any)[3] = 0.5 },
}

// A plan for late robots convinces the second judge, the documented check and the judge of paths.
// One that was changed does not, and one that says more than is so is told to contradict itself.
func TestPlansForLateRobotsConvince(t *testing.T) {
	thorough.Test(t)
	o := planned(t, PlanRequest{Task: "late", Scene: new(late)})
	if o.Verdict != nil {
		t.Fatal(o.Verdict)
	}
	if s := o.Summary; s.Lateness != 0.6 || s.Plan.Certificate.Lateness != 0.6 {
		t.Fatalf("certified for %v of %v s", s.Plan.Certificate.Lateness, s.Lateness)
	}
	good, err := json.Marshal(o.Summary)
	if err != nil {
		t.Fatal(err)
	}
	convinces(t, good, tamperedLate)
	judge := func(data []byte) (*JudgeSummary, error) {
		out, err := Do(t.Context(), &JudgeTask{Request: JudgeRequest{Task: "late", Scene: new(late), Paths: []PathFile{{"plan.json", data}}}}, Watch{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return out.Summary, out.Verdict
	}
	if s, verdict := judge(good); verdict != nil || s.Certificate.Lateness != 0.6 {
		t.Errorf("judged: %v s, %v, %v", s.Certificate.Lateness, verdict, s.Notes)
	}
	for name, change := range tamperedLate {
		if s, verdict := judge(changedPlan(t, good, change)); verdict == nil || s.StoredProof.Holds {
			t.Errorf("%s: %+v, %v", name, s.StoredProof, verdict)
		}
	}
	s, verdict := judge(changedPlan(t, good, func(p anyPlan) {
		p["plan"].(map[string]any)["certificate"].(map[string]any)["lateness"] = 6.0
	}))
	if verdict == nil || len(s.Contradictions) != 2 || !strings.Contains(s.Contradictions[0], "up to 6 s late") {
		t.Errorf("a lateness that is not so: %v, %q", verdict, s.Contradictions)
	}
}

// A plan that is certified for less than the scene asks for says so in plain words.
func TestDescribeLateness(t *testing.T) {
	for _, c := range []struct {
		asked, certified float64
		want             string
	}{{0, 0, ""}, {0.5, 0.5, "up to 0.5 s late"}, {0.5, 0.25, "NOT for the 0.5 s"}, {0.5, 0, "NOT for the lateness of 0.5 s"}} {
		if got := DescribeLateness(c.asked, c.certified); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%v of %v s: %q", c.certified, c.asked, got)
		}
	}
}

// Traffic that moves on after the end is in the proof for as long as robots may be late; the file
// is read and judged all the same.
func TestTrafficMovesOnBehindLateRobots(t *testing.T) {
	scene := strings.Replace(late, "13.99", "20", 1)
	scene = strings.Replace(scene, "lateness: 0.6", "lateness: 1.3", 1)
	o := planned(t, PlanRequest{Task: "late", Scene: &scene})
	if o.Verdict != nil {
		t.Fatal(o.Verdict)
	}
	data, err := json.Marshal(o.Summary)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Do(t.Context(), &JudgeTask{Request: JudgeRequest{Task: "late", Scene: &scene, Paths: []PathFile{{"plan.json", data}}}}, Watch{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := out.Summary; out.Verdict != nil || !s.StoredProof.Holds || s.Certificate.Lateness != o.Summary.Plan.Certificate.Lateness {
		t.Errorf("judged: %v, stored proof %+v, %v s of %v", out.Verdict, s.StoredProof, s.Certificate.Lateness, o.Summary.Plan.Certificate.Lateness)
	}
}
