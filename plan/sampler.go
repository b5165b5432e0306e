package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/schedule"
)

// samplers make the steps over a grid. DDPM is another: it has noise of its own scale.
var samplers = map[string]func(g *schedule.Grid) pcd.Dynamics{
	"ddim":            func(g *schedule.Grid) pcd.Dynamics { return pcd.Euler{Grid: g, Clip: 1} },
	"euler-ancestral": func(g *schedule.Grid) pcd.Dynamics { return pcd.Euler{Grid: g, Eta: 1, Clip: 1} },
	"heun":            func(g *schedule.Grid) pcd.Dynamics { return pcd.Heun{Grid: g, Clip: 1} },
	"dpm++2m":         func(g *schedule.Grid) pcd.Dynamics { return pcd.DPMSolver{Grid: g} },
}

// ddpm is the sampler of the published runs.
const ddpm = "ddpm"

// Samplers lists the names of samplers: ddpm as published, ddim without noise, euler-ancestral
// with all of it, heun, which asks the models twice a step, and dpm++2m.
func Samplers() []string { return append([]string{ddpm}, slices.Sorted(maps.Keys(samplers))...) }

// dynamics returns the steps of a run with a model's schedule: as many as the settings say,
// spread evenly from its first to its last.
func (s Settings) dynamics(model *schedule.Schedule) (pcd.Dynamics, error) {
	noise, err := s.respaced(model)
	if err != nil {
		return nil, err
	}
	if s.Sampler == "" || s.Sampler == ddpm {
		return pcd.DDPM{Schedule: noise, Clip: 1, NoiseScale: s.NoiseScale}, nil
	}
	over, ok := samplers[s.Sampler]
	if !ok {
		return nil, &TeamError{Reason: fmt.Sprintf("sampler %s, want one of %s", quote.Text(s.Sampler), strings.Join(Samplers(), ", "))}
	}
	g, err := model.Grid(schedule.GridOptions{Steps: noise.Len(), Spacing: schedule.Linspace})
	if err != nil {
		return nil, &TeamError{Reason: fmt.Sprintf("sampler %s: %v", s.Sampler, err)}
	}
	return over(g), nil
}

// cadence says what is projected when.
func (s Settings) cadence() pcd.Cadence {
	c := pcd.Cadence{Every: s.ProjectEvery}
	if s.ProjectEstimate {
		c.At = pcd.AtEstimate
	}
	return c
}
