package schedule

import "fmt"

// EndAt returns the schedule whose last step ends in a state with the given share
// ᾱ of the clean sample's variance, instead of in the clean sample. The samplers of
// latent diffusion models end at the ᾱ of their first training step. Where that is the level of the
// least noisy step itself, the last step of DDIM changes nothing.
func (s *Schedule) EndAt(alphaBar float64) (*Schedule, error) {
	first := s.At(0)
	if !(alphaBar >= first.AlphaBar && alphaBar <= 1) {
		return nil, fmt.Errorf("schedule: %s cannot end at alpha-bar %v, want at least the %v of its least noisy step, and at most 1", s.name, alphaBar, first.AlphaBar)
	}
	out := &Schedule{name: fmt.Sprintf("%s, ending at alpha-bar %g", s.name, alphaBar), steps: append([]Step(nil), s.steps...)}
	out.steps[0] = newStep(first.Timestep, 1-first.AlphaBar/alphaBar, first.AlphaBar, alphaBar)
	return out, nil
}
