package planner

import (
	"testing"

	"github.com/go-pcd/pcd/internal/push"
	"github.com/go-pcd/pcd/project"
)

// The verdict on pairs says whether a limit that is exceeded is that of a projection
// which stopped too early: of the member that exceeds it, not of the other.
func TestVerdictOfPairs(t *testing.T) {
	task, err := PushRequest{Method: "pcd-lb"}.Check()
	if err != nil {
		t.Fatal(err)
	}
	stopped := project.Report{Status: project.IterationLimit, Samples: 1}
	for name, c := range map[string]struct {
		result push.Result
		want   Class
	}{
		"certified":                   {push.Result{Certificate: push.Certificate{Certified: true}, Projections: [2]project.Report{1: stopped}}, OK},
		"exceeded":                    {push.Result{Certificate: push.Certificate{MaxViolation: 1, Member: 1}}, Uncertified},
		"exceeded, stopped":           {push.Result{Certificate: push.Certificate{MaxViolation: 1, Member: 1}, Projections: [2]project.Report{1: stopped}}, Limited},
		"exceeded, the other stopped": {push.Result{Certificate: push.Certificate{MaxViolation: 1, Member: 1}, Projections: [2]project.Report{0: stopped}}, Uncertified},
	} {
		if got := ClassOf(task.verdict(&c.result)); got != c.want {
			t.Errorf("%s: class %v, want %v", name, got, c.want)
		}
	}
}
