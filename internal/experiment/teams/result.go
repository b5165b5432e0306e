package teams

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/metric"
	"github.com/go-pcd/pcd/plan"
)

// CellResult is what a cell gave so far. It grows trial by trial.
type CellResult struct {
	experiment.Header[Cell]
	Trials []Trial `json:"trials"`
}

// Progress implements part of [experiment.Result].
func (r *CellResult) Progress(of Cell) (done, total int) {
	return min(len(r.Trials), of.Trials), of.Trials
}

// Check implements part of [experiment.Result].
func (r *CellResult) Check() error {
	if err := r.Cell.check(); err != nil {
		return err
	}
	for i, t := range r.Trials {
		if err := t.check(); err != nil {
			return fmt.Errorf("trial %d: %w", i, err)
		}
	}
	return experiment.CheckBounds(experiment.Bound{Name: "trials", Value: float64(len(r.Trials)), High: mostTrials})
}

// check returns an error for what no trial gives.
func (t Trial) check() error {
	const most = 1e9
	bounds := []experiment.Bound{
		{Name: "seconds", Value: t.Seconds, High: most}, {Name: "processor", Value: t.Processor, High: most}, {Name: "repair", Value: t.Repair, High: most},
	}
	if p := t.Plan; p != nil {
		bounds = append(bounds,
			experiment.Bound{Name: "da_before", Value: p.Before, High: 1 + 1e-9}, experiment.Bound{Name: "da_after", Value: p.After, High: 1 + 1e-9},
			experiment.Bound{Name: "displacement", Value: p.Displacement, High: most}, experiment.Bound{Name: "length", Value: p.Length, High: most},
			experiment.Bound{Name: "clearance", Value: p.Clearance, Low: -most, High: most}, experiment.Bound{Name: "acceleration", Value: p.Acceleration, High: most})
	}
	switch {
	case t.Certified && (t.Plan == nil || !t.Free || len(t.Fails) > 0):
		return fmt.Errorf("a certified plan that fails in %v", t.Fails)
	case t.Plan == nil && t.Free:
		return fmt.Errorf("paths free of contact that are not there")
	}
	return experiment.CheckBounds(bounds...)
}

// Row is what the trials of a cell gave.
type Row struct {
	Map       string      `json:"map"`
	Robots    int         `json:"robots"`
	Radius    float64     `json:"radius"` // of a robot, in map units
	Method    plan.Method `json:"method"`
	Preset    string      `json:"preset"`
	Samples   int         `json:"samples"`
	Trials    int         `json:"trials"`
	Certified Share       `json:"certified"` // in continuous time, all constraints
	Free      Share       `json:"free"`      // of contact with robots and obstacles at any moment
	// Planned counts the trials with a plan, certified or not, of which the means of
	// paths are.
	Planned  int `json:"planned"`
	Disagree int `json:"disagree"` // trials that the second judge has another opinion of
	// Changes counts the plans that needed more than a repair, by what was done; Searches
	// how searches ended; Fails the trials in which a constraint fails.
	Changes  map[plan.ChangeKind]int   `json:"changes,omitempty"`
	Searches map[plan.SearchStatus]int `json:"searches,omitempty"`
	Fails    map[string]int            `json:"fails,omitempty"`

	Before       experiment.Stat `json:"da_before"`
	After        experiment.Stat `json:"da_after"`
	Displacement experiment.Stat `json:"displacement"` // of the largest of each trial
	Farthest     float64         `json:"farthest"`     // the largest of all
	Length       experiment.Stat `json:"length"`
	Clearance    experiment.Stat `json:"clearance"`
	Closest      float64         `json:"closest"` // the smallest clearance of all trials with a plan
	Acceleration experiment.Stat `json:"acceleration"`
	// Median, Late and Longest are of the seconds from task to plan: half of the trials,
	// 99 in 100, and all. Repair is the mean share of it after sampling.
	Median    float64         `json:"median"`
	Late      float64         `json:"p99"`
	Longest   float64         `json:"longest"`
	Repair    float64         `json:"repair"`
	Processor experiment.Stat `json:"processor"` // seconds of all processors together
}

// Share counts trials, with the 95 % interval of their share.
type Share struct {
	Count int     `json:"count"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

func shareOf(trials []Trial, is func(Trial) bool) (s Share) {
	for _, t := range trials {
		if is(t) {
			s.Count++
		}
	}
	n := float64(len(trials))
	i := metric.Wilson(float64(s.Count)/n, n)
	return Share{s.Count, i.Lo, i.Hi}
}

// statOf returns the mean of a quantity over trials, with Student's interval.
func statOf(values []float64) experiment.Stat {
	mean, variance := metric.Moments(values)
	i := metric.ClusteredMean(values)
	return experiment.Stat{Mean: mean, Std: math.Sqrt(variance), Lo: i.Lo, Hi: i.Hi}
}

// row summarises the trials, of which there must be one.
func (r *CellResult) row() Row {
	c, trials := r.Cell, r.Trials
	row := Row{
		Map: c.Map, Robots: c.Robots, Radius: c.radius(), Method: c.Method, Preset: c.Preset, Samples: c.Samples, Trials: len(trials),
		Certified: shareOf(trials, func(t Trial) bool { return t.Certified }), Free: shareOf(trials, func(t Trial) bool { return t.Free }),
		Changes: map[plan.ChangeKind]int{}, Searches: map[plan.SearchStatus]int{}, Fails: map[string]int{},
	}
	var planned []Paths
	for _, t := range trials {
		row.count(t)
		if t.Plan != nil {
			planned = append(planned, *t.Plan)
			if row.Farthest = max(row.Farthest, t.Plan.Displacement); len(planned) == 1 || t.Plan.Clearance < row.Closest {
				row.Closest = t.Plan.Clearance
			}
		}
	}
	row.Planned = len(planned)
	of := func(quantity func(Paths) float64) experiment.Stat { return statOf(metric.Values(planned, quantity)) }
	row.Before, row.After = of(func(p Paths) float64 { return p.Before }), of(func(p Paths) float64 { return p.After })
	row.Displacement, row.Length = of(func(p Paths) float64 { return p.Displacement }), of(func(p Paths) float64 { return p.Length })
	row.Clearance, row.Acceleration = of(func(p Paths) float64 { return p.Clearance }), of(func(p Paths) float64 { return p.Acceleration })
	row.time(trials)
	return row
}

func (row *Row) count(t Trial) {
	for _, kind := range t.Changes {
		row.Changes[kind]++
	}
	for _, constraint := range t.Fails {
		row.Fails[constraint]++
	}
	if t.Search != "" {
		row.Searches[t.Search]++
	}
	if len(t.Differ) > 0 {
		row.Disagree++
	}
}

func (row *Row) time(trials []Trial) {
	seconds := metric.Values(trials, func(t Trial) float64 { return t.Seconds })
	slices.Sort(seconds)
	row.Median, row.Late, row.Longest = metric.Quantile(seconds, 0.5), metric.Quantile(seconds, 0.99), seconds[len(seconds)-1]
	row.Repair, _ = metric.Moments(metric.Values(trials, func(t Trial) float64 { return t.Repair }))
	row.Processor = statOf(metric.Values(trials, func(t Trial) float64 { return t.Processor }))
}

// radius returns that of the robots of a cell, in map units: of a ring that of the first
// trial, from which others differ by the jitter of their starts.
func (c Cell) radius() float64 {
	scale := nav2d.CrowdScale(c.Robots)
	if c.Map == Ring {
		_, scale = nav2d.RingSwap(c.Robots, uint64(c.TrialSeed))
	}
	return scale * nav2d.RobotRadius
}
