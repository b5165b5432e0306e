package navigation_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/experiment/navigation"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/plan"
)

// untrained is a narrow network with random weights.
func untrained(string) (*plan.Model, error) {
	m, err := plan.Spec{
		Network:  plan.Network{Horizon: 64, Width: 8, DimMults: []int{1, 2, 4}},
		Schedule: plan.PublishedSchedule,
		Limits:   dataset.Limits{Min: []float32{-0.9, -0.9, -1, -1}, Max: []float32{0.9, 0.9, 1, 1}},
	}.Build(1)
	if err == nil {
		m.Net.Init(noise.New(7))
		m.Net.Refresh()
	}
	return m, err
}

func smallSpec(trials int) navigation.Spec {
	s := navigation.PublishedSpec()
	s.Maps, s.Robots, s.Methods = []string{"empty"}, []int{2}, []plan.Method{plan.Diffuser, plan.PCDSHD}
	s.Limits, s.Trials, s.Samples = []float64{1.1, 0.9}, trials, 3
	return s
}

func evaluate(t *testing.T, dir string, s navigation.Spec) map[string]*navigation.CellResult {
	t.Helper()
	if err := (navigation.Evaluation{Dir: dir, Spec: s, Model: untrained}).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	results, err := navigation.ReadResults(dir)
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
	e := navigation.Evaluation{Dir: dir, Spec: smallSpec(2), Model: untrained, Progress: func(int, int) {
		if trials++; trials == 3 {
			cancel()
		}
	}}
	if err := e.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("a cancelled evaluation returns %v", err)
	}
	evaluate(t, dir, smallSpec(2))
	parts := evaluate(t, dir, smallSpec(4))
	if diff := cmp.Diff(whole, parts, cmpopts.IgnoreFields(navigation.CellResult{}, "Seconds")); diff != "" {
		t.Errorf("results (-at once +in parts):\n%s", diff)
	}
	if len(parts) != 3 {
		t.Fatalf("%d cells, want diffuser once and pcd-shd at two limits", len(parts))
	}
	for name, r := range parts {
		if r.Trials != 4 || r.Cell.Method.Projected() && (r.CertifiedTrials != 4 || r.MaxViolation > 0) {
			t.Errorf("%s: %d trials, %d certified, violation %v", name, r.Trials, r.CertifiedTrials, r.MaxViolation)
		}
	}
}

// TestEvaluationRefuses goes on with other settings and with another model.
func TestEvaluationRefuses(t *testing.T) {
	dir := t.TempDir()
	evaluate(t, dir, smallSpec(1))
	other := smallSpec(1)
	other.Samples = 2
	retrained := func(name string) (*plan.Model, error) {
		m, err := untrained(name)
		m.Card.Steps = 5
		return m, err
	}
	for _, e := range []navigation.Evaluation{
		{Dir: dir, Spec: other, Model: untrained},
		{Dir: dir, Spec: smallSpec(2), Model: retrained},
	} {
		if err := e.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "choose another directory") {
			t.Errorf("err = %v, want one that says to choose another directory", err)
		}
	}
	for _, change := range []func(*navigation.Evaluation){
		func(e *navigation.Evaluation) { e.Shards, e.Shard = 2, 2 },
		func(e *navigation.Evaluation) { e.Spec.Maps = []string{"moon"} },
		func(e *navigation.Evaluation) { e.Spec.Trials = 0 },
		func(e *navigation.Evaluation) { e.Spec.Robots = []int{0} },
		func(e *navigation.Evaluation) { e.Spec.Preset = "none" },
	} {
		e := navigation.Evaluation{Dir: t.TempDir(), Spec: smallSpec(1), Model: untrained}
		change(&e)
		if err := e.Run(context.Background()); err == nil {
			t.Errorf("%+v ran", e.Spec)
		}
		if files, err := os.ReadDir(e.Dir); err != nil || len(files) != 0 {
			t.Errorf("%+v left %v, %v", e.Spec, files, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "empty-n2-diffuser.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := navigation.ReadResults(dir); err == nil || !strings.Contains(err.Error(), "empty-n2-diffuser.json") {
		t.Errorf("a broken cell: %v, want an error that names it", err)
	}
}

// TestTables puts results beside the published ones.
func TestTables(t *testing.T) {
	spec := smallSpec(1)
	spec.Limits = nil
	tables := navigation.Tables(evaluate(t, t.TempDir(), spec))
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
			if computed && row.Difference.RS != row.Ours.RS.Mean-row.Published.RS.Mean {
				t.Errorf("%s, %s: difference %v", table.Title(), row.Method, row.Difference.RS)
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
		m, ok := navigation.Published(test.mapName, test.robots, test.method, test.limit)
		if !ok || m.RS.Mean != test.rs || m.CS[0].Mean != test.cs {
			t.Errorf("%+v: %+v, %v", test, m, ok)
		}
	}
	if _, ok := navigation.Published("empty", 3, plan.Diffuser, 0.703); ok {
		t.Error("a row for three robots")
	}
	spec := navigation.PublishedSpec()
	cells, err := spec.Cells()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		for _, limit := range c.Limits {
			m, ok := navigation.Published(c.Map, c.Robots, c.Method, limit)
			if !ok || len(m.CS) != c.Robots || len(m.DA) != c.Robots {
				t.Errorf("%s at %v: %+v, %v", c.Name(), limit, m, ok)
			}
		}
	}
}
