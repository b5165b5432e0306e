package plan

import (
	"context"
	"errors"
	"testing"

	"github.com/go-pcd/pcd"
)

// TestUnfinishedIsNotFeasible: the half-denoised states of a run that was interrupted
// are neither judged nor certified, whatever they look like.
func TestUnfinishedIsNotFeasible(t *testing.T) {
	team := pairOnEmpty(t)
	for i := range team.Robots {
		team.Robots[i].Limit = 100 // which any state keeps
	}
	for _, after := range []int{1, repairedSteps - 1} {
		ctx, cancel := context.WithCancel(t.Context())
		o := Options{Method: PCDSHD, Samples: 2, Gamma: new(0.0), Settings: settings(t, "default"), Progress: func(done, _ int) {
			if done == after {
				cancel()
			}
		}}
		r, err := Run(ctx, team, o)
		cancel()
		if !errors.Is(err, context.Canceled) || r.Status != pcd.Interrupted {
			t.Fatalf("interrupted after %d steps: error %v, status %v", after, err, r.Status)
		}
		if r.SampleLimits.Certified || r.Nearest() != nil || r.Judged != nil {
			t.Errorf("interrupted after %d steps: limits %+v, plan %+v, %d judged", after, r.SampleLimits, r.Nearest(), len(r.Judged))
		}
	}
}
