package plan

import (
	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/internal/samplers"
	"github.com/go-pcd/pcd/schedule"
)

// box limits the estimates of clean trajectories: models see coordinates from -1 to 1.
const box = 1

// Samplers lists the names of samplers: ddpm as published, ddim without noise, euler-ancestral
// with all of it, heun, which asks the models twice a step, and dpm++2m.
func Samplers() []string { return samplers.Names() }

// dynamics returns the steps of a run with a model's schedule: as many as the settings say,
// spread evenly from its first to its last.
func (s Settings) dynamics(model *schedule.Schedule) (pcd.Dynamics, error) {
	noise, err := s.respaced(model)
	if err != nil {
		return nil, err
	}
	if s.Sampler == "" || s.Sampler == samplers.DDPM {
		return pcd.DDPM{Schedule: noise, Clip: box, NoiseScale: s.NoiseScale}, nil
	}
	d, err := samplers.New(s.Sampler, noise, box)
	if err != nil {
		return nil, &TeamError{Reason: err.Error()}
	}
	return d, nil
}

// cadence says what is projected when.
func (s Settings) cadence() pcd.Cadence {
	c := pcd.Cadence{Every: s.ProjectEvery}
	if s.ProjectEstimate {
		c.At = pcd.AtEstimate
	}
	return c
}
