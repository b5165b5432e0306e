package nav2d_test

import (
	"context"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/experiment/nav2d"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/plan"
)

// untrained is a narrow network with random weights.
func untrained(string) (*plan.Model, error) {
	spec := plan.Spec{
		Network:  plan.Network{Horizon: 64, Width: 8, DimMults: []int{1, 2, 4}},
		Schedule: plan.PublishedSchedule,
		Limits:   dataset.Limits{Min: []float32{-0.9, -0.9, -1, -1}, Max: []float32{0.9, 0.9, 1, 1}},
	}
	net, err := spec.NewNetwork(1)
	if err != nil {
		return nil, err
	}
	net.Init(noise.New(7))
	return spec.With(net)
}

func smallSpec(trials int) nav2d.Spec {
	s := nav2d.PublishedSpec()
	s.Maps, s.Robots, s.Methods = []string{"empty"}, []int{2}, []plan.Method{plan.Diffuser, plan.PCDSHD}
	s.Limits, s.Trials, s.Samples = []float64{1.1, 0.9}, trials, 3
	return s
}

func evaluate(t *testing.T, dir string, s nav2d.Spec) map[string]*nav2d.CellResult {
	t.Helper()
	if _, err := nav2d.New(untrained).Evaluate(context.Background(), s, experiment.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	results, err := nav2d.New(nil).Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// TestEvaluationGoesOn stops an evaluation after its third trial, goes on to two
// trials per cell and then to four: the results are those of four at once.
func TestEvaluationGoesOn(t *testing.T) {
	whole := evaluate(t, t.TempDir(), smallSpec(4))

	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	trials := 0
	_, err := nav2d.New(untrained).Evaluate(ctx, smallSpec(2), experiment.Options{Dir: dir, Progress: func(int, int) {
		if trials++; trials == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("a cancelled evaluation returns %v", err)
	}
	evaluate(t, dir, smallSpec(2))
	parts := evaluate(t, dir, smallSpec(4))
	if !slices.Equal(slices.Sorted(maps.Keys(whole)), slices.Sorted(maps.Keys(parts))) {
		t.Fatalf("cells %v at once, %v in parts", slices.Sorted(maps.Keys(whole)), slices.Sorted(maps.Keys(parts)))
	}
	for name := range whole {
		whole[name].Seconds = parts[name].Seconds // all that may differ
		if !reflect.DeepEqual(whole[name], parts[name]) {
			t.Errorf("%s is %+v at once, %+v in parts", name, *whole[name], *parts[name])
		}
	}
	if len(parts) != 3 {
		t.Fatalf("%d cells, want diffuser once and pcd-shd at two limits", len(parts))
	}
	for name, r := range parts {
		if r.Trials != 4 || r.Cell.Method.Projected() && (r.CertifiedTrials != 4 || worst(r) > 0) {
			t.Errorf("%s: %d trials, %d certified, violation %v", name, r.Trials, r.CertifiedTrials, worst(r))
		}
	}
}

// worst returns the worst step of a result, +∞ for none.
func worst(r *nav2d.CellResult) float64 {
	if v, ok := r.MaxViolation.Value(); ok {
		return v
	}
	return math.Inf(1)
}

// TestEvaluationRefuses goes on with other settings and with another model, also
// when the cells are finished, and with what makes no evaluation.
func TestEvaluationRefuses(t *testing.T) {
	dir := t.TempDir()
	evaluate(t, dir, smallSpec(1))
	other := smallSpec(1)
	other.Samples = 2
	retrained := func(name string) (*plan.Model, error) {
		m, err := untrained(name)
		m.Net.Params()[0].Data[0]++
		return m, err
	}
	for name, c := range map[string]struct {
		spec   nav2d.Spec
		models func(string) (*plan.Model, error)
		want   string
	}{
		"settings":            {other, untrained, "samples: 3 instead of 2"},
		"model":               {smallSpec(2), retrained, "other models"},
		"model, all finished": {smallSpec(1), retrained, "other models"},
	} {
		var mismatch *experiment.MismatchError
		_, err := nav2d.New(c.models).Evaluate(context.Background(), c.spec, experiment.Options{Dir: dir})
		if !errors.As(err, &mismatch) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: err = %v, want a mismatch that says %q", name, err, c.want)
		}
	}
	missing := func(string) (*plan.Model, error) { return nil, os.ErrNotExist }
	if _, err := nav2d.New(missing).Evaluate(context.Background(), smallSpec(1), experiment.Options{Dir: dir}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("finished cells with a model that does not exist: %v", err)
	}
	for _, change := range []func(*nav2d.Spec){
		func(s *nav2d.Spec) { s.Maps = []string{"moon"} },
		func(s *nav2d.Spec) { s.Trials = 0 },
		func(s *nav2d.Spec) { s.Robots = []int{0} },
		func(s *nav2d.Spec) { s.Preset = "none" },
		func(s *nav2d.Spec) { s.Samples = 999_999_999_999 },
		func(s *nav2d.Spec) { s.Gammas = []float64{0.1, math.Inf(1)} },
		func(s *nav2d.Spec) { s.Limits = []float64{math.NaN()} },
		func(s *nav2d.Spec) { s.Methods = []plan.Method{"magic"} },
	} {
		spec, dir := smallSpec(1), t.TempDir()
		change(&spec)
		var refused *experiment.SpecError
		if _, err := nav2d.New(untrained).Evaluate(context.Background(), spec, experiment.Options{Dir: dir}); !errors.As(err, &refused) {
			t.Errorf("%+v: %v, want a *SpecError", spec, err)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
			t.Errorf("%+v left %v, %v", spec, files, err)
		}
	}
}

// TestBrokenCells reads cells whose numbers do not hang together.
func TestBrokenCells(t *testing.T) {
	dir := t.TempDir()
	evaluate(t, dir, smallSpec(1))
	file := filepath.Join(dir, "empty-n2-diffuser.json")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(text string) string{
		"no JSON": func(string) string { return "{" },
		"null":    func(string) string { return "null" },
		"negative trials": func(s string) string {
			return strings.Replace(s, `"trials": 1,`+"\n  \"measures\"", `"trials": -1,`+"\n  \"measures\"", 1)
		},
		"null tally":       func(s string) string { return s[:strings.LastIndex(s, `"tally"`)] + `"tally": null}` },
		"null measures":    func(s string) string { return strings.Replace(s, `"cs": [`, `"cs": null, "was": [`, 1) },
		"another cell":     func(s string) string { return strings.Replace(s, `"diffuser"`, `"pcd-lb"`, 1) },
		"unknown map":      func(s string) string { return strings.Replace(s, `"empty"`, `"moon"`, 1) },
		"too many robots":  func(s string) string { return strings.Replace(s, `"robots": 2`, `"robots": 1000000000`, 1) },
		"limits are words": func(s string) string { return strings.Replace(s, `"limits": [`, `"limits": ["x",`, 1) },
	} {
		text := change(string(whole))
		if text == string(whole) {
			t.Fatalf("%s: nothing is changed", name)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var refused *experiment.FileError
		if _, err := nav2d.New(nil).Report(dir); !errors.As(err, &refused) || !strings.Contains(err.Error(), "empty-n2-diffuser.json") {
			t.Errorf("%s: %v, want a *FileError that names the file", name, err)
		}
	}
}

// TestTables puts results beside the published ones.
func TestTables(t *testing.T) {
	spec := smallSpec(1)
	spec.Limits = nil
	tables := nav2d.Tables(evaluate(t, t.TempDir(), spec))
	if len(tables) != 3 || tables[0].Limit != 0.703 || tables[2].Limit != 0.675 {
		t.Fatalf("tables %+v, want those of the three published limits", tables)
	}
	for _, table := range tables {
		for _, row := range table.Rows {
			if row.Published == nil {
				t.Errorf("%s: no published row of %s", table.Title(), row.Method)
				continue
			}
			computed := row.Method == plan.Diffuser || row.Method == plan.PCDSHD
			if (row.Ours != nil) != computed || (row.Difference != nil) != computed {
				t.Errorf("%s, %s: %+v", table.Title(), row.Method, row)
			}
			if computed && row.Difference.Of("rs") != row.Ours.RS.Mean-row.Published.RS.Mean {
				t.Errorf("%s, %s: difference %v", table.Title(), row.Method, row.Difference.Of("rs"))
			}
		}
	}
}

// TestPublished looks up some numbers of the transcribed tables.
func TestPublished(t *testing.T) {
	for _, test := range []struct {
		mapName string
		robots  int
		method  plan.Method
		limit   float64
		rs, cs  float64
	}{
		{"empty", 2, plan.Diffuser, 0.703, 0.92, 0.59},
		{"empty", 2, plan.CDLB, 0.675, 1, 0.0645},
	} {
		m, ok := nav2d.Published(test.mapName, test.robots, test.method, test.limit)
		if !ok || m.RS.Mean != test.rs || m.CS[0].Mean != test.cs {
			t.Errorf("%+v: %+v, %v", test, m, ok)
		}
	}
	if _, ok := nav2d.Published("empty", 3, plan.Diffuser, 0.703); ok {
		t.Error("a row for three robots")
	}
	spec := nav2d.PublishedSpec()
	cells, err := spec.Cells()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		for _, limit := range c.Limits {
			m, ok := nav2d.Published(c.Map, c.Robots, c.Method, limit)
			if !ok || len(m.CS) != c.Robots || len(m.DA) != c.Robots {
				t.Errorf("%s at %v: %+v, %v", c.Name(), limit, m, ok)
			}
		}
	}
}

// TestGammaFigure orders lines by method and limit, and draws a certified rate
// without an interval.
func TestGammaFigure(t *testing.T) {
	results := map[string]*nav2d.CellResult{}
	for _, c := range []nav2d.Cell{
		{Method: plan.PCDSHD, Limit: 10, Gamma: 0.3},
		{Method: plan.PCDSHD, Limit: 10, Gamma: 0.05},
		{Method: plan.PCDSHD, Limit: 8.5, Gamma: 0.3},
		{Method: plan.CDSHD, Gamma: 0.3},
		{Method: plan.Diffuser},
	} {
		c.Map, c.Robots, c.Limits = "empty", 2, []float64{8.5}
		r := &nav2d.CellResult{Trials: 3, CertifiedTrials: 3, Measures: map[string]nav2d.Measures{
			"8.5": {CS: []experiment.Stat{{Mean: 1, Lo: 1, Hi: 1}, {Mean: 0.9, Lo: 0.4, Hi: 1}}, DA: make([]experiment.Stat, 2)},
		}}
		r.Cell = c
		results[c.Name()] = r
	}
	panels, err := nav2d.GammaGrid.Panels(results, experiment.FigureOptions{Measures: []string{"cs"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(panels) != 1 {
		t.Fatalf("%d panels instead of 1, the cells without coupling make none", len(panels))
	}
	curves := panels[0].Curves
	var names []string
	for _, c := range curves {
		names = append(names, c.Name)
	}
	if want := []string{"cd-shd", "pcd-shd ≤ 8.5", "pcd-shd ≤ 10"}; !slices.Equal(names, want) {
		t.Fatalf("lines %q, want %q", names, want)
	}
	if x := curves[2].X; !slices.Equal(x, []float64{0.05, 0.3}) {
		t.Errorf("strengths %v", x)
	}
	if c := curves[0]; c.Y[0] != 0.9 || c.Lo[0] != 0.4 || c.Hi[0] != 1 {
		t.Errorf("an estimated rate is %v in [%v, %v]", c.Y, c.Lo, c.Hi)
	}
	if c := curves[1]; c.Lo[0] != 0.9 || c.Hi[0] != 0.9 {
		t.Errorf("a certified rate has the interval [%v, %v]", c.Lo, c.Hi)
	}
	if _, err := nav2d.GammaGrid.Draw(results, experiment.FigureOptions{Groups: []string{"moon"}}); err == nil {
		t.Error("a map without results is drawn")
	}
	var spec *experiment.SpecError
	if _, err := nav2d.GammaGrid.Draw(map[string]*nav2d.CellResult{}, experiment.FigureOptions{}); !errors.As(err, &spec) {
		t.Errorf("nothing that couples: %v, want a SpecError", err)
	}
}
