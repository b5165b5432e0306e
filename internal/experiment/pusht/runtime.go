package pusht

import (
	"context"
	"errors"

	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/push"
)

// RuntimeSpec says what runs to time.
type RuntimeSpec struct {
	Methods []push.Method `json:"methods"`
	Pairs   int           `json:"pairs"`   // planned together
	Plans   int           `json:"plans"`   // of each pair, one after the other
	Repeats int           `json:"repeats"` // in turns, of which the fastest counts
	Limit   float64       `json:"vmax"`
	Preset  string        `json:"preset"`
}

// DefaultRuntimeSpec returns the runs of "pcd bench push".
func DefaultRuntimeSpec() RuntimeSpec {
	return RuntimeSpec{Methods: push.Methods(), Pairs: 16, Plans: 2, Repeats: 3, Limit: push.PublishedLimits[1], Preset: "default"}
}

// Runtime is the fastest of the timed runs of a method.
type Runtime struct {
	Method  push.Method  `json:"method"`
	Rate    float64      `json:"pair_plans_per_second"`
	Seconds push.Seconds `json:"seconds"`
	// Ratio of a PS method is its time over that of the method without PS; 0 for
	// others, and when that was not timed.
	Ratio float64 `json:"ratio,omitempty"`
	// Projection is the share of the time that projection takes.
	Projection float64 `json:"projection_share"`
}

// MeasureRuntime times the runs of a spec. progress is called as they finish and
// may be nil.
func MeasureRuntime(ctx context.Context, spec RuntimeSpec, model *push.Model, workers int, progress func(done, total int)) ([]Runtime, error) {
	settings, err := push.SettingsByName(spec.Preset)
	if err := errors.Join(err, experiment.CheckPositive("vmax", spec.Limit), experiment.CheckBounds(
		experiment.Bound{Name: "methods", Value: float64(len(spec.Methods)), Low: 1, High: mostCells},
		experiment.Bound{Name: "pairs", Value: float64(spec.Pairs), Low: 1, High: mostPairs},
		experiment.Bound{Name: "plans", Value: float64(spec.Plans), Low: 1, High: mostPairs},
		experiment.Bound{Name: "repeats", Value: float64(spec.Repeats), Low: 1, High: mostPairs},
	)); err != nil {
		return nil, &experiment.SpecError{Err: err}
	}
	starts := push.Starts(0, pusht.InitialConditions(1, pusht.ConditionSeed)[0], spec.Pairs)
	out := make([]Runtime, len(spec.Methods))
	for repeat := range spec.Repeats {
		for i, m := range spec.Methods {
			run := push.Run{EpisodeSteps: spec.Plans * pusht.ActionSteps, Options: push.Options{
				Method: m, Gamma: settings.Gamma(m), VMax: spec.Limit, Settings: settings, Seed: uint64(repeat), Workers: workers,
			}}
			r, err := push.Do(ctx, model, starts, run)
			if err != nil {
				return nil, err
			}
			if s := r.Seconds; repeat == 0 || s.Total < out[i].Seconds.Total {
				out[i] = Runtime{
					Method: m, Seconds: s, Rate: float64(spec.Pairs*spec.Plans) / s.Total, Projection: s.Projection / s.Total,
				}
			}
			if progress != nil {
				progress(repeat*len(spec.Methods)+i+1, spec.Repeats*len(spec.Methods))
			}
		}
	}
	compareWithPlain(out)
	return out, nil
}

// compareWithPlain enters the ratios of PS methods.
func compareWithPlain(rows []Runtime) {
	for i := range rows {
		for _, r := range rows {
			if rows[i].Method.Posterior() && r.Method == rows[i].Method.Plain() {
				rows[i].Ratio = rows[i].Seconds.Total / r.Seconds.Total
			}
		}
	}
}
