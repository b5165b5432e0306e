package experiment_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/go-pcd/pcd/internal/experiment"
)

// The experiment of these tests sums squares: a cell has a letter and a number of
// units, unit i gives offset+i².

type fakeSpec struct {
	Letters string `json:"letters"`
	Units   int    `json:"units"`
	Seed    uint64 `json:"seed"`
}

type fakeCell struct {
	Letter string `json:"letter"`
	Units  int    `json:"units"`
	Seed   uint64 `json:"seed"`
}

func (s fakeSpec) Cells() ([]fakeCell, error) {
	var out []fakeCell
	for _, l := range s.Letters {
		out = append(out, fakeCell{string(l), s.Units, s.Seed})
	}
	if s.Units < 1 {
		return nil, errors.New("fake: no units")
	}
	return out, nil
}

func (c fakeCell) Name() string { return "cell-" + c.Letter }

func (c fakeCell) Sized(like fakeCell) fakeCell {
	c.Units = like.Units
	return c
}

// preset is what a preset of the experiment stands for.
var preset = map[string]any{"exact": true, "scale": 2}

func (c fakeCell) Settings() (any, error) { return preset, nil }

type fakeResult struct {
	experiment.Header[fakeCell]
	Squares []int            `json:"squares"`
	Worst   experiment.Worst `json:"worst"`
}

func (r *fakeResult) Progress(of fakeCell) (done, total int) {
	return min(len(r.Squares), of.Units), of.Units
}

func (r *fakeResult) Check() error {
	return experiment.CheckBounds(experiment.Bound{Name: "units", Value: float64(r.Cell.Units), Low: 1, High: 1000})
}

type fake struct {
	*experiment.Experiment[fakeSpec, fakeCell, *fakeResult]
	computed []string // units, in order
}

// newFake returns the experiment with a model of a name.
func newFake(model string) *fake {
	f := &fake{}
	f.Experiment = &experiment.Experiment[fakeSpec, fakeCell, *fakeResult]{
		Name: "fake", Unit: "units",
		New: func() *fakeResult { return new(fakeResult) },
		Prepare: func(c fakeCell) (experiment.Work[*fakeResult], error) {
			return experiment.Work[*fakeResult]{
				Model: experiment.Model{Card: map[string]string{"name": model}, Digest: "digest of " + model},
				Run: func(ctx context.Context, r *fakeResult, _ int, after func() error) error {
					for i := len(r.Squares); i < c.Units; i++ {
						if err := ctx.Err(); err != nil {
							return err
						}
						f.computed = append(f.computed, fmt.Sprintf("%s%d", c.Letter, i))
						r.Squares = append(r.Squares, i*i)
						if err := after(); err != nil {
							return err
						}
					}
					return nil
				},
			}, nil
		},
		Tables: func(results map[string]*fakeResult) (experiment.Report, error) {
			return experiment.Report{Data: len(results)}, nil
		},
	}
	return f
}

// evaluate fails the test unless an evaluation succeeds.
func (f *fake) evaluate(t *testing.T, spec fakeSpec, o experiment.Options) experiment.Summary {
	t.Helper()
	s, err := f.Evaluate(t.Context(), spec, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// squares returns what the results of a folder hold.
func (f *fake) squares(t *testing.T, dir string) map[string][]int {
	t.Helper()
	results, err := f.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]int{}
	for name, r := range results {
		out[name] = r.Squares
	}
	return out
}
