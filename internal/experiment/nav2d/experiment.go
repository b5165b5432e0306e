package nav2d

import (
	"context"
	"fmt"
	"time"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/plan"
)

// Experiment is the type of what [New] returns.
type Experiment = experiment.Experiment[Spec, Cell, *CellResult]

// New returns the experiment. models returns the model of a map; it is called once
// for every map that cells need.
func New(models func(name string) (*plan.Model, error)) *Experiment {
	return &Experiment{
		Name: "nav2d", Unit: "trials",
		New:     func() *CellResult { return new(CellResult) },
		Prepare: experiment.WithModels(func(c Cell) string { return c.Map }, Identified(models), Cell.run),
		Tables:  report,
		Figures: []experiment.Figure[*CellResult]{gammaFigure},
	}
}

// Identified returns a function that opens the model of a map with what identifies it: what
// is said of a model beside its weights is left out, because it changes no sample.
func Identified(models func(name string) (*plan.Model, error)) func(name string) (*plan.Model, experiment.Model, error) {
	return func(name string) (*plan.Model, experiment.Model, error) {
		m, err := models(name)
		if err != nil {
			return nil, experiment.Model{}, err
		}
		digest, err := m.Identity()
		return m, experiment.Model{Card: m.Card, Digest: digest}, err
	}
}

// run adds the trials that a result lacks.
func (c Cell) run(ctx context.Context, r *CellResult, model *plan.Model, workers int, after func() error) error {
	m, err := nav2d.MapByName(c.Map)
	if err != nil {
		return err
	}
	settings, err := c.settings()
	if err != nil {
		return err
	}
	trials, err := nav2d.Trials(m, c.Robots, c.Trials, c.TrialSeed)
	if err != nil {
		return err
	}
	for i := r.Trials; i < len(trials); i++ {
		team := plan.TeamOfTrial(m, trials[i], model, c.judgedLimit())
		team.Motion = plan.Polyline // as published
		result, err := plan.Run(ctx, team, plan.Options{
			Method: c.Method, Samples: c.Samples, Gamma: &c.Gamma, Settings: settings, Seed: c.Seed + uint64(i), Workers: workers,
			Search: plan.SearchOptions{TimeLimit: time.Duration(c.SearchSeconds * float64(time.Second))},
		})
		if err != nil {
			return fmt.Errorf("%s, trial %d: %w", c.Name(), i, err)
		}
		r.add(result)
		if err := after(); err != nil {
			return err
		}
	}
	return nil
}

// judgedLimit returns the limit that robots are given: the one that the method
// keeps, or the loosest that it is judged at.
func (c Cell) judgedLimit() float64 {
	if c.Limit > 0 {
		return c.Limit
	}
	return c.Limits[0]
}
