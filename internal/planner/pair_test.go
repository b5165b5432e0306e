package planner

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
)

// untrainedPortraits returns a small model with random weights and a classifier.
func untrainedPortraits(t *testing.T) *pair.Model {
	t.Helper()
	net, err1 := nn.NewUNet2DCondition(nn.UNet2DConfig{
		SampleSize: 8, InChannels: 4, OutChannels: 4, BlockOutChannels: []int{4, 4}, DownAttention: []bool{false, false}, UpAttention: []bool{false, false},
		LayersPerBlock: 1, Heads: []int{2, 2}, TransformerLayers: []int{1, 1}, CrossAttentionDim: 4, UseLinearProjection: true,
		NormNumGroups: 2, NormEps: 1e-5, FlipSinToCos: true,
	})
	vae, err2 := nn.NewAutoencoderKL(nn.AutoencoderConfig{
		InChannels: 3, OutChannels: 3, LatentChannels: 4, BlockOutChannels: []int{4, 4}, LayersPerBlock: 1, NormNumGroups: 2, SampleSize: 16, ScalingFactor: 0.8,
	})
	ask, err3 := nn.NewClassifier(nn.ClassifierConfig{InChannels: 4, Width: 2, Heads: []nn.ClassifierHead{{Name: "age_group", Hidden: 4, Classes: make([]string, 10)}}})
	schedule, err4 := latent.ParseNoise([]byte(`{"beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear", "steps_offset": 1}`))
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	net.Init(noise.New(1))
	vae.Init(noise.New(2))
	ask.Init(noise.New(3))
	return &pair.Model{Model: &latent.Model{Net: net, Codec: latent.Codec{Net: vae}, Noise: schedule}, Classifier: &latent.Classifier{Net: ask}}
}

// pairTask returns the task of ten pairs, which are drawn in two pieces.
func pairTask(t *testing.T) *PairTask {
	t.Helper()
	pairs := 10
	task := &PairTask{Request: PairRequest{Model: "untrained", Pairs: &pairs}, inputs: map[string]manifest.Input{}}
	task.Options = pair.Request{Model: untrainedPortraits(t), Members: pair.DrawMembers(pair.Age, 2, 2), Method: pair.PCD, Pairs: pairs, Steps: 3}
	return task
}

// An interrupted run keeps the pairs that are done, and continues to the same end.
func TestPairsAreKept(t *testing.T) {
	want, err := pairTask(t).draw(t.Context(), Watch{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := OpenFolder(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var kept *KeptError
	_, err = pairTask(t).Run(ctx, Watch{Progress: func(stage string, done, total int) {
		if stage != "denoising" {
			return
		}
		if done == 4 { // of the second piece
			cancel()
		}
		if total != 6 {
			t.Errorf("%d of %d steps", done, total)
		}
	}}, folder)
	if !errors.As(err, &kept) || !errors.Is(err, context.Canceled) || ClassOf(err) != Interrupted || kept.Done != 8 || kept.Total != 10 {
		t.Fatalf("Do = %v", err)
	}
	if got := names(t, folder.out.Path("")); len(got) != 1 || !strings.HasPrefix(got[0], "unfinished-") {
		t.Fatalf("kept in %v", got)
	}
	first := -1
	out, err := pairTask(t).draw(t.Context(), Watch{Progress: func(_ string, done, _ int) {
		if first < 0 {
			first = done
		}
	}}, folder)
	if err != nil || first != 4 {
		t.Fatalf("continued at step %d, %v", first, err)
	}
	for i, d := range out.result.Members {
		if !slices.Equal(d.Latents.Data, want.result.Members[i].Latents.Data) || !slices.Equal(d.Images.Data, want.result.Members[i].Images.Data) {
			t.Errorf("%s differs from the run that was not interrupted", d.Name)
		}
	}
	o, err := out.outcome()
	if err != nil {
		t.Fatal(err)
	}
	if err := o.writeTo(folder); err != nil {
		t.Fatal(err)
	}
	if got := names(t, folder.out.Path("")); !slices.Equal(got, []string{"manifest.json", "pair.html", "pair.json", "pair.npz", "pair.png"}) || o.Verdict != nil {
		t.Errorf("files %v, verdict %v", got, o.Verdict)
	}
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// Only pairs of the same settings are taken up again.
func TestKeeperDistinguishesSettings(t *testing.T) {
	task := pairTask(t)
	folder, err := OpenFolder(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	one, err1 := task.keeper(folder, task.Options)
	more := 40
	task.Request.Pairs = &more
	same, err2 := task.keeper(folder, task.Options)
	task.Request.Seed = 9
	other, err3 := task.keeper(folder, task.Options)
	if err := errors.Join(err1, err2, err3); err != nil || one.Dir() != same.Dir() || one.Dir() == other.Dir() {
		t.Errorf("folders %s, %s with more pairs and %s of another seed, %v", one.Dir(), same.Dir(), other.Dir(), err)
	}
}

func TestPairRequestRefusals(t *testing.T) {
	number, whole, five := 3.5, 1, 5
	dir := t.TempDir()
	text := filepath.Join(dir, "poem.png")
	if err := os.WriteFile(text, []byte("a poem"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		request PairRequest
		want    Class
	}{
		"gamma without coupling":      {PairRequest{Method: "sd", Gamma: &number}, Usage},
		"box without projection":      {PairRequest{Method: "sd-c", Box: &number}, Usage},
		"prompt for nobody":           {PairRequest{Prompt: "a poem"}, Usage},
		"rate of the exact one":       {PairRequest{MDRate: &number}, Usage},
		"one variable":                {PairRequest{Variables: &whole}, Usage},
		"five ages of drawn people":   {PairRequest{Variables: &five}, Usage},
		"five genders":                {PairRequest{Variables: &five, Attribute: "gender"}, Usage},
		"no model":                    {PairRequest{Model: filepath.Join(dir, "nowhere")}, Missing},
		"a file for a model":          {PairRequest{Model: text}, Usage},
		"a folder that holds nothing": {PairRequest{Model: dir}, Usage},
	} {
		if _, err := c.request.Check(); ClassOf(err) != c.want {
			t.Errorf("%s: class %d, %v", name, ClassOf(err), err)
		}
	}
	task := pairTask(t)
	if _, err := task.read("a", []string{text}); ClassOf(err) != Usage {
		t.Errorf("a text for an image: %v", err)
	}
	if _, err := task.read("a", []string{filepath.Join(dir, "none.png")}); !errors.Is(err, fs.ErrNotExist) || ClassOf(err) != Missing {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := task.read("a", []string{t.TempDir()}); ClassOf(err) != Usage {
		t.Errorf("an empty folder: %v", err)
	}
}
