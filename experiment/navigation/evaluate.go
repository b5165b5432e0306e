package navigation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/experiment"
	"github.com/go-pcd/pcd/metric"
	"github.com/go-pcd/pcd/plan"
)

// CellResult is what a cell gave so far. It grows trial by trial.
type CellResult struct {
	Cell     Cell                `json:"cell"`
	Trials   int                 `json:"trials"`   // that are done
	Measures map[string]Measures `json:"measures"` // by speed limit
	// CertifiedTrials counts the trials whose samples were all certified.
	CertifiedTrials int     `json:"certified_trials"`
	MaxViolation    float64 `json:"max_violation"` // worst step of all trials; 0 or less when certified
	// Searches counts the ways in which searches ended.
	Searches     map[plan.SearchStatus]int `json:"searches,omitempty"`
	FeasibleBest int                       `json:"feasible_best"` // trials whose best sample is feasible, also between waypoints

	Seconds pcd.Seconds        `json:"seconds"` // of all trials together
	Machine experiment.Machine `json:"machine"` // that computed the last trial
	Version string             `json:"version"`
	Model   plan.Card          `json:"model"`

	Tally map[string]*metric.NavTally `json:"tally"` // by speed limit: what Measures summarise, to go on from
}

// Certified reports whether the method projects and every sample of every trial was
// found to keep its limits.
func (r *CellResult) Certified() bool {
	return r.Cell.Method.Projected() && r.CertifiedTrials == r.Trials
}

// Measures are the columns of the published tables, and some more.
type Measures struct {
	SU           Stat   `json:"su"`
	RS           Stat   `json:"rs"`
	CS           []Stat `json:"cs"`
	DA           []Stat `json:"da"`
	ObstacleSafe Stat   `json:"obstacle_safe"`
	Feasible     Stat   `json:"feasible"`
}

// Stat is a mean with the standard deviation over samples, as published, and the
// 95 % interval of the mean.
type Stat struct {
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
	Lo   float64 `json:"lo"`
	Hi   float64 `json:"hi"`
}

func stat(e metric.Estimate) Stat {
	return Stat{Mean: e.Mean, Std: e.Std, Lo: e.Interval.Lo, Hi: e.Interval.Hi}
}

func measures(s metric.NavSummary) Measures {
	m := Measures{SU: stat(s.Success), RS: stat(s.Safe), ObstacleSafe: stat(s.Clear), Feasible: stat(s.Feasible)}
	for i := range s.WithinLimit {
		m.CS = append(m.CS, stat(s.WithinLimit[i]))
		m.DA = append(m.DA, stat(s.Adherence[i]))
	}
	return m
}

// Limit returns the measures at a speed limit.
func (r *CellResult) Limit(limit float64) (Measures, bool) {
	m, ok := r.Measures[limitKey(limit)]
	return m, ok
}

func limitKey(limit float64) string { return strconv.FormatFloat(limit, 'g', -1, 64) }

// Run continues a cell from a result of fewer trials, or from nil, up to its
// number of trials. After is called with the result after each trial, and may be
// nil; its error ends the run.
func (c Cell) Run(ctx context.Context, from *CellResult, model *plan.Model, workers int, after func(*CellResult) error) (*CellResult, error) {
	m, err := nav2d.MapByName(c.Map)
	if err != nil {
		return nil, err
	}
	settings, err := plan.SettingsByName(c.Preset)
	if err != nil {
		return nil, err
	}
	trials, err := nav2d.Trials(m, c.Robots, c.Trials, c.TrialSeed)
	if err != nil {
		return nil, err
	}
	r := c.begin(from, model)
	for i := r.Trials; i < len(trials); i++ {
		team := plan.TeamOfTrial(m, trials[i], model, c.judgedLimit())
		result, err := plan.Run(ctx, team, plan.Options{
			Method: c.Method, Samples: c.Samples, Gamma: c.Gamma, Settings: settings, Seed: c.Seed + uint64(i), Workers: workers,
			Search: plan.SearchOptions{TimeLimit: time.Duration(c.SearchSeconds * float64(time.Second))},
		})
		if err != nil {
			return r, fmt.Errorf("%s, trial %d: %w", c.Name(), i, err)
		}
		r.add(result)
		if after == nil {
			continue
		}
		if err := after(r); err != nil {
			return r, err
		}
	}
	return r, nil
}

// begin returns the result to go on with.
func (c Cell) begin(from *CellResult, model *plan.Model) *CellResult {
	r := from
	if r == nil {
		r = &CellResult{MaxViolation: math.Inf(-1), Measures: map[string]Measures{}, Tally: map[string]*metric.NavTally{}}
	}
	r.Cell, r.Model, r.Machine, r.Version = c, model.Card, experiment.ThisMachine(), experiment.Version()
	return r
}

// judgedLimit returns the limit that robots are given: the one that the method
// keeps, or the loosest that it is judged at.
func (c Cell) judgedLimit() float64 {
	if c.Limit > 0 {
		return c.Limit
	}
	return c.Limits[0]
}

func (r *CellResult) add(p *plan.Result) {
	r.Trials++
	for _, limit := range r.Cell.Limits {
		key := limitKey(limit)
		if r.Tally[key] == nil {
			r.Tally[key] = new(metric.NavTally)
		}
		r.Tally[key].Add(p.Judged, slices.Repeat([]float64{limit}, r.Cell.Robots))
		r.Measures[key] = measures(r.Tally[key].Summary())
	}
	if s := p.Search; s != nil {
		if r.Searches == nil {
			r.Searches = map[plan.SearchStatus]int{}
		}
		r.Searches[s.Status]++
	}
	if p.Certificate.Certified {
		r.CertifiedTrials++
	}
	r.MaxViolation = max(r.MaxViolation, p.Certificate.MaxViolation)
	if p.Best.Feasible && p.Best.Continuous {
		r.FeasibleBest++
	}
	r.Seconds.Add(p.Seconds)
}

// Evaluation computes the cells of a spec into a directory, one file each.
type Evaluation struct {
	Dir     string
	Spec    Spec
	Shard   int // this process computes every Shards-th cell from this one on
	Shards  int // 0 is 1
	Workers int
	// Model returns the model of a map.
	Model func(name string) (*plan.Model, error)
	// Cell is called before a cell is computed, or found finished.
	Cell func(c Cell, number, of int, finished bool)
	// Progress is called as the trials of a cell finish.
	Progress func(done, total int)
}

// Run computes the trials that are missing in its cells. When the context is
// cancelled, the trial in progress is lost and nothing else.
func (e Evaluation) Run(ctx context.Context) error {
	cells, err := e.Spec.Cells()
	if err != nil {
		return err
	}
	shards := max(e.Shards, 1)
	if e.Shard < 0 || e.Shard >= shards {
		return fmt.Errorf("navigation: shard %d of %d, want 0 to %d", e.Shard, shards, shards-1)
	}
	if err := os.MkdirAll(e.Dir, 0o755); err != nil {
		return err
	}
	for i := e.Shard; i < len(cells); i += shards {
		if err := e.cell(ctx, cells[i], i, len(cells)); err != nil {
			return err
		}
	}
	return nil
}

func (e Evaluation) cell(ctx context.Context, c Cell, number, of int) error {
	path := filepath.Join(e.Dir, c.Name()+".json")
	before, err := unfinished(path, c)
	if err != nil {
		return err
	}
	done := before != nil && before.Trials >= c.Trials
	if e.Cell != nil {
		e.Cell(c, number, of, done)
	}
	if done {
		return nil
	}
	model, err := e.Model(c.Map)
	if err != nil {
		return err
	}
	if before != nil && !reflect.DeepEqual(before.Model, model.Card) {
		return fmt.Errorf("navigation: %s was begun with another model (%+v instead of %+v); choose another directory", path, before.Model, model.Card)
	}
	_, err = c.Run(ctx, before, model, e.Workers, func(r *CellResult) error {
		if e.Progress != nil {
			e.Progress(r.Trials, c.Trials)
		}
		return experiment.WriteJSON(path, r)
	})
	return err
}

// unfinished returns the result of a cell so far, nil when it was not begun. One of
// another cell of the same name is an error; the number of trials may differ.
func unfinished(path string, c Cell) (*CellResult, error) {
	r, err := readCell(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	other := r.Cell
	other.Trials = c.Trials
	if !reflect.DeepEqual(other, c) {
		return nil, fmt.Errorf("navigation: %s was computed with other settings (%+v instead of %+v); choose another directory", path, r.Cell, c)
	}
	return r, nil
}

func readCell(path string) (*CellResult, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := new(CellResult)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("navigation: %s: %w", path, err)
	}
	return r, nil
}

// ReadResults reads the finished cells of a directory, by name.
func ReadResults(dir string) (map[string]*CellResult, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*-n*-*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("navigation: %s holds no finished cells: %w", dir, fs.ErrNotExist)
	}
	out := map[string]*CellResult{}
	for _, f := range files {
		r, err := readCell(f)
		if err != nil {
			return nil, err
		}
		out[r.Cell.Name()] = r
	}
	return out, nil
}
