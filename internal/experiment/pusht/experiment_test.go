package pusht

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/experiment"
	pushmetric "github.com/go-pcd/pcd/internal/metric/pusht"
	"github.com/go-pcd/pcd/internal/push"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/noise"
)

// tinyModel is a policy with random weights.
func tinyModel(t *testing.T) *push.Model {
	t.Helper()
	r := tinyRecipe()
	d := demonstrations(t, 2, 10)
	spec := push.Spec{Network: r.Network, Steps: 8, Card: push.Card{Data: "random weights"}}
	var err error
	if spec.Action, err = actionLimits(d.Actions); err != nil {
		t.Fatal(err)
	}
	if spec.Observation, err = dataset.FitLinear(d.Observations); err != nil {
		t.Fatal(err)
	}
	net, err := spec.NewNetwork(1)
	if err != nil {
		t.Fatal(err)
	}
	net.Init(noise.New(4))
	m, err := spec.With(modelfile.FromNN(net))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func tinySpec() Spec {
	s := PublishedSpec()
	s.Methods, s.Limits, s.Conditions, s.Pairs = []push.Method{push.DP, push.PCDLB}, []float64{6.2, 8.4}, 2, 2
	return s
}

func TestCells(t *testing.T) {
	s := PublishedSpec()
	cells, err := s.Cells()
	if err != nil {
		t.Fatal(err)
	}
	// One for each of the five methods without projection, three for the others.
	if len(cells) != 5+3*5 {
		t.Errorf("%d cells, want 20", len(cells))
	}
	names := map[string]bool{}
	for _, c := range cells {
		names[c.Name()] = true
	}
	if len(names) != len(cells) || !names["pusht-pcd-dpp-ps-v10.7-g2"] || !names["pusht-dp"] {
		t.Errorf("names %v", names)
	}
	s.Methods, s.Gammas, s.Steps, s.Limits = []push.Method{push.CDLB, push.PCDLB}, []float64{0.1, 0.2}, []int{10, 20}, []float64{8.4}
	if cells, err = s.Cells(); err != nil || len(cells) != 8 {
		t.Errorf("%d cells, %v; want methods × strengths × steps = 8", len(cells), err)
	}
	s.Adjacent = true
	if slipped, err := s.Cells(); err != nil || slipped[0].Name() != cells[0].Name()+"-adjacent" {
		t.Errorf("with the slip, cell %s, %v", slipped[0].Name(), err)
	}
	for _, change := range []func(*Spec){
		func(s *Spec) { s.Preset = "none" }, func(s *Spec) { s.Methods = []push.Method{"x"} },
		func(s *Spec) { s.Pairs = 0 }, func(s *Spec) { s.Conditions = -1 }, func(s *Spec) { s.Limits = nil },
	} {
		s := PublishedSpec()
		change(&s)
		if _, err := s.Cells(); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}

// evaluate runs an evaluation with a model.
func evaluate(ctx context.Context, m *push.Model, spec Spec, o experiment.Options) error {
	_, err := New(func() (*push.Model, error) { return m, nil }).Evaluate(ctx, spec, o)
	return err
}

// read reads results.
func read(t *testing.T, dir string) map[string]*CellResult {
	t.Helper()
	results, err := New(nil).Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// An evaluation that is stopped and goes on, that is asked for more conditions and
// more pairs of them later, and that is divided into shards, has the results of one
// that did all at once.
func TestEvaluationGoesOn(t *testing.T) {
	m, spec := tinyModel(t), tinySpec()
	dir := t.TempDir()
	if err := evaluate(t.Context(), m, spec, experiment.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	want := read(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	begun := spec
	begun.Conditions, begun.Pairs = 1, 1
	dir = t.TempDir()
	stop := experiment.Options{Dir: dir, Shard: experiment.Shard{Count: 2}, Progress: func(int, int) { cancel() }}
	if err := evaluate(ctx, m, begun, stop); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: %v", err)
	}
	for i := range 2 {
		if err := evaluate(t.Context(), m, spec, experiment.Options{Dir: dir, Shard: experiment.Shard{Index: i, Count: 2}}); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, dir)
	if len(got) != 3 || len(want) != 3 {
		t.Fatalf("%d and %d cells, want 3", len(got), len(want))
	}
	for name, w := range want {
		g := got[name]
		if !reflect.DeepEqual(g.Judged, w.Judged) || !reflect.DeepEqual(g.Speeds, w.Speeds) || g.CertifiedPairs != w.CertifiedPairs {
			t.Errorf("%s differs", name)
		}
		for k := range g.Coverage {
			if math.Abs(g.Coverage[k]-w.Coverage[k]) > 1e-12 {
				t.Errorf("%s: mean reward at step %d is %v, want %v", name, k, g.Coverage[k], w.Coverage[k])
				break
			}
		}
		if projected := w.Cell.Method.Projected(); w.Certified() != projected {
			t.Errorf("%s: certified %v", name, w.Certified())
		}
	}
}

func TestEvaluationRefusesAnotherOne(t *testing.T) {
	m, spec := tinyModel(t), tinySpec()
	spec.Methods, spec.Conditions, spec.Pairs = spec.Methods[:1], 1, 1
	o := experiment.Options{Dir: t.TempDir()}
	if err := evaluate(t.Context(), m, spec, o); err != nil {
		t.Fatal(err)
	}
	other := spec
	other.Seed = 2
	if err := evaluate(t.Context(), m, other, o); err == nil {
		t.Error("another seed is mixed in")
	}
	another := tinyModel(t)
	another.Net.Params()[0].Data[0]++
	if err := evaluate(t.Context(), another, spec, o); err == nil {
		t.Error("finished cells of another model are taken for its own")
	}
	other = spec
	other.Conditions = 2
	if err := evaluate(t.Context(), another, other, o); err == nil {
		t.Error("another model is mixed in")
	}
	o.Shard = experiment.Shard{Index: 2, Count: 2}
	if err := evaluate(t.Context(), m, spec, o); err == nil {
		t.Error("shard 2 of 2 is accepted")
	}
	if _, err := New(nil).Read(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no results: %v", err)
	}
}

// Cells whose numbers do not hang together are refused by the name of their file.
func TestBrokenCells(t *testing.T) {
	m, spec := tinyModel(t), tinySpec()
	spec.Methods, spec.Conditions, spec.Pairs = spec.Methods[:1], 1, 1
	dir := t.TempDir()
	if err := evaluate(t.Context(), m, spec, experiment.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "pusht-dp.json")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for old, broken := range map[string]string{
		`{`: `[`, `"pairs": 1`: `"pairs": -1`, `"conditions": 1`: `"conditions": 999999999999`, `"limits": [`: `"limits": null, "was": [`,
		`"Within": [`: `"Within": null, "was": [`, `"coverage": [`: `"coverage": [1,`, `"certified_pairs": 0`: `"certified_pairs": 5`,
		`"counts": [`: `"counts": [-3,`, `"preset": "default"`: `"preset": "none"`,
	} {
		text := strings.Replace(string(whole), old, broken, 1)
		if text == string(whole) {
			t.Fatalf("%q is not there", old)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var refused *experiment.FileError
		if _, err := New(nil).Report(dir); !errors.As(err, &refused) || !strings.Contains(err.Error(), "pusht-dp.json") {
			t.Errorf("%s: %v, want a *FileError that names the file", broken, err)
		}
	}
}

// Pairs that depend on their batch are not added to those of another batch.
func TestEvaluationWithEarlyAcceptance(t *testing.T) {
	spec := tinySpec()
	spec.Preset, spec.Methods, spec.Conditions, spec.Pairs = "pusht", spec.Methods[:1], 1, 1
	m, o := tinyModel(t), experiment.Options{Dir: t.TempDir()}
	if err := evaluate(t.Context(), m, spec, o); err != nil {
		t.Fatal(err)
	}
	if spec.Pairs = 2; evaluate(t.Context(), m, spec, o) == nil {
		t.Error("another number of pairs is mixed in")
	}
}

// The measures of a growing cell are those of its conditions with equally many pairs.
func TestBalanced(t *testing.T) {
	for _, c := range []struct {
		lengths           []int
		conditions, pairs int
	}{
		{nil, 0, 0}, {[]int{5, 5, 3}, 2, 5}, {[]int{20, 5, 5, 5}, 4, 5}, {[]int{20, 5, 5}, 1, 20}, {[]int{20, 6, 5, 5, 5}, 5, 5}, {[]int{4, 4}, 2, 4},
	} {
		r := new(CellResult)
		for _, n := range c.lengths {
			r.Judged = append(r.Judged, make([]pushmetric.Sample, n))
		}
		got := r.balanced()
		if len(got) != c.conditions || len(got) > 0 && len(got[0]) != c.pairs {
			t.Errorf("%v: %d conditions", c.lengths, len(got))
		}
	}
}

// The transcribed table is complete, and every row of a table has its own.
func TestTables(t *testing.T) {
	if n := len(published()); n != 30 {
		t.Errorf("%d published rows, want 30", n)
	}
	p, ok := Published(6.2, push.PCDLBPS)
	if !ok || p.DTW.Mean != 4.32 || p.DFD.Std != 0.138 || p.CS[1].Mean != 1 || p.TC[0].Mean != 0.865 || p.TC[1].Std != 0.259 {
		t.Errorf("published row %+v", p)
	}
	m, spec := tinyModel(t), tinySpec()
	dir := t.TempDir()
	if err := evaluate(t.Context(), m, spec, experiment.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	tables := Tables(read(t, dir))
	if len(tables) != 2 || tables[0].Limit != 6.2 || len(tables[0].Rows) != 10 {
		t.Fatalf("tables %+v", tables)
	}
	for _, r := range tables[1].Rows {
		computed := r.Method == push.DP || r.Method == push.PCDLB
		if (r.Ours != nil) != computed || r.Published == nil || (r.Difference != nil) != computed || *r.Certified != (r.Method == push.PCDLB) {
			t.Errorf("row %+v", r)
		}
		if r.Method == push.PCDLB && (r.Scale != push.GammaNoiseRate || r.Ours.CS[0].Mean != 1 || r.Conditions != 2) {
			t.Errorf("row %+v", r)
		}
		if d := r.Difference; d != nil && math.Abs(r.Published.DTW.Mean+d.Of("dtw")-r.Ours.DTW.Mean) > 1e-12 {
			t.Errorf("difference %v of %v and %v", d.Of("dtw"), r.Ours.DTW.Mean, r.Published.DTW.Mean)
		}
	}
}

func TestHistogram(t *testing.T) {
	var h Histogram
	for k := range 1000 {
		h.Add(float64(k) / 100)
	}
	for _, q := range []float64{0.5, 0.8, 0.9, 1} {
		if got := h.Quantile(q); math.Abs(got-10*q) > 0.051 {
			t.Errorf("quantile %v is %v", q, got)
		}
	}
	if q := (Histogram{}).Quantile(0.5); q != 0 {
		t.Errorf("quantile of nothing is %v", q)
	}
}

func TestRuntime(t *testing.T) {
	spec := DefaultRuntimeSpec()
	spec.Methods, spec.Pairs, spec.Plans, spec.Repeats = []push.Method{push.CDLB, push.CDLBPS}, 2, 1, 1
	rows, err := MeasureRuntime(t.Context(), spec, tinyModel(t), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if rows[0].Ratio != 0 || rows[1].Ratio <= 0 || rows[1].Seconds.VJP <= 0 || rows[0].Seconds.VJP != 0 || rows[0].Rate <= 0 {
		t.Errorf("rows %+v", rows)
	}
	spec.Pairs = 0
	if _, err := MeasureRuntime(t.Context(), spec, tinyModel(t), 1, nil); err == nil {
		t.Error("no pairs are accepted")
	}
}

func TestDescribe(t *testing.T) {
	s, err := Describe(demonstrations(t, 3, 20))
	if err != nil {
		t.Fatal(err)
	}
	if s.Episodes != 3 || s.Steps != 60 || s.Lengths != (Lengths{20, 0, 20, 20}) {
		t.Errorf("description %+v", s)
	}
	// Only the actions are rounded to float32.
	if e := s.Replay.Errors; len(e) != 4 || e[3] > 1e-3 || s.Replay.Agent > 1e-4 || s.Replay.Agent == 0 {
		t.Errorf("replay %+v", s.Replay)
	}
}
