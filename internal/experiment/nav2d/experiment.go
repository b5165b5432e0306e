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
	open := experiment.Once(func(name string) (*openModel, error) {
		m, err := models(name)
		if err != nil {
			return nil, err
		}
		digest, err := m.Identity()
		return &openModel{m, experiment.Model{Card: m.Card, Digest: digest}}, err
	})
	return &Experiment{
		Name: "nav2d", Unit: "trials",
		New: func() *CellResult { return new(CellResult) },
		Prepare: func(c Cell) (experiment.Work[*CellResult], error) {
			m, err := open(c.Map)
			if err != nil {
				return experiment.Work[*CellResult]{}, err
			}
			return experiment.Work[*CellResult]{
				Model: m.identity,
				Run: func(ctx context.Context, r *CellResult, workers int, after func() error) error {
					return c.run(ctx, r, m.model, workers, after)
				},
			}, nil
		},
		Tables:  report,
		Figures: []experiment.Figure[*CellResult]{gammaFigure},
	}
}

// openModel is a model with what identifies it.
type openModel struct {
	model    *plan.Model
	identity experiment.Model
}

// run adds the trials that a result lacks.
func (c Cell) run(ctx context.Context, r *CellResult, model *plan.Model, workers int, after func() error) error {
	m, err := nav2d.MapByName(c.Map)
	if err != nil {
		return err
	}
	settings, err := plan.SettingsByName(c.Preset)
	if err != nil {
		return err
	}
	trials, err := nav2d.Trials(m, c.Robots, c.Trials, c.TrialSeed)
	if err != nil {
		return err
	}
	for i := r.Trials; i < len(trials); i++ {
		team := plan.TeamOfTrial(m, trials[i], model, c.judgedLimit())
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
