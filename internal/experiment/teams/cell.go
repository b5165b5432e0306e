package teams

import (
	"errors"
	"fmt"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/plan"
)

// Spec says which cells an evaluation has: the product of its lists.
type Spec struct {
	Maps      []string      `json:"maps"` // published ones, and [Ring]
	Robots    []int         `json:"robots"`
	Methods   []plan.Method `json:"methods"`
	Trials    int           `json:"trials"`     // of each cell
	TrialSeed uint32        `json:"trial_seed"` // of the first trial
	Seed      uint64        `json:"seed"`       // of the noise of the first trial
	// Samples and Preset are those of methods that sample robots together; 0 samples
	// are as many as the preset says.
	Samples int    `json:"samples"`
	Preset  string `json:"preset"`
	// SearchSamples, SearchPreset and SearchSeconds are those of methods that plan robot
	// by robot: samples of one robot, and processor seconds after which they give up.
	SearchSamples int     `json:"search_samples"`
	SearchPreset  string  `json:"search_preset"`
	SearchSeconds float64 `json:"search_seconds"`
}

// Ring is the name, among the maps, of swaps of a ring on the empty one.
const Ring = "ring"

// tableSeed is the seed of the trials of the tables, on which nothing was chosen.
const tableSeed = 2027

// DefaultSpec returns the evaluation behind the table of certified plans.
func DefaultSpec() Spec {
	s := Spec{
		Robots: []int{4, 8, 12, 16, 24, 32, 64}, Methods: []plan.Method{plan.PCDSHD}, Trials: 20, TrialSeed: tableSeed, Preset: "default",
		SearchSamples: plan.DefaultSamples, SearchPreset: "paper", SearchSeconds: plan.DefaultTimeLimit.Seconds(),
	}
	s.Maps = nav2d.MapNames()
	return s
}

// Cell is the piece of an evaluation that is computed at once: some trials of a map, or
// swaps of a ring, with one method.
type Cell struct {
	Map       string      `json:"map"`
	Robots    int         `json:"robots"`
	Method    plan.Method `json:"method"`
	Limit     float64     `json:"limit"`           // of speeds, in normalised units per second
	Gamma     float64     `json:"gamma,omitempty"` // 0 when the method does not couple
	Trials    int         `json:"trials"`
	TrialSeed uint32      `json:"trial_seed"`
	Seed      uint64      `json:"seed"`
	Samples   int         `json:"samples"`
	Preset    string      `json:"preset"`
	// SearchSeconds is 0 when the method does not search.
	SearchSeconds float64 `json:"search_seconds,omitempty"`
	// Motion is along the waypoints; "" is straight, as in the tables.
	Motion plan.Motion `json:"motion,omitempty"`
}

// Name implements part of [experiment.Cell].
func (c Cell) Name() string { return fmt.Sprintf("%s-n%d-%s", c.Map, c.Robots, c.Method) }

// Sized implements part of [experiment.Cell]: trials add up.
func (c Cell) Sized(like Cell) Cell {
	c.Trials = like.Trials
	return c
}

// Settings implements part of [experiment.Cell].
func (c Cell) Settings() (any, error) { return plan.SettingsByName(c.Preset) }

// mapName returns the name of the map that a cell is on, and of its model.
func (c Cell) mapName() string {
	if c.Map == Ring {
		return "empty"
	}
	return c.Map
}

// The bounds of an evaluation, which keep one that was mistyped from taking all memory.
const (
	mostTrials  = 1000
	mostRobots  = 1024
	mostSamples = 1 << 12
	mostStates  = 1 << 16 // samples of all robots together
)

// Cells implements [experiment.Spec]: by map, then by number of robots, so that the
// methods that rows compare follow each other.
func (s Spec) Cells() ([]Cell, error) {
	var cells []Cell
	for _, name := range s.Maps {
		for _, robots := range s.Robots {
			for _, method := range s.Methods {
				c, err := s.cell(name, robots, method)
				if err != nil {
					return nil, fmt.Errorf("teams: %w", err)
				}
				cells = append(cells, c)
			}
		}
	}
	return cells, nil
}

func (s Spec) cell(name string, robots int, method plan.Method) (Cell, error) {
	c := Cell{Map: name, Robots: robots, Method: method, Trials: s.Trials, TrialSeed: s.TrialSeed, Seed: s.Seed, Samples: s.Samples, Preset: s.Preset}
	if method.Searches() {
		c.Samples, c.Preset, c.SearchSeconds = s.SearchSamples, s.SearchPreset, s.SearchSeconds
	}
	m, err := nav2d.MapByName(c.mapName())
	if err != nil {
		return c, err
	}
	settings, err := plan.SettingsByName(c.Preset)
	if err != nil {
		return c, err
	}
	if c.Samples == 0 && robots > 0 {
		c.Samples = settings.DefaultSamples(robots)
	}
	c.Limit, c.Gamma = plan.PublishedLimits(m)[0], settings.DefaultGamma(m, method.Coupling())
	return c, c.check()
}

// check returns an error for a cell that no evaluation has.
func (c Cell) check() error {
	_, mapErr := nav2d.MapByName(c.mapName())
	_, methodErr := plan.ParseMethod(string(c.Method))
	bounds := []experiment.Bound{
		{Name: "robots × samples", Value: float64(c.Robots) * float64(c.Samples), High: mostStates},
	}
	if c.Method.Searches() {
		bounds = append(bounds, experiment.Bound{Name: "search limit in seconds", Value: c.SearchSeconds, Low: 1e-3, High: 1e6})
	}
	return errors.Join(mapErr, methodErr, experiment.CheckPositive("limit", c.Limit), experiment.CheckNumbers(SpecRobots, float64(c.Robots)),
		experiment.CheckNumbers(SpecTrials, float64(c.Trials)), experiment.CheckNumbers(SpecSamples, float64(c.Samples)), experiment.CheckBounds(bounds...))
}
