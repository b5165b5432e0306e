package plan

import (
	"strings"
	"testing"

	"github.com/go-pcd/pcd/project/separation"
)

// Errors advise nothing that was not tried, and numbers of which one is too small differ.
func TestErrorsSayWhatIsKnown(t *testing.T) {
	worst := &ConstraintMargin{Constraint: separation.Bodies.String(), Robot: "ada", Other: "van", Margin: -0.1}
	for _, c := range []struct {
		err  error
		want string
	}{
		{&UnsafeError{Plan: "stop", Worst: worst}, "ada and van fails with a margin of -0.1 at (0, 0)"},
		{&SearchError{Report: SearchReport{Status: NoPath, Robot: "ada"}}, "none of the paths of ada is free of obstacles"},
		{&RestError{Robot: "ada", Range: 1.99999, Distance: 2, Seconds: 5}, "it gets 1.99999 far in 5 s and its goal is 2 away"},
		{&CollisionError{Robot: "ada", Place: "start", With: "the start of bob", Clearance: 0.1199999, Need: 0.12}, "is 0.1199999 from the start of bob, which needs 0.12"},
	} {
		if got := c.err.Error(); !strings.Contains(got, c.want) {
			t.Errorf("%q, want it to say %q", got, c.want)
		}
		for _, advice := range []string{"more room", "or time", "try ", "another seed"} {
			if strings.Contains(c.err.Error(), advice) {
				t.Errorf("%q advises %q, which nobody tried", c.err, advice)
			}
		}
	}
}
