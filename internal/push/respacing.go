package push

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/internal/samplers"
	"github.com/go-pcd/pcd/schedule"
)

// Respacing says by which sampler a model is sampled, and at how many of its diffusion steps.
type Respacing struct {
	// Sampler is one of [Samplers]; "" is ddpm, as published.
	Sampler string `json:"sampler,omitempty"`
	// Steps is the number of steps; 0 is all.
	Steps int `json:"sampling_steps,omitempty"`
	// Adjacent repeats a slip of the library that the reference code uses: the steps
	// are evenly spaced, but each removes only the noise of one; there can be more
	// of them than asked for.
	Adjacent bool `json:"adjacent,omitempty"`
}

// Samplers lists the names of samplers: ddpm as published, ddim without noise, euler-ancestral
// with all of it, heun, which asks the models twice a step, and dpm++2m.
func Samplers() []string { return samplers.Names() }

// published reports whether the sampler is that of the published runs.
func (r Respacing) published() bool { return r.Sampler == "" || r.Sampler == samplers.DDPM }

// of returns the schedule that visits the chosen steps of s. The steps are spread
// evenly from the first to the last.
func (r Respacing) of(s *schedule.Schedule) (*schedule.Schedule, error) {
	n := s.Len()
	switch {
	case r.Steps == 0 || r.Steps == n && !r.Adjacent:
		return s, nil
	case r.Steps < 1 || r.Steps > n:
		return nil, &OptionError{"number of sampling steps", r.Steps, "1 to those of the model's schedule, or 0 for all"}
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

// dynamics returns the steps of the sampler over a schedule that was respaced, with estimates
// limited to [-clip, clip]; 0 does not limit them.
func (r Respacing) dynamics(s *schedule.Schedule, clip float64, forward bool) (pcd.Dynamics, error) {
	if !r.published() {
		return samplers.New(r.Sampler, s, clip)
	}
	d := pcd.DDPM{Schedule: s, Clip: clip}
	if forward {
		d.Noise = pcd.ForwardNoise
	}
	return d, nil
}
