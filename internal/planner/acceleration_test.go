package planner

import (
	"fmt"
	"testing"

	"github.com/go-pcd/pcd/internal/thorough"
)

// One robot in an empty room goes from rest to rest with little more than the least
// acceleration that takes it there, with a speed limit and without: 63 spans of an eighth of a
// second take it 992.17/64 of its acceleration far.
func TestPlansFromRestToRest(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	for _, speed := range []string{"", ", speed: 2.5"} {
		for _, f := range []float64{1.005, 1.1, 1.3, 1.7, 2.3, 3} {
			scene := fmt.Sprintf("bounds: {min: [0, 0], max: [10, 10]}\nduration: 8\nacceleration: %g\nrobots: [{start: [1, 5], goal: [9, 5], radius: 0.3%s}]", f*8*64/992.1666666666666, speed)
			o := planned(t, PlanRequest{Task: "s.yaml", Scene: &scene})
			if o.Verdict != nil {
				t.Errorf("%g times the least acceleration%s: %v", f, speed, o.Verdict)
			}
		}
	}
}
