package plan

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/schedule"
)

// respaced returns the schedule that is sampled: that of the model, or as many of its
// steps as the settings say, spread evenly from the first to the last.
func (s Settings) respaced(model *schedule.Schedule) (*schedule.Schedule, error) {
	n := model.Len()
	switch {
	case s.Steps == 0 || s.Steps == n:
		return model, nil
	case s.Steps < 2 || s.Steps > n:
		return nil, &TeamError{Reason: fmt.Sprintf("%d denoising steps, want 2 to the %d of the model, or 0 for all", s.Steps, n)}
	}
	var steps []int
	for k := range s.Steps {
		steps = append(steps, int(math.Round(float64(k)*float64(n-1)/float64(s.Steps-1))))
	}
	return model.Respace(steps)
}
