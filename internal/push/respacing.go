package push

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/schedule"
)

// Respacing says at how many of its diffusion steps a model is sampled.
type Respacing struct {
	// Steps is the number of steps; 0 is all.
	Steps int `json:"sampling_steps,omitempty"`
	// Adjacent repeats a slip of the library that the reference code uses: the steps
	// are evenly spaced, but each removes only the noise of one; there can be more
	// of them than asked for.
	Adjacent bool `json:"adjacent,omitempty"`
}

// of returns the schedule that visits the chosen steps of s. The steps are spread
// evenly from the first to the last.
func (r Respacing) of(s *schedule.Schedule) (*schedule.Schedule, error) {
	n := s.Len()
	switch {
	case r.Steps == 0 || r.Steps == n && !r.Adjacent:
		return s, nil
	case r.Steps < 1 || r.Steps > n:
		return nil, &OptionError{"number of sampling steps", float64(r.Steps), "1 to those of the model's schedule, or 0 for all"}
	case r.Adjacent:
		steps, err := schedule.LeadingTimesteps(n, r.Steps, 0, false)
		if err != nil {
			return nil, err
		}
		return s.RespaceAdjacent(steps)
	}
	steps := []int{n - 1}
	for k := r.Steps - 2; k >= 0; k-- {
		steps = append(steps, int(math.Round(float64(k)*float64(n-1)/float64(r.Steps-1))))
	}
	slices.Reverse(steps)
	return s.Respace(steps)
}
