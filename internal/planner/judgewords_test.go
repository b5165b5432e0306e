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
