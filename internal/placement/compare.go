package placement

import (
	"context"
	"maps"
	"slices"

	"github.com/go-pcd/pcd/tensor"
)

// apartSeeds keeps the samples that others are compared with apart from them.
const apartSeeds = 1 << 32

// compare runs all instances of an experiment under dynamics, with projections at every place.
func compare(ctx context.Context, name string, d dynamics, instances []instance, o Options) (rows []Row, err error) {
	free := make([][]tensor.Batch, len(instances))
	for i, in := range instances {
		in.problem = under(in.problem, d)
		r, _, err := in.run(ctx, None, in.seed+apartSeeds, o.Workers)
		if err != nil {
			return nil, err
		}
		free[i] = r.Samples
	}
	for _, place := range Places {
		row := Row{Experiment: name, Dynamics: d.name, Steps: d.Steps(), Place: place, Certified: true}
		measured := map[string][]float64{}
		for i, in := range instances {
			in.problem = under(in.problem, d)
			if err := row.add(ctx, in, place, free[i], measured, float64(len(instances)), o.Workers); err != nil {
				return nil, err
			}
		}
		for _, key := range slices.Sorted(maps.Keys(measured)) {
			row.Measures = append(row.Measures, summary(key, measured[key]))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// add enters one instance.
func (row *Row) add(ctx context.Context, in instance, place Place, free []tensor.Batch, measured map[string][]float64, n float64, workers int) error {
	r, outside, err := in.run(ctx, place, in.seed, workers)
	if err != nil {
		return err
	}
	row.Samples += in.samples
	row.StatesOutside += outside / n
	row.SamplesOutside += in.outside(func(i int) tensor.Batch { return r.Samples[i] }) / n
	for v, x := range r.Samples {
		row.Distance += energy(x, free[v]) / float64(len(free)) / n
	}
	row.Certified = row.Certified && r.Certificate.Certified
	row.Seconds += r.Seconds.Total
	values, err := in.measure(ctx, r.Samples)
	for key, v := range values {
		measured[key] = append(measured[key], v...)
	}
	return err
}
