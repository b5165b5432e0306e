package pusht

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/push"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/samplers"
	"github.com/go-pcd/pcd/internal/settings"
)

// Spec says which cells an evaluation has: the product of its lists.
type Spec struct {
	Methods []push.Method `json:"methods"`
	// Limits are the speed limits. Methods without projection have one cell, judged
	// at every limit.
	Limits []float64 `json:"limits"`
	// Gammas are the coupling strengths; nil is the default one of each method in the
	// preset. Methods without coupling have one cell.
	Gammas []float64 `json:"gammas,omitempty"`
	// Samplers are names of [push.Samplers]; nil is ddpm, as published.
	Samplers []string `json:"samplers,omitempty"`
	// Steps are numbers of sampling steps; nil is all of the model's.
	Steps         []int  `json:"sampling_steps,omitempty"`
	Adjacent      bool   `json:"adjacent,omitempty"` // respace with the slip of the reference code
	Conditions    int    `json:"conditions"`
	ConditionSeed uint32 `json:"condition_seed"` // 42 are the published initial conditions
	Pairs         int    `json:"pairs"`          // per condition
	Seed          uint64 `json:"seed"`           // of the noise
	Preset        string `json:"preset"`
}

// PublishedSpec returns the evaluation behind the published tables.
func PublishedSpec() Spec {
	return Spec{
		Methods: push.Methods(), Limits: slices.Clone(push.PublishedLimits), Conditions: pusht.Conditions,
		ConditionSeed: pusht.ConditionSeed, Pairs: 100, Preset: "default",
	}
}

// Cell is the piece of an evaluation that is computed at once: pairs of some
// initial conditions with one method.
type Cell struct {
	Method        push.Method `json:"method"`
	Limit         float64     `json:"limit,omitempty"` // that the method keeps; 0 when it keeps none
	Limits        []float64   `json:"limits"`          // at which the result is judged
	Gamma         float64     `json:"gamma,omitempty"` // 0 when the method does not couple
	Conditions    int         `json:"conditions"`
	ConditionSeed uint32      `json:"condition_seed"`
	Pairs         int         `json:"pairs"`
	Seed          uint64      `json:"seed"`
	Preset        string      `json:"preset"`
	push.Respacing
}

// namePrefix begins the names of all cells.
const namePrefix = "pusht-"

// Name identifies a cell among those of its evaluation; it is the name of its
// file.
func (c Cell) Name() string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	name := namePrefix + string(c.Method)
	if c.Limit > 0 {
		name += "-v" + number(c.Limit)
	}
	if c.Gamma != 0 {
		name += "-g" + number(c.Gamma)
	}
	if c.Sampler != "" {
		name += "-" + c.Sampler
	}
	if c.Steps > 0 {
		name += fmt.Sprintf("-t%d", c.Steps)
	}
	if c.Adjacent {
		name += "-adjacent"
	}
	return name
}

// Sized implements part of [experiment.Cell]: conditions add up, and so do pairs
// where they do not depend on each other.
func (c Cell) Sized(like Cell) Cell {
	c.Conditions = like.Conditions
	if settings, err := push.SettingsByName(c.Preset); err == nil && !settings.EarlyAccept {
		c.Pairs = like.Pairs
	}
	return c
}

// Settings implements part of [experiment.Cell].
func (c Cell) Settings() (any, error) { return push.SettingsByName(c.Preset) }

// The bounds of an evaluation, which keep one that was mistyped from taking all
// memory.
const (
	mostConditions = 10_000
	mostPairs      = 10_000 // of a condition
	mostTogether   = 1_000_000
	mostCells      = 1 << 16
)

// Cells lists the cells of an evaluation in a fixed order. It returns an error for
// an unknown preset or method and for numbers that make no evaluation.
func (s Spec) Cells() ([]Cell, error) {
	settings, err := push.SettingsByName(s.Preset)
	if err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("pusht: %w", err)
	}
	var cells []Cell
	for _, m := range s.Methods {
		if _, err := push.ParseMethod(string(m)); err != nil {
			return nil, err
		}
		for _, chain := range s.chains() {
			for _, limit := range s.limitsOf(m) {
				for _, gamma := range s.gammasOf(m, settings) {
					cells = append(cells, s.cell(m, limit, gamma, chain))
				}
			}
		}
	}
	return cells, nil
}

// check returns an error for numbers that make no evaluation.
func (s Spec) check() error {
	if len(s.Methods) == 0 || len(s.Limits) == 0 {
		return fmt.Errorf("an evaluation needs methods and limits")
	}
	cells := float64(len(s.Methods)) * float64(len(s.Limits)) * float64(len(s.chains())) * float64(max(len(s.Gammas), 1))
	for _, name := range s.Samplers {
		if !slices.Contains(push.Samplers(), name) {
			return fmt.Errorf("sampler is %s, want one of %s", quote.Text(name), strings.Join(push.Samplers(), ", "))
		}
	}
	for _, chain := range s.chains() {
		if err := s.runs(chain); err != nil {
			return err
		}
	}
	var steps []float64
	for _, n := range s.Steps {
		steps = append(steps, float64(n))
	}
	return errors.Join(checkAmounts(s.Conditions, s.Pairs), experiment.CheckNumbers(settings.Steps, steps...),
		experiment.CheckBounds(experiment.Bound{Name: "cells", Value: cells, High: mostCells}), s.checkRoom(),
		experiment.CheckPositive("speed limit", s.Limits...), experiment.CheckNumbers(settings.Gamma.Positive(), s.Gammas...))
}

// pairBytes is what a pair takes at its peak, as measured.
const pairBytes = 256 << 10

// checkRoom refuses pairs that run together and for which a limit on memory has no room.
func (s Spec) checkRoom() error {
	if settings, err := push.SettingsByName(s.Preset); err != nil || !settings.EarlyAccept {
		return nil // few run together; another check refuses unknown presets
	}
	return experiment.CheckRoom(float64(s.Pairs), pairBytes, "pairs of a condition together")
}

// checkAmounts bounds the pairs of an evaluation.
func checkAmounts(conditions, pairs int) error {
	return errors.Join(experiment.CheckNumbers(SpecConditions, float64(conditions)), experiment.CheckNumbers(SpecPairs, float64(pairs)),
		experiment.CheckBounds(experiment.Bound{Name: "conditions × pairs", Value: float64(conditions) * float64(pairs), High: mostTogether}))
}

func (s Spec) cell(m push.Method, limit, gamma float64, chain push.Respacing) Cell {
	c := Cell{
		Method: m, Limit: limit, Limits: slices.Clone(s.Limits), Gamma: gamma,
		Conditions: s.Conditions, ConditionSeed: s.ConditionSeed, Pairs: s.Pairs, Seed: s.Seed, Preset: s.Preset,
		Respacing: chain,
	}
	if limit > 0 {
		c.Limits = []float64{limit}
	}
	return c
}

// runs returns an error for a sampler that does not go with the preset or with adjacent steps.
func (s Spec) runs(chain push.Respacing) error {
	settings, err := push.SettingsByName(s.Preset)
	if err != nil {
		return err
	}
	return push.CheckSampler(chain, settings)
}

// chains lists the samplers with the numbers of their steps.
func (s Spec) chains() (all []push.Respacing) {
	names, steps := s.Samplers, s.Steps
	if len(names) == 0 {
		names = []string{""}
	}
	if len(steps) == 0 {
		steps = []int{0}
	}
	for _, name := range names {
		if name == samplers.DDPM {
			name = "" // the published one: its cells are those that name none
		}
		for _, n := range steps {
			all = append(all, push.Respacing{Sampler: name, Steps: n, Adjacent: s.Adjacent && n > 0})
		}
	}
	return all
}

func (s Spec) limitsOf(m push.Method) []float64 {
	if m.Projected() {
		return s.Limits
	}
	return []float64{0}
}

func (s Spec) gammasOf(m push.Method, settings push.Settings) []float64 {
	switch {
	case m.Coupling() == push.Uncoupled:
		return []float64{0}
	case s.Gammas != nil:
		return s.Gammas
	default:
		return []float64{settings.Gamma(m)}
	}
}
