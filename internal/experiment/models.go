package experiment

import "context"

// WithModels returns the [Experiment.Prepare] of cells that sample a model. name says which
// one a cell needs, open returns it with what identifies it, once for every name, and run
// adds to a result what it lacks, as [Work.Run] does.
func WithModels[M any, C Cell[C], R Result[C]](name func(C) string, open func(name string) (M, Model, error),
	run func(c C, ctx context.Context, r R, model M, workers int, after func() error) error) func(C) (Work[R], error) {
	type opened struct {
		model    M
		identity Model
	}
	models := once(func(name string) (opened, error) {
		m, identity, err := open(name)
		return opened{m, identity}, err
	})
	return func(c C) (Work[R], error) {
		m, err := models(name(c))
		if err != nil {
			return Work[R]{}, err
		}
		return Work[R]{Model: m.identity, Run: func(ctx context.Context, r R, workers int, after func() error) error {
			return run(c, ctx, r, m.model, workers, after)
		}}, nil
	}
}

// once returns a function that opens every name once, as long as that succeeds.
func once[M any](open func(name string) (M, error)) func(name string) (M, error) {
	known := map[string]M{}
	return func(name string) (M, error) {
		if m, ok := known[name]; ok {
			return m, nil
		}
		m, err := open(name)
		if err == nil {
			known[name] = m
		}
		return m, err
	}
}
