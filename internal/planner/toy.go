package planner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/experiment/toy"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/render"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/tensor"
)

// ToyRequest asks for pairs of the two blocks, or for the check of the special cases. A
// nil or empty field is left to the task.
type ToyRequest struct {
	Method  string   `json:"method,omitempty"` // of [toy.Methods], or "all"; "" is pcd
	Pairs   *int     `json:"pairs,omitempty"`  // [toy.DefaultPairs] if left out
	Seed    *uint64  `json:"seed,omitempty"`   // [toy.DefaultSeed] if left out
	Gamma   *float64 `json:"gamma,omitempty"`  // that of the method if left out
	Verify  bool     `json:"verify,omitempty"` // check the special cases instead of drawing
	Workers int      `json:"workers,omitempty"`
}

// ToySummary is what the two blocks amount to.
type ToySummary struct {
	Status manifest.Status  `json:"status"`
	Runs   []toy.Summary    `json:"runs,omitempty"`
	Verify []toy.Comparison `json:"verify,omitempty"`
	Files  []string         `json:"files,omitempty"`
}

// ToyTask is a request for two blocks.
type ToyTask struct {
	Request ToyRequest
	methods []toy.Method
}

// Check implements [Task].
func (t *ToyTask) Check() (err error) {
	r := t.Request
	for field, given := range map[string]bool{"method": r.Method != "", "pairs": r.Pairs != nil} {
		if r.Verify && given {
			return &RequestError{Field: field, Value: "given", Reason: "which has no effect with --verify"}
		}
	}
	pairs := value(r.Pairs, toy.DefaultPairs)
	if err := first(within(ToyPairs, &pairs), within(settings.Workers, &r.Workers), within(ToyGamma, r.Gamma)); err != nil {
		return err
	}
	if err := toy.CheckPairs(pairs); err != nil {
		return &RequestError{Field: "pairs", Value: pairs, Err: err}
	}
	if t.methods, err = toy.ParseMethods(orElse(r.Method, string(toy.PCD))); err != nil {
		return &RequestError{Field: "method", Value: quoted(r.Method), Err: err}
	}
	return nil
}

// Files implements [Task].
func (t *ToyTask) Files() []string {
	return []string{"pairs.npz", "toy.svg", "toy.png", "summary.json"}
}

// Run implements [Task]. The check of the special cases has no files.
func (t *ToyTask) Run(ctx context.Context, w Watch, f *Folder) (*Outcome[ToySummary], error) {
	if t.Request.Verify {
		return t.verify(ctx, w)
	}
	out, err := t.draw(ctx, w)
	if err != nil {
		return nil, err
	}
	return out, out.writeTo(f)
}

// verify checks the special cases numerically.
func (t *ToyTask) verify(ctx context.Context, w Watch) (*Outcome[ToySummary], error) {
	r := t.Request
	rows, err := toy.Verify(ctx, toy.VerifyOptions{
		Seed: r.Seed, Strength: r.Gamma, Workers: r.Workers, Progress: func(done, total int) { w.progress("verifying", done, total) },
	})
	if err != nil {
		return nil, err
	}
	return &Outcome[ToySummary]{Name: "toy", Summary: &ToySummary{Status: manifest.Finished, Verify: rows}}, nil
}

// draw draws the pairs of every method.
func (t *ToyTask) draw(ctx context.Context, w Watch) (*Outcome[ToySummary], error) {
	r, s := t.Request, &ToySummary{Status: manifest.Finished}
	var drawn []*toy.Pairs
	for _, m := range t.methods {
		pairs, err := toy.Run(ctx, m, toy.Options{
			Pairs: value(r.Pairs, 0), Seed: r.Seed, Strength: r.Gamma, Workers: r.Workers,
			Progress: func(done, total int) { w.progress(string(m), done, total) },
		})
		if err != nil {
			return nil, err
		}
		drawn = append(drawn, pairs)
		s.Runs = append(s.Runs, toy.Summarise(pairs))
	}
	arrays, err := toyArrays(drawn)
	if err != nil {
		return nil, err
	}
	out := &Outcome[ToySummary]{Name: "toy", Summary: s, Seed: value(r.Seed, toy.DefaultSeed), Settings: t.settings(), Arrays: arrays}
	var written []string
	out.setFiles = func(files []string) { written = files }
	out.saved = func() { s.Files = written }
	out.parts = func() ([]part, error) {
		figure := toyFigure(drawn, s.Runs)
		return []part{
			{"pairs.npz", func(path string) error { return dataset.WriteNPZ(path, arrays...) }},
			{"toy.svg", figure.Save}, {"toy.png", figure.Save},
			{"summary.json", func(path string) error { return atomicfile.WriteJSON(path, s) }},
		}, nil
	}
	return out, nil
}

// toySettings are what a manifest records of two blocks.
type toySettings struct {
	Methods  []toy.Method           `json:"methods"`
	Pairs    int                    `json:"pairs"`
	Gamma    map[toy.Method]float64 `json:"gamma"`
	Dynamics string                 `json:"dynamics"`
}

func (t *ToyTask) settings() toySettings {
	s := toySettings{Methods: t.methods, Pairs: value(t.Request.Pairs, toy.DefaultPairs), Gamma: map[toy.Method]float64{}, Dynamics: toy.Dynamics.String()}
	for _, m := range t.methods {
		s.Gamma[m] = value(t.Request.Gamma, m.Strength())
	}
	return s
}

// toyFigure shows the pairs of every method beside each other.
func toyFigure(drawn []*toy.Pairs, runs []toy.Summary) *render.Figure {
	var panels []render.ToyPanel
	for i, p := range drawn {
		panels = append(panels, render.ToyPanel{
			Title: string(p.Method),
			Note:  fmt.Sprintf("through a wall %.1f %%, overlapping %.1f %%", 100*runs[i].POut, 100*runs[i].POverlap),
			Big:   p.Big.Data, Small: p.Small.Data,
		})
	}
	return render.Toy(panels, render.ToyWorld{Big: toy.FeasibleBig, Small: toy.FeasibleSmall, MinSpacing: toy.MinSpacing})
}

// toyArrays returns two arrays per method: the centres of the big and of the small block.
func toyArrays(drawn []*toy.Pairs) (arrays []dataset.Array, err error) {
	for _, p := range drawn {
		for name, b := range map[string]tensor.Batch{"big": p.Big, "small": p.Small} {
			a, err := dataset.NewArray(string(p.Method)+"_"+name, []int{b.N}, b.Data)
			if err != nil {
				return nil, err
			}
			arrays = append(arrays, a)
		}
	}
	slices.SortFunc(arrays, func(a, b dataset.Array) int { return strings.Compare(a.Name, b.Name) })
	return arrays, nil
}
