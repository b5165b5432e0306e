package planner

import (
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/judge"
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
