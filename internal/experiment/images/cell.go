package images

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/settings"
)

// Spec says which cells an evaluation has: the product of its lists.
type Spec struct {
	Methods   []pair.Method `json:"methods"`
	Exemplars []int         `json:"exemplars"` // of each image: the published tables have 2 and 6
	// Gammas are strengths of the coupling, and NoiseScales factors of the noise; nil is
	// the rule of pair.Request.Choose. Methods that do not couple, or project, have one
	// cell.
	Gammas      []float64 `json:"gammas,omitempty"`
	NoiseScales []float64 `json:"noise_scales,omitempty"`
	Steps       int       `json:"steps"`      // of sampling
	Pairs       int       `json:"pairs"`      // of a seed
	Seeds       int       `json:"seeds"`      // from FirstSeed on
	FirstSeed   uint64    `json:"first_seed"` // the tables have 0; strengths are chosen on others
	Prompt      string    `json:"prompt"`     // of prompted methods
	Guidance    float64   `json:"guidance"`   // of them; 0 is that of each method
	// SyncWeights are weights of the gradient of Sync; nil is the rule. SyncTogether moves
	// both of its images.
	SyncWeights  []float64 `json:"sync_weights,omitempty"`
	SyncTogether bool      `json:"sync_together,omitempty"`
	// Floor is the factor of the noise of a further cell of SDP, at which images
	// collapse in the published figure; 0 is no such cell.
	Floor float64 `json:"floor,omitempty"`
	// Same gives both images the same exemplars.
	Same Same `json:"same,omitempty"`
}

// The published evaluation.
const (
	publishedSteps = 100
	publishedPairs = 25
	// Prompt describes the pictures of the program's model as the published prompt does
	// those of its model: somebody, of no age and no gender.
	Prompt = "portrait of a person"
)

// PublishedSpec returns the evaluation behind the published tables, with ten seeds in the
// place of one, and the collapse at the factor 1.
func PublishedSpec() Spec {
	return Spec{
		Methods: pair.Methods(), Exemplars: []int{2, 6}, Steps: publishedSteps, Pairs: publishedPairs, Seeds: 10,
		Prompt: Prompt, Floor: 1,
	}
}

// Cell is the piece of an evaluation that is computed at once: batches of pairs by one
// method.
type Cell struct {
	Method     pair.Method `json:"method"`
	Exemplars  int         `json:"exemplars"`
	Gamma      float64     `json:"gamma,omitempty"`       // 0 is the rule, or no coupling
	NoiseScale float64     `json:"noise_scale,omitempty"` // 0 is the rule
	Steps      int         `json:"steps"`
	Pairs      int         `json:"pairs"`
	Seeds      int         `json:"seeds"`
	FirstSeed  uint64      `json:"first_seed"`
	Prompt     string      `json:"prompt,omitempty"` // empty for methods that are told nothing
	Guidance   float64     `json:"guidance,omitempty"`
	// Of Sync: the weight, 0 is the rule, and whether both images move.
	SyncWeight   float64 `json:"sync_weight,omitempty"`
	SyncTogether bool    `json:"sync_together,omitempty"`
	Same         Same    `json:"same,omitempty"`
}

// namePrefix begins the names of all cells.
const namePrefix = "images-"

// Name identifies a cell among those of its evaluation; it is the name of its file.
func (c Cell) Name() string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	name := fmt.Sprintf("%s%s-m%d", namePrefix, c.Method, c.Exemplars)
	if c.Gamma != 0 {
		name += "-g" + number(c.Gamma)
	}
	if c.NoiseScale != 0 {
		name += "-k" + number(c.NoiseScale)
	}
	if c.SyncWeight != 0 {
		name += "-w" + number(c.SyncWeight)
	}
	if c.SyncTogether {
		name += "-together"
	}
	if c.Same != OwnExemplars {
		name += "-same-" + string(c.Same)
	}
	return name
}

// byRule reports whether the numbers of a cell are those of the rules, as published.
func (c Cell) byRule() bool {
	return c.Gamma == 0 && c.NoiseScale == 0 && c.SyncWeight == 0 && !c.SyncTogether
}

// Sized implements part of [experiment.Cell]: batches of seeds add up, and the pairs of
// a batch do not, since its diversity is theirs together.
func (c Cell) Sized(like Cell) Cell {
	c.Seeds = like.Seeds
	return c
}

// rules are what zeros of a cell stand for; a rule that a cell does not use is 0.
type rules struct {
	Gamma         float64 `json:"gamma_per_root_dimension,omitempty"`
	FreeGamma     float64 `json:"free_gamma_per_root_dimension,omitempty"`
	NoisePerChord float64 `json:"noise_per_chord,omitempty"`
	SyncWeight    float64 `json:"sync_weight,omitempty"`
}

// Settings implements part of [experiment.Cell].
func (c Cell) Settings() (any, error) {
	return c.use(rules{pair.PublishedGamma / math.Sqrt(pair.PublishedDimension), pair.FreeGamma, pair.NoisePerChord, pair.SyncWeight}), nil
}

// Used implements [experiment.Used]: files used to hold all rules, whatever the method.
func (c Cell) Used(settings json.RawMessage) (any, error) {
	var r rules
	err := json.Unmarshal(settings, &r)
	return c.use(r), err
}

// use returns the rules that the numbers of a cell depend on.
func (c Cell) use(r rules) (used rules) {
	switch {
	case !c.Method.Coupled() || c.Gamma != 0:
	case c.Method.Projected():
		used.Gamma = r.Gamma
	default:
		used.FreeGamma = r.FreeGamma
	}
	if c.Method.Projected() && c.NoiseScale == 0 {
		used.NoisePerChord = r.NoisePerChord
	}
	if c.Method.Guided() && c.SyncWeight == 0 {
		used.SyncWeight = r.SyncWeight
	}
	return used
}

// The bounds of an evaluation, which keep one that was mistyped from taking all memory.
const (
	mostPairs = 10_000 // of a seed
	mostSeeds = 10_000
	mostCells = 1 << 16
)

// Cells lists the cells of an evaluation in a fixed order.
func (s Spec) Cells() ([]Cell, error) {
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("images: %w", err)
	}
	var cells []Cell
	for _, m := range s.Methods {
		if _, err := pair.ParseMethod(string(m)); err != nil {
			return nil, err
		}
		for _, n := range s.Exemplars {
			for _, gamma := range s.gammasOf(m) {
				for _, k := range s.scalesOf(m) {
					cells = append(cells, s.cell(m, n, gamma, k))
				}
			}
			if m == pair.Sync {
				cells = append(cells[:len(cells)-1], s.synchronized(cells[len(cells)-1])...)
			}
		}
	}
	return cells, nil
}

// check returns an error for numbers that make no evaluation.
func (s Spec) check() error {
	if len(s.Methods) == 0 || len(s.Exemplars) == 0 {
		return fmt.Errorf("an evaluation needs methods and numbers of exemplars")
	}
	if err := s.Same.check(); err != nil {
		return err
	}
	cells := float64(len(s.Methods)) * float64(len(s.Exemplars)) * float64(max(len(s.Gammas), 1)) * float64(len(s.NoiseScales)+1) * float64(len(s.SyncWeights)+1)
	var exemplars []float64
	for _, n := range s.Exemplars {
		exemplars = append(exemplars, float64(n))
	}
	return errors.Join(checkAmounts(s.Pairs, s.Seeds, s.Steps), experiment.CheckBounds(experiment.Bound{Name: "cells", Value: cells, High: mostCells}),
		experiment.CheckNumbers(settings.Guidance, s.Guidance), experiment.CheckNumbers(SpecFloor, s.Floor), experiment.CheckNumbers(SpecExemplars, exemplars...), experiment.CheckNumbers(settings.Gamma.Positive(), s.Gammas...),
		experiment.CheckNumbers(settings.NoiseScale, s.NoiseScales...), experiment.CheckPositive("noise scale", s.NoiseScales...), experiment.CheckNumbers(settings.SyncWeight, s.SyncWeights...))
}

// checkAmounts bounds the images of an evaluation.
func checkAmounts(pairs, seeds, steps int) error {
	return errors.Join(experiment.CheckNumbers(SpecPairs, float64(pairs)), experiment.CheckNumbers(SpecSeeds, float64(seeds)), experiment.CheckNumbers(settings.Steps, float64(steps)))
}

func (s Spec) cell(m pair.Method, exemplars int, gamma, scale float64) Cell {
	c := Cell{
		Method: m, Exemplars: exemplars, Gamma: gamma, NoiseScale: scale,
		Steps: s.Steps, Pairs: s.Pairs, Seeds: s.Seeds, FirstSeed: s.FirstSeed, Same: s.Same,
	}
	if m.Prompted() {
		c.Prompt, c.Guidance = s.Prompt, s.Guidance
	}
	return c
}

// synchronized returns a cell of Sync with every weight.
func (s Spec) synchronized(c Cell) []Cell {
	c.SyncTogether = s.SyncTogether
	if s.SyncWeights == nil {
		return []Cell{c}
	}
	var out []Cell
	for _, c.SyncWeight = range s.SyncWeights {
		out = append(out, c)
	}
	return out
}

// gammasOf returns the strengths of a method, 0 for that of the rule or for none.
func (s Spec) gammasOf(m pair.Method) []float64 {
	if !m.Coupled() || s.Gammas == nil {
		return []float64{0}
	}
	return s.Gammas
}

// scalesOf returns the factors of the noise of a method, 0 for that of the rule.
func (s Spec) scalesOf(m pair.Method) []float64 {
	if !m.Projected() {
		return []float64{0}
	}
	out := s.NoiseScales
	if out == nil {
		out = []float64{0}
	}
	if m == pair.SDP && s.Floor > 0 && !slices.Contains(out, s.Floor) {
		out = append(out[:len(out):len(out)], s.Floor)
	}
	return out
}
