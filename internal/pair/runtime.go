package pair

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/internal/metric"
	"github.com/go-pcd/pcd/latent"
)

// Runtime is where the time of a step goes, in seconds over all pairs: a row of the
// published table of runtimes.
type Runtime struct {
	Method        Method      `json:"method"`
	Exemplars     int         `json:"exemplars"`
	MirrorDescent bool        `json:"mirror_descent"` // as published, 10000 iterations
	Pairs         int         `json:"pairs"`
	Steps         int         `json:"steps"` // that were measured
	Mean          StepSeconds `json:"mean"`
	Deviation     StepSeconds `json:"deviation"`
}

// MeasureRuntime measures the steps of methods with numbers of drawn exemplars, in turns:
// methods that project also with mirror descent. The first step of every run is left
// out: it makes what the others use.
func MeasureRuntime(ctx context.Context, r Request, methods []Method, exemplars []int, repeats int, progress func(done, total int)) ([]Runtime, error) {
	var rows []Runtime
	for _, m := range exemplars {
		for _, method := range methods {
			rows = append(rows, Runtime{Method: method, Exemplars: m, Pairs: r.Pairs})
			if method.Projected() {
				rows = append(rows, Runtime{Method: method, Exemplars: m, Pairs: r.Pairs, MirrorDescent: true})
			}
		}
	}
	steps := make([][]StepSeconds, len(rows))
	for turn := range repeats {
		for i, row := range rows {
			one := r
			one.Undecoded, one.Method, one.MirrorDescent = true, row.Method, nil
			one.Members = DrawMembers(r.withDefaults().Attribute, 2, row.Exemplars)
			if row.MirrorDescent {
				one.MirrorDescent = &latent.MirrorDescent{}
			}
			out, err := Do(ctx, one)
			if err != nil {
				return nil, err
			}
			steps[i] = append(steps[i], out.StepSeconds[min(1, len(out.StepSeconds)-1):]...)
			if progress != nil {
				progress(turn*len(rows)+i+1, repeats*len(rows))
			}
		}
	}
	for i := range rows {
		rows[i].Steps = len(steps[i])
		rows[i].Mean, rows[i].Deviation = MomentsOf(steps[i])
	}
	return rows, nil
}

// parts lists the parts of a step.
func (s *StepSeconds) parts() []*float64 {
	return []*float64{&s.Network, &s.Coupling, &s.Projection, &s.Other, &s.Total}
}

// MomentsOf returns the mean and the standard deviation of every part of some steps.
func MomentsOf(all []StepSeconds) (mean, deviation StepSeconds) {
	values := make([]float64, len(all))
	for part := range mean.parts() {
		for i := range all {
			values[i] = *all[i].parts()[part]
		}
		m, variance := metric.Moments(values)
		*mean.parts()[part], *deviation.parts()[part] = m, math.Sqrt(variance)
	}
	return mean, deviation
}
