package teams

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/cputime"
	"github.com/go-pcd/pcd/internal/experiment"
	navexp "github.com/go-pcd/pcd/internal/experiment/nav2d"
	"github.com/go-pcd/pcd/plan"
)

// Experiment is the type of what [New] returns.
type Experiment = experiment.Experiment[Spec, Cell, *CellResult]

// New returns the experiment. models returns the model of a map; it is called once for
// every map that cells need.
func New(models func(name string) (*plan.Model, error)) *Experiment {
	return &Experiment{
		Name: "teams", Unit: "trials",
		New:     func() *CellResult { return new(CellResult) },
		Prepare: experiment.WithModels(Cell.mapName, navexp.Identified(models), Cell.run),
		Tables:  report,
	}
}

// Measure plans for the teams of a spec, without files. after is called with every row
// and may be nil. A plan that is not certified counts; it is no error.
func Measure(ctx context.Context, spec Spec, models func(name string) (*plan.Model, error), workers int, after func(Row)) ([]Row, error) {
	cells, err := spec.Cells()
	if err != nil {
		return nil, &experiment.SpecError{Err: err}
	}
	x := New(models)
	var out []Row
	for _, c := range cells {
		if settings, err := plan.SettingsByName(c.Preset); err == nil {
			c.Motion = plan.Options{Method: c.Method, Settings: settings}.DefaultMotion()
		}
		work, err := x.Prepare(c)
		if err != nil {
			return out, err
		}
		r := x.New()
		r.Cell = c
		if err := work.Run(ctx, r, workers, func() error { return nil }); err != nil {
			return out, err
		}
		row := r.row()
		out = append(out, row)
		if after != nil {
			after(row)
		}
	}
	return out, nil
}

// run adds the trials that a result lacks.
func (c Cell) run(ctx context.Context, r *CellResult, model *plan.Model, workers int, after func() error) error {
	settings, err := plan.SettingsByName(c.Preset)
	if err != nil {
		return err
	}
	teams, err := c.teams(model)
	if err != nil {
		return err
	}
	o := plan.Options{
		Method: c.Method, Samples: c.Samples, Gamma: &c.Gamma, Settings: settings, Workers: workers,
		// A search is bounded by the work that it does, whatever else the machine does.
		Search: plan.SearchOptions{TimeLimit: time.Duration(c.SearchSeconds * float64(time.Second)), Now: cputime.Clock},
	}
	for i := len(r.Trials); i < len(teams); i++ {
		o.Seed = c.Seed + uint64(i)
		trial, err := runTrial(ctx, teams[i], o)
		if err != nil {
			return fmt.Errorf("%s, trial %d: %w", c.Name(), i, err)
		}
		r.Trials = append(r.Trials, trial)
		if err := after(); err != nil {
			return err
		}
	}
	return nil
}

func runTrial(ctx context.Context, team plan.Team, o plan.Options) (t Trial, err error) {
	watch := startWatch()
	r, err := plan.Run(ctx, team, o)
	if err != nil {
		return t, err
	}
	t.Seconds, t.Processor = watch.stop()
	return t, t.describe(team, r)
}

// teams draws the trials of a cell. A longer series begins with the shorter one.
func (c Cell) teams(model *plan.Model) (teams []plan.Team, err error) {
	m, err := nav2d.MapByName(c.mapName())
	if err != nil {
		return nil, err
	}
	var trials []nav2d.Trial
	if c.Map != Ring {
		if trials, err = nav2d.ScaledTrials(m, nav2d.CrowdScale(c.Robots), c.Robots, c.Trials, c.TrialSeed); err != nil {
			return nil, err
		}
	}
	for i := range c.Trials {
		trial, scale := nav2d.Trial{}, nav2d.CrowdScale(c.Robots)
		if c.Map == Ring {
			trial, scale = nav2d.RingSwap(c.Robots, uint64(c.TrialSeed)+uint64(i))
		} else {
			trial = trials[i]
		}
		team := plan.TeamOfTrial(m, trial, model, c.Limit)
		team.Motion = cmp.Or(c.Motion, plan.Polyline)
		for k := range team.Robots {
			team.Robots[k].Radius *= scale
		}
		teams = append(teams, team)
	}
	return teams, nil
}
