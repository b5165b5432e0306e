package schedule

import (
	"fmt"
	"slices"
)

// Respace returns the schedule that visits only the given timesteps of s, which
// must be among its own and increase. Each step bridges the whole gap to the one
// before it, so its beta is 1 - ᾱ_t/ᾱ_prev.
func (s *Schedule) Respace(timesteps []int) (*Schedule, error) {
	out := &Schedule{name: fmt.Sprintf("%s respaced to %d", s.name, len(timesteps))}
	prev := 1.0
	return out, s.visit(timesteps, func(st Step) {
		out.steps = append(out.steps, newStep(st.Timestep, 1-st.AlphaBar/prev, st.AlphaBar, prev))
		prev = st.AlphaBar
	})
}

// RespaceAdjacent returns the schedule that visits the given timesteps but takes
// at each of them the step to the training timestep just below, whatever the
// gap. It is the slip of an early release of the diffusers library, kept to
// reproduce results that were made with it: the chain ends noisier than it says.
func (s *Schedule) RespaceAdjacent(timesteps []int) (*Schedule, error) {
	out := &Schedule{name: fmt.Sprintf("%s respaced to %d, adjacent steps", s.name, len(timesteps))}
	return out, s.visit(timesteps, func(st Step) { out.steps = append(out.steps, st) })
}

func (s *Schedule) visit(timesteps []int, add func(Step)) error {
	if len(timesteps) == 0 {
		return fmt.Errorf("schedule: %s respaced to no timesteps", s.name)
	}
	for i, t := range timesteps {
		if i > 0 && t <= timesteps[i-1] {
			return fmt.Errorf("schedule: timestep %d follows %d, want increasing timesteps", t, timesteps[i-1])
		}
		st, err := s.ForTimestep(t)
		if err != nil {
			return err
		}
		add(st)
	}
	return nil
}

// LeadingTimesteps returns the timesteps 0, k, 2k, ... plus offset that stand for
// n steps of a model trained on total: k = total/n rounded down. The list stops
// before total and, as in the reference libraries, has more than n entries when n
// does not divide total; limit true cuts it to n.
func LeadingTimesteps(total, n, offset int, limit bool) ([]int, error) {
	if n < 1 || n > total {
		return nil, fmt.Errorf("schedule: %d sampling steps for %d training steps, want 1 to %d", n, total, total)
	}
	var ts []int
	for t := 0; t+offset < total && !(limit && len(ts) == n); t += total / n {
		ts = append(ts, t+offset)
	}
	if len(ts) == 0 {
		return nil, fmt.Errorf("schedule: offset %d leaves none of %d timesteps", offset, total)
	}
	return slices.Clip(ts), nil
}

// Leading respaces s to n steps with the "leading" rule: timesteps 0, k, 2k, ...
// plus offset. Stable Diffusion uses offset 1.
func (s *Schedule) Leading(n, offset int) (*Schedule, error) {
	ts, err := LeadingTimesteps(s.Len(), n, offset, true)
	if err != nil {
		return nil, err
	}
	return s.Respace(ts)
}
