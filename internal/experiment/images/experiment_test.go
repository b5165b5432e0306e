package images

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
)

// tinyModel returns a model with random weights: nothing that it draws means anything.
func tinyModel(t *testing.T) *pair.Model {
	t.Helper()
	field := noise.New(3)
	net, err := nn.NewUNet2DCondition(nn.UNet2DConfig{
		SampleSize: 4, InChannels: 4, OutChannels: 4, BlockOutChannels: []int{8}, DownAttention: []bool{true}, UpAttention: []bool{true},
		LayersPerBlock: 1, Heads: []int{2}, TransformerLayers: []int{1}, CrossAttentionDim: 8, UseLinearProjection: true,
		NormNumGroups: 4, NormEps: 1e-5, FlipSinToCos: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(field.Sub("unet"))
	vae, err := nn.NewAutoencoderKL(nn.AutoencoderConfig{
		InChannels: 3, OutChannels: 3, LatentChannels: 4, BlockOutChannels: []int{4, 4}, LayersPerBlock: 1, NormNumGroups: 2, SampleSize: 8, ScalingFactor: 0.8,
	})
	if err != nil {
		t.Fatal(err)
	}
	vae.Init(field.Sub("vae"))
	m := &pair.Model{Model: &latent.Model{Net: net, Codec: latent.Codec{Net: vae}}, Classifier: questions(t, 4), Judge: questions(t, 3)}
	m.Noise, err = latent.ParseNoise([]byte(`{"beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear", "steps_offset": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// questions returns a classifier of age and gender with random weights.
func questions(t *testing.T, channels int) *latent.Classifier {
	t.Helper()
	c, err := nn.NewClassifier(nn.ClassifierConfig{InChannels: channels, Width: 4, Heads: []nn.ClassifierHead{
		{Name: "age_group", Hidden: 8, Classes: make([]string, len(portrait.AgeGroups))}, {Name: "gender", Hidden: 8, Classes: []string{"male", "female"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	c.Init(noise.New(4))
	return &latent.Classifier{Net: c}
}

func tinySpec() Spec {
	s := PublishedSpec()
	s.Methods, s.Exemplars, s.Steps, s.Pairs, s.Seeds = []pair.Method{pair.SD, pair.SDP, pair.PCD}, []int{2}, 3, 3, 2
	return s
}

// evaluate runs an evaluation with a model.
func evaluate(ctx context.Context, m *pair.Model, spec Spec, o experiment.Options) error {
	_, err := New(func() (Source, error) { return Source{Model: m}, nil }).Evaluate(ctx, spec, o)
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

func TestCells(t *testing.T) {
	s := PublishedSpec()
	cells, err := s.Cells()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, c := range cells {
		names[c.Name()] = true
	}
	// Every method with 2 and 6 exemplars, and the collapse.
	if len(cells) != 2*(len(s.Methods)+1) || len(names) != len(cells) || !names["images-sd-p-m6-k1"] || !names["images-pcd-m2"] {
		t.Errorf("%d cells %v", len(cells), names)
	}
	s.Methods, s.Gammas, s.NoiseScales, s.Exemplars = []pair.Method{pair.SD, pair.SDC, pair.SDP, pair.PCD}, []float64{10, 20}, []float64{1, 2, 3}, []int{2}
	if cells, err = s.Cells(); err != nil || len(cells) != 1+2+3+6 {
		t.Errorf("%d cells, %v; want 12: strengths of what couples, noises of what projects", len(cells), err)
	}
	s.Methods, s.SyncWeights, s.SyncTogether = []pair.Method{pair.SD, pair.Sync}, []float64{1, 2}, true
	if cells, err = s.Cells(); err != nil || len(cells) != 3 || cells[2].Name() != "images-sync-m2-w2-together" || cells[0].SyncTogether {
		t.Errorf("cells %v, %v; want those of sync for each weight", cells, err)
	}
	s.Methods, s.Same = []pair.Method{pair.PCD}, SameB
	if cells, err = s.Cells(); err != nil || cells[0].Name() != "images-pcd-m2-g10-k1-same-b" {
		t.Errorf("cells %v, %v; want those of the same exemplars", cells, err)
	}
	for _, change := range []func(*Spec){
		func(s *Spec) { s.Same = "c" },
		func(s *Spec) { s.Methods = []pair.Method{"x"} }, func(s *Spec) { s.Methods = nil }, func(s *Spec) { s.Pairs = 1 },
		func(s *Spec) { s.Seeds = 0 }, func(s *Spec) { s.Exemplars = []int{1} }, func(s *Spec) { s.Gammas = []float64{-1} },
		func(s *Spec) { s.NoiseScales = []float64{math.Inf(1)} }, func(s *Spec) { s.Steps = 0 }, func(s *Spec) { s.Floor = math.NaN() },
	} {
		s := PublishedSpec()
		change(&s)
		if _, err := s.Cells(); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}

// An evaluation that is stopped and goes on, that is asked for more seeds later, and
// that is divided into shards, has the results of one that did all at once.
func TestEvaluationGoesOn(t *testing.T) {
	m, spec := tinyModel(t), tinySpec()
	dir := t.TempDir()
	if err := evaluate(t.Context(), m, spec, experiment.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	want := read(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	begun := spec
	begun.Seeds = 1
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
	if len(got) != 4 || len(want) != 4 {
		t.Fatalf("%d and %d cells, want sd, sd-p, sd-p with k = 1, pcd", len(got), len(want))
	}
	for name, w := range want {
		g := got[name]
		for i := range w.Batches {
			w.Batches[i].Times, g.Batches[i].Times = Times{}, Times{}
		}
		if !reflect.DeepEqual(g.Batches, w.Batches) {
			t.Errorf("%s differs", name)
		}
		if projected := w.Cell.Method.Projected(); w.Certified() != projected || (w.Batches[0].Pairs[0].Weights[0] != nil) != projected {
			t.Errorf("%s: certified %v, weights %v", name, w.Certified(), w.Batches[0].Pairs[0].Weights)
		}
		if w.Networks != (Networks{ByJudge, ByJudge, ByJudge}) || w.Batches[1].Seed != 1 {
			t.Errorf("%s: networks %+v, second seed %d", name, w.Networks, w.Batches[1].Seed)
		}
	}
}

func TestEvaluationRefusesAnotherOne(t *testing.T) {
	thorough.Test(t)
	m, spec := tinyModel(t), tinySpec()
	spec.Methods, spec.Seeds = spec.Methods[:1], 1
	o := experiment.Options{Dir: t.TempDir()}
	if err := evaluate(t.Context(), m, spec, o); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Spec, *pair.Model){
		"seeds": func(s *Spec, _ *pair.Model) { s.FirstSeed = 7 }, "pairs": func(s *Spec, _ *pair.Model) { s.Pairs = 4 },
		"classifier": func(_ *Spec, m *pair.Model) { m.Classifier.Net.Params()[0].Data[0]++ },
		"judge":      func(_ *Spec, m *pair.Model) { m.Judge.Net.Buffers()[0].Data[0]++ },
	} {
		other, another := spec, tinyModel(t)
		change(&other, another)
		var mismatch *experiment.MismatchError
		if err := evaluate(t.Context(), another, other, o); !errors.As(err, &mismatch) {
			t.Errorf("another %s: %v, want a *MismatchError", name, err)
		}
	}
	own := Source{Model: m}
	for k := range own.Exemplars {
		for range 2 {
			own.Exemplars[k] = append(own.Exemplars[k], pair.Exemplar{Picture: dataset.NewPicture(8, 8)})
		}
	}
	var mismatch *experiment.MismatchError
	if _, err := New(func() (Source, error) { return own, nil }).Evaluate(t.Context(), spec, o); !errors.As(err, &mismatch) {
		t.Errorf("other exemplars: %v, want a *MismatchError", err)
	}
	spec.Exemplars = []int{3}
	var bad *experiment.SpecError
	if _, err := New(func() (Source, error) { return own, nil }).Evaluate(t.Context(), spec, o); !errors.As(err, &bad) || !strings.Contains(err.Error(), "there are 2") {
		t.Errorf("more exemplars than there are: %v", err)
	}
}

// What a method lacks is said before anything is computed.
func TestEvaluationNeeds(t *testing.T) {
	m, o := tinyModel(t), experiment.Options{Dir: filepath.Join(t.TempDir(), "results")}
	m.Classifier = nil
	var needs *pair.NeedsError
	if err := evaluate(t.Context(), m, tinySpec(), o); !errors.As(err, &needs) {
		t.Errorf("without a classifier: %v", err)
	}
	if able := (Source{Model: m}).Able(pair.Methods()); !slices.Equal(able, []pair.Method{pair.SD, pair.SDP}) {
		t.Errorf("without a classifier, text, guide and adapter the model is able of %v", able)
	}
	m.Judge = nil
	if err := evaluate(t.Context(), m, tinySpec(), o); !errors.As(err, &needs) || !strings.Contains(err.Error(), "judge") {
		t.Errorf("without a judge: %v", err)
	}
	var spec *experiment.SpecError
	_, err := New(func() (Source, error) {
		return Source{Model: tinyModel(t), Networks: NetworkFiles{VGG: "vgg.pth"}}, nil
	}).Evaluate(t.Context(), tinySpec(), o)
	if !errors.As(err, &spec) {
		t.Errorf("half of LPIPS: %v", err)
	}
	if _, err := os.Stat(o.Dir); err == nil {
		t.Error("a folder is left")
	}
}

// Cells whose numbers do not hang together are refused by the name of their file.
func TestBrokenCells(t *testing.T) {
	m, spec := tinyModel(t), tinySpec()
	spec.Methods, spec.Seeds, spec.Floor = []pair.Method{pair.PCD}, 1, 0
	dir := t.TempDir()
	if err := evaluate(t.Context(), m, spec, experiment.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "images-pcd-m2.json")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for old, broken := range map[string]string{
		`{`: `[`, `"pairs": 3`: `"pairs": -1`, `"seeds": 1`: `"seeds": 0`, `"exemplars": 2`: `"exemplars": 3`,
		`"pairs": [`: `"pairs": null, "were": [`, `"weights": [`: `"weights": [[1],`, `"old": [`: `"old": [1.5, `, `"method": "pcd"`: `"method": "sd"`,
		"\n  \"lenses\": {": "\n  \"were\": {",
	} {
		text := strings.Replace(string(whole), old, broken, 1)
		if text == string(whole) {
			t.Fatalf("%q is not there", old)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var refused *experiment.FileError
		if _, err := New(nil).Report(dir); !errors.As(err, &refused) || !strings.Contains(err.Error(), "images-pcd-m2.json") {
			t.Errorf("%s: %v, want a *FileError that names the file", broken, err)
		}
	}
}
