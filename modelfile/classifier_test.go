package modelfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/weights"
)

// heads describes a small classifier, trainingOnly a training and no network.
const (
	heads = "in_channels: 4\nwidth: 8\nheads:\n  - {name: age_group, hidden: 6, classes: [0-2, 3-6, 7-9, 10-14, 15-19, 20-29, 30-39, 40-49, 50-69, 70-120]}\n" +
		"  - {name: mood, hidden: 5, classes: [fine, grim, none]}\n"
	trainingOnly = "model:\n  in_channels: 4\n  timestep_condition: false\noptimizer: {lr: 1e-3}\n"
	description  = `{"in_channels": 4, "width": 8, "heads": [{"name": "age_group", "hidden": 6, "classes": ["0-2", "3-6", "7-9", "10-14", "15-19", "20-29", "30-39", "40-49", "50-69", "70-120"]},
		{"name": "mood", "hidden": 5, "classes": ["fine", "grim", "none"]}]}`
)

func asker(t *testing.T) *nn.Classifier {
	t.Helper()
	c, err := nn.ReadClassifierConfig(strings.NewReader(heads))
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.NewClassifier(c)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// answers returns the logits of some latents.
func answers(t *testing.T, net *nn.Classifier) []float32 {
	t.Helper()
	x, logits := tensor.New(2, 4, 16, 16), tensor.New(2, 13)
	noise.New(1).Normal(x.Data, x.Size(), noise.Address{})
	if err := net.Apply(t.Context(), logits, x); err != nil {
		t.Fatal(err)
	}
	return logits.Data
}

// askerTensors are those of a trained classifier: its statistics have moved, and it
// counted the batches.
func askerTensors(t *testing.T) (*weights.StateDict, []float32) {
	t.Helper()
	net := asker(t)
	net.Init(noise.New(7))
	sd := &weights.StateDict{}
	for i, p := range modelfile.State(net) {
		if i >= len(net.Params()) {
			moved := make([]float64, len(p.Data))
			noise.New(8).Uniform(moved, noise.Address{Variable: i})
			for j, v := range moved {
				p.Data[j] = float32(v)
			}
		}
		if err := sd.Add(weights.New(p.Name, p.Shape, p.Data)); err != nil {
			t.Fatal(err)
		}
		if stem, ok := strings.CutSuffix(p.Name, ".running_var"); ok {
			if err := sd.Add(weights.New(stem+".num_batches_tracked", nil, []float32{12})); err != nil {
				t.Fatal(err)
			}
		}
	}
	net.Refresh()
	return sd, answers(t, net)
}

// A classifier is read with its running statistics from every layout that there is: as a
// part of a model, as a folder of its own described by JSON or YAML, and as its training
// left it, with YAML that describes no network.
func TestClassifierFolders(t *testing.T) {
	sd, want := askerTensors(t)
	for what, c := range map[string]struct {
		settings, text string
		weights        []string
		named          bool // the classes are
	}{
		"JSON":           {"config.json", description, []string{"model.safetensors"}, true},
		"YAML":           {"classifier.yaml", heads, []string{"model.safetensors"}, true},
		"training":       {"resnet_enc_multihead.yaml", trainingOnly, []string{"checkpoints_latent_classifier", "best_latent_classifier.pt"}, false},
		"copied":         {"resnet_enc_multihead.yml", trainingOnly, []string{"best_classifier.pt"}, false},
		"half precision": {"config.json", description, []string{"model.fp16.safetensors"}, true},
	} {
		dir := t.TempDir()
		write(t, []byte(c.text), dir, c.settings)
		stored, tolerance := sd, float32(0)
		if what == "half precision" {
			var err error
			if stored, err = sd.As(weights.F16); err != nil {
				t.Fatal(err)
			}
			tolerance = 0.01
		}
		save(t, stored, append([]string{dir}, c.weights...)...)
		s, err := modelfile.InspectFolder(dir)
		if err = errors.Join(err, s.Err()); err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if p := s.Parts[0]; p.Class != "Classifier" || p.Tensors != 68+60 || !strings.Contains(p.Expected, "age_group of 10, mood of 3") {
			t.Errorf("%s: %+v", what, p)
		}
		for _, fill := range []func(*modelfile.Part, modelfile.Parameters) error{(*modelfile.Part).Fill, (*modelfile.Part).Keep} {
			f, err := modelfile.OpenFolder(dir)
			if err != nil {
				t.Fatal(err)
			}
			net, err := modelfile.Network[*nn.Classifier](&f.Parts[0])
			if err = errors.Join(err, fill(&f.Parts[0], net)); err != nil {
				t.Fatal(what, err)
			}
			for i, v := range answers(t, net) {
				if d := v - want[i]; d > tolerance || d < -tolerance {
					t.Fatalf("%s: logit %d is %v, want %v", what, i, v, want[i])
				}
			}
			h := net.Config().Heads
			if !slices.Equal(h[0].Classes, asker(t).Config().Heads[0].Classes) || (h[1].Classes[0] == "fine") != c.named {
				t.Errorf("%s: heads %+v", what, h)
			}
		}
	}
}

// Classifiers that do not fit are refused by name, and a network of another kind is not
// taken for one.
func TestClassifierFoldersRefused(t *testing.T) {
	sd, _ := askerTensors(t)
	without, err := sd.Rename(weights.KeyMap{weights.Drop("backbone.bn1.running_mean")})
	if err != nil {
		t.Fatal(err)
	}
	headless, err := sd.Rename(weights.KeyMap{weights.Drop("heads.")})
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		settings, text string
		tensors        *weights.StateDict
		says           string
	}{
		"no statistics":      {"config.json", description, without, "missing backbone.bn1.running_mean [8]"},
		"another width":      {"config.json", strings.Replace(description, `"width": 8`, `"width": 16`, 1), sd, "want [16 4 7 7]"},
		"an additional head": {"a.yaml", heads[:strings.Index(heads, "  - {name: mood")], sd, "unexpected heads.mood.lin1.weight"},
		"an unknown key":     {"a.yaml", heads + "depth: 34\n", sd, "depth"},
		"no heads":           {"a.yaml", trainingOnly, headless, "holds no classifier"},
		"half of it":         {"a.yaml", trainingOnly, without, "backbone.bn1.running_mean [8] is missing"},
	} {
		dir := t.TempDir()
		write(t, []byte(c.text), dir, c.settings)
		save(t, c.tensors, dir, "model.safetensors")
		s, err := modelfile.InspectFolder(dir)
		if err = errors.Join(err, s.Err()); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that says %q", what, err, c.says)
		}
	}
	dir := t.TempDir()
	write(t, []byte(heads), dir, "one.yaml")
	write(t, []byte(heads), dir, "two.yaml")
	if _, err := modelfile.OpenFolder(dir); !as[*modelfile.Error](err) || !strings.Contains(err.Error(), "nor one YAML file") {
		t.Errorf("two descriptions: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "two.yaml")); err != nil {
		t.Fatal(err)
	}
	f, err := modelfile.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := modelfile.Network[*nn.AutoencoderKL](&f.Parts[0]); err == nil || !strings.Contains(err.Error(), "AutoencoderKL") {
		t.Errorf("a classifier as an autoencoder: %v", err)
	}
}
