package pusht

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/push"
	"github.com/go-pcd/pcd/modelfile"
)

// Experiment is the type of what [New] returns.
type Experiment = experiment.Experiment[Spec, Cell, *CellResult]

// New returns the experiment. open returns the policy; it is called once, when the
// first cell needs it.
func New(open func() (*push.Model, error)) *Experiment {
	return &Experiment{
		Name: "pusht", Unit: "pairs",
		New:     func() *CellResult { return new(CellResult) },
		Prepare: experiment.WithModels(func(Cell) string { return "" }, func(string) (*push.Model, experiment.Model, error) { return opened(open) }, Cell.run),
		Tables:  report, Figures: figures,
	}
}

// opened opens the policy with what identifies it.
func opened(open func() (*push.Model, error)) (*push.Model, experiment.Model, error) {
	m, err := open()
	if err != nil {
		return nil, experiment.Model{}, err
	}
	spec := m.Spec
	spec.Card = push.Card{} // what is said of a model changes no sample
	digest, err := modelfile.Digest(spec, m.Net.Params())
	return m, experiment.Model{Card: m.Card, Digest: digest}, err
}

// batchPairs is how many pairs run together where that does not change what they
// do. One core plans for 40 pairs at 1.6 times the rate of 16.
const batchPairs = 40

// run adds the pairs that a result lacks, condition by condition.
func (c Cell) run(ctx context.Context, r *CellResult, model *push.Model, workers int, after func() error) error {
	settings, err := push.SettingsByName(c.Preset)
	if err != nil {
		return err
	}
	run := push.Run{Options: push.Options{
		Method: c.Method, Gamma: c.Gamma, VMax: c.Limit, Settings: settings, Respacing: c.Respacing, Seed: c.Seed, Workers: workers,
	}}
	batch := batchPairs
	if settings.EarlyAccept {
		batch = c.Pairs // one condition, as published: its pairs depend on each other
	}
	for starts := range slices.Chunk(c.missing(r), batch) {
		result, err := push.Do(ctx, model, starts, run)
		if err == nil {
			err = r.add(result)
		}
		if err != nil {
			return fmt.Errorf("%s, from condition %d on: %w", c.Name(), starts[0].Condition, err)
		}
		if err := after(); err != nil {
			return err
		}
	}
	return nil
}

// missing lists the pairs that a result lacks, by condition.
func (c Cell) missing(r *CellResult) []push.Start {
	var out []push.Start
	for i, state := range pusht.InitialConditions(c.Conditions, c.ConditionSeed) {
		done := 0
		if i < len(r.Judged) {
			done = len(r.Judged[i])
		}
		out = append(out, push.Starts(i, state, c.Pairs)[min(done, c.Pairs):]...)
	}
	return out
}
