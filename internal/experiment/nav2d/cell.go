package nav2d

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/plan"
)

// Spec says which cells an evaluation has: the product of its lists.
type Spec struct {
	Maps    []string      `json:"maps"`
	Robots  []int         `json:"robots"`
	Methods []plan.Method `json:"methods"`
	// Limits are the speed limits; nil is the published ones of each map. Methods
	// without projection have one cell, judged at every limit.
	Limits []float64 `json:"limits,omitempty"`
	// Gammas are the coupling strengths; nil is the default one of each map and
	// coupling. Methods without coupling have one cell.
	Gammas    []float64 `json:"gammas,omitempty"`
	Trials    int       `json:"trials"`
	TrialSeed uint32    `json:"trial_seed"` // 18 are the published trials
	Samples   int       `json:"samples"`
	Seed      uint64    `json:"seed"` // of the noise
	Preset    string    `json:"preset"`
	// SearchSeconds is how long a search may take.
	SearchSeconds float64 `json:"search_seconds"`
	// Samplers and Steps are samplers, see [plan.Samplers], and numbers of denoising steps; nil is
	// those of the preset. Estimates says whether projections act on estimates; nil is only false.
	Samplers  []string `json:"samplers,omitempty"`
	Steps     []int    `json:"sampling_steps,omitempty"`
	Estimates []bool   `json:"project_estimates,omitempty"`
}

// PublishedSpec returns the evaluation behind the eight published tables.
func PublishedSpec() Spec {
	s := Spec{Robots: []int{2, 4}, Methods: tableMethods(), Trials: 100, TrialSeed: nav2d.PublishedSeed, Samples: plan.DefaultSamples, Preset: "paper",
		SearchSeconds: plan.DefaultTimeLimit.Seconds()}
	s.Maps = nav2d.MapNames()
	return s
}

// tableMethods are the methods of the published tables, in their order.
func tableMethods() []plan.Method {
	return []plan.Method{plan.Diffuser, plan.MMDCBS, plan.DiffuserProj, plan.CDLB, plan.CDSHD, plan.PCDLB, plan.PCDSHD}
}

// Cell is the piece of an evaluation that is computed at once: some trials of a
// map with one method.
type Cell struct {
	Map       string      `json:"map"`
	Robots    int         `json:"robots"`
	Method    plan.Method `json:"method"`
	Limit     float64     `json:"limit,omitempty"` // that the method keeps; 0 when it keeps none
	Limits    []float64   `json:"limits"`          // at which the result is judged
	Gamma     float64     `json:"gamma,omitempty"` // 0 when the method does not couple
	Trials    int         `json:"trials"`
	TrialSeed uint32      `json:"trial_seed"`
	Samples   int         `json:"samples"`
	Seed      uint64      `json:"seed"`
	Preset    string      `json:"preset"`
	// SearchSeconds is how long a search may take; 0 when the method does not search.
	SearchSeconds float64 `json:"search_seconds,omitempty"`
	Variant
}

// Variant is how a cell is sampled otherwise than its preset says. The zero value is no
// difference.
type Variant struct {
	Sampler  string `json:"sampler,omitempty"`
	Steps    int    `json:"sampling_steps,omitempty"`
	Estimate bool   `json:"project_estimate,omitempty"` // projections act on estimates
}

// String names the differences, for the names of cells and for tables; empty for none.
func (v Variant) String() string {
	var parts []string
	if v.Sampler != "" {
		parts = append(parts, v.Sampler)
	}
	if v.Steps > 0 {
		parts = append(parts, fmt.Sprintf("t%d", v.Steps))
	}
	if v.Estimate {
		parts = append(parts, "estimate")
	}
	return strings.Join(parts, "-")
}

// settings returns those of the preset with the differences.
func (c Cell) settings() (plan.Settings, error) {
	s, err := plan.SettingsByName(c.Preset)
	if c.Sampler != "" {
		s.Sampler = c.Sampler
	}
	if c.Steps > 0 {
		s.Steps = c.Steps
	}
	s.ProjectEstimate = c.Estimate
	return s, err
}

// Name identifies a cell among those of its evaluation; it is the name of its
// file.
func (c Cell) Name() string {
	name := fmt.Sprintf("%s-n%d-%s", c.Map, c.Robots, c.Method)
	if c.Limit > 0 {
		name += "-v" + strconv.FormatFloat(c.Limit, 'g', -1, 64)
	}
	if c.Gamma != 0 {
		name += "-g" + strconv.FormatFloat(c.Gamma, 'g', -1, 64)
	}
	if v := c.Variant.String(); v != "" {
		name += "-" + v
	}
	return name
}

// Sized implements part of [experiment.Cell]: trials add up.
func (c Cell) Sized(like Cell) Cell {
	c.Trials = like.Trials
	return c
}

// Settings implements part of [experiment.Cell].
func (c Cell) Settings() (any, error) { return c.settings() }

// The bounds of an evaluation, which keep one that was mistyped from taking all
// memory.
const (
	mostTrials  = 100_000
	mostRobots  = 256
	mostSamples = 1 << 16
	mostStates  = 1 << 18 // samples of all robots together
	stateBytes  = 4 << 10 // that a trajectory takes at its peak, as measured
	mostCells   = 1 << 16
	mostSteps   = 10_000
)

// Cells lists the cells of an evaluation in a fixed order. It returns an error
// for an unknown map and for numbers that make no evaluation.
func (s Spec) Cells() ([]Cell, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	var cells []Cell
	for _, name := range s.Maps {
		m, err := nav2d.MapByName(name)
		if err != nil {
			return nil, err
		}
		for _, robots := range s.Robots {
			for _, method := range s.Methods {
				cells = append(cells, s.cellsOf(m, robots, method)...)
			}
		}
	}
	return cells, nil
}

// check returns an error for numbers that make no evaluation.
func (s Spec) check() error {
	if len(s.Maps) == 0 || len(s.Robots) == 0 || len(s.Methods) == 0 {
		return fmt.Errorf("nav2d: an evaluation needs maps, robots and methods")
	}
	bounds := []experiment.Bound{
		{Name: "search limit in seconds", Value: s.SearchSeconds, Low: 1e-3, High: 1e6},
		{Name: "cells", Value: float64(len(s.Maps)) * float64(len(s.Robots)) * float64(len(s.Methods)) * float64(max(len(s.Limits), 3)) * float64(max(len(s.Gammas), 1)) *
			float64(max(len(s.Samplers), 1)) * float64(max(len(s.Steps), 1)) * float64(max(len(s.Estimates), 1)), High: mostCells},
	}
	for _, robots := range s.Robots {
		bounds = append(bounds, experiment.Bound{Name: "robots × samples", Value: float64(robots) * float64(s.Samples), High: mostStates})
	}
	if err := errors.Join(experiment.CheckNumbers(SpecTrials, float64(s.Trials)), experiment.CheckNumbers(SpecSamples, float64(s.Samples)),
		experiment.CheckNumbers(SpecRobots, floats(s.Robots)...), experiment.CheckNumbers(SpecSteps, floats(s.Steps)...), experiment.CheckBounds(bounds...)); err != nil {
		return fmt.Errorf("nav2d: %w", err)
	}
	if err := experiment.CheckRoom(float64(slices.Max(s.Robots)*s.Samples), stateBytes, "trajectories at once"); err != nil {
		return fmt.Errorf("nav2d: %w", err)
	}
	for _, m := range s.Methods {
		if _, err := plan.ParseMethod(string(m)); err != nil {
			return err
		}
	}
	for _, name := range s.Samplers {
		if !slices.Contains(plan.Samplers(), name) {
			return fmt.Errorf("nav2d: sampler is %s, want one of %s", quote.Text(name), strings.Join(plan.Samplers(), ", "))
		}
	}
	_, err := plan.SettingsByName(s.Preset)
	return errors.Join(err, experiment.CheckPositive("speed limit", s.Limits...), experiment.CheckNumbers(settings.Gamma.Positive(), s.Gammas...))
}

// cellsOf lists the cells of one map, number of robots and method.
func (s Spec) cellsOf(m *nav2d.Map, robots int, method plan.Method) []Cell {
	limits := s.Limits
	if limits == nil {
		limits = plan.PublishedLimits(m)
	}
	kept := []float64{0}
	if method.Projected() {
		kept = limits
	}
	var cells []Cell
	for _, limit := range kept {
		for _, gamma := range s.gammasOf(m, method) {
			c := Cell{
				Map: m.Name, Robots: robots, Method: method, Limit: limit, Limits: slices.Clone(limits), Gamma: gamma,
				Trials: s.Trials, TrialSeed: s.TrialSeed, Samples: s.Samples, Seed: s.Seed, Preset: s.Preset,
			}
			if method.Searches() {
				c.SearchSeconds = s.SearchSeconds
			}
			if limit > 0 {
				c.Limits = []float64{limit}
			}
			for _, v := range s.variantsOf(method) {
				c.Variant = v
				cells = append(cells, c)
			}
		}
	}
	return cells
}

// variantsOf lists the ways in which a method is sampled; one that searches has none.
func (s Spec) variantsOf(method plan.Method) (all []Variant) {
	if method.Searches() {
		return []Variant{{}}
	}
	orOne := func(n int) int { return max(n, 1) }
	for i := range orOne(len(s.Samplers)) {
		for j := range orOne(len(s.Steps)) {
			for k := range orOne(len(s.Estimates)) {
				var v Variant
				if len(s.Samplers) > 0 {
					v.Sampler = s.Samplers[i]
				}
				if len(s.Steps) > 0 {
					v.Steps = s.Steps[j]
				}
				if len(s.Estimates) > 0 {
					v.Estimate = s.Estimates[k] && method.Projected()
				}
				if !slices.Contains(all, v) {
					all = append(all, v)
				}
			}
		}
	}
	return all
}

func (s Spec) gammasOf(m *nav2d.Map, method plan.Method) []float64 {
	coupling := method.Coupling()
	switch {
	case coupling == plan.Uncoupled:
		return []float64{0}
	case s.Gammas != nil:
		return s.Gammas
	default:
		return []float64{plan.DefaultGamma(m, coupling)}
	}
}
