package planner

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/judge"
	"github.com/go-pcd/pcd/plan"
)

// Lengths of a judgement have the name of their unit, whatever it is.
func TestJudgementsNameTheirUnit(t *testing.T) {
	for _, c := range []struct {
		fault JudgedFault
		want  string
	}{
		{JudgedFault{Constraint: judge.Separation, Robot: "ada", Other: "bob", Gap: -0.5}, "ada and bob are 0.5 scene units deep in each other"},
		{JudgedFault{Constraint: judge.Obstacles, Robot: "ada", Gap: 0.5, By: 0.25}, "0.25 scene units too near to each other"},
		{JudgedFault{Constraint: judge.Border, Robot: "ada", By: 0.25}, "ada leaves the workspace by 0.25 scene units from"},
		{JudgedFault{Constraint: judge.Goal, Robot: "ada", By: 0.25}, "ada is 0.25 scene units from its goal"},
		{JudgedFault{Constraint: judge.Curvature, Robot: "ada", By: 4.93e7, size: 0.3, turning: 1.5}, "ada turns on the spot, which its turning radius of 1.5 scene units does not allow, from"},
		{JudgedFault{Constraint: judge.Curvature, Robot: "ada", By: 4.93e7, size: 0.3, turning: 1.5, corners: true}, "ada turns at a corner, which its"},
		{JudgedFault{Constraint: judge.Curvature, Robot: "ada", By: 1, size: 0.3, turning: 1}, "ada turns with a radius of 0.5 scene units, and its turning radius is 1, from"},
		{JudgedFault{Constraint: judge.Heading, Robot: "ada", By: 0.2}, "ada is 0.2 radians off its heading from"},
	} {
		if got := c.fault.Describe(Units{Length: "scene units"}); !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q in it", got, c.want)
		}
	}
}

// A margin that a file overstates is told beside the one that it is, with digits that tell them apart.
func TestOverstatedMarginsAreToldApart(t *testing.T) {
	const wide = "duration: 30\nbounds: {min: [0, 0], max: [1000, 1000]}\nrobots: [{name: ada, start: [480, 500.5], goal: [520, 500], radius: 0.3, speed: 2}]"
	o := planned(t, PlanRequest{Task: "s.yaml", Scene: new(wide)})
	margins := o.Summary.Plan.Certificate.Margins
	i := slices.IndexFunc(margins, func(m plan.ConstraintMargin) bool { return m.Constraint == "border" })
	margins[i].Margin += 1e-4
	data, err := json.Marshal(o.Summary)
	if err != nil {
		t.Fatal(err)
	}
	verdict := judgedIn(t, wide, "plan.json", data)
	if verdict == nil {
		t.Fatal("the margin is believed")
	}
	_, numbers, _ := strings.Cut(verdict.Error(), "says that the margin of border is ")
	if said, is, ok := strings.Cut(numbers, ", and it is "); !ok || said == is {
		t.Error(verdict)
	}
}

// Whoever turns on the spot and has a turning radius is told so, in what is judged and in what was planned, and what it can do.
func TestVehiclesThatTurnOnTheSpotAreToldSo(t *testing.T) {
	const scene = "duration: 30\nbounds: {min: [0, 0], max: [10, 6]}\nrobots: [{name: car, start: [1, 3], goal: [5, 5], radius: 0.3, turning_radius: 1}]\n"
	const table = "t,robot,x,y,vx,vy\n0,car,1,3,0,0\n10,car,5,3,0,0\n20,car,5,5,0,0\n"
	out, err := Do(t.Context(), &JudgeTask{Request: JudgeRequest{Task: "s.yaml", Scene: new(scene), Paths: []PathFile{{"paths.csv", []byte(table)}}}}, Watch{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if v := out.Verdict; v == nil || !strings.Contains(v.Error(), "car turns on the spot, which its turning radius of 1 scene units does not allow, from ") || !strings.Contains(v.Error(), "at (5, 3)") {
		t.Error(v)
	}
	if notes := strings.Join(out.Summary.Notes, "\n"); !strings.Contains(notes, "have a turn_rate in the scene, and no turning_radius (car)") {
		t.Errorf("%q", notes)
	}
	const narrow = "duration: 30\nbounds: {min: [0, 0], max: [10, 1.2]}\nrobots: [{name: car, start: [5, 0.6], start_heading: 0, goal: [1, 0.6], radius: 0.3, speed: 1, acceleration: 1, turning_radius: 1}]\n"
	o := planned(t, PlanRequest{Task: "s.yaml", Scene: new(narrow), Samples: new(1), RemedyTime: untried})
	if v := o.Verdict; v == nil || !strings.Contains(v.Error(), "car turns on the spot, which its turning radius does not allow, after waypoint 0") || !strings.Contains(v.Error(), "radians off its heading after waypoint 0") {
		t.Error(v)
	}
}
