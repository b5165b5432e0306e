package plan

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/recorded"
	"github.com/go-pcd/pcd/tensor"
)

const (
	highwaysData   = "EnvHighways2D-RobotPlanarDisk"
	tinyCheckpoint = "../weights/testdata/golden/temporal_unet_tiny.pth"
	trajectories   = "../internal/recorded/testdata/golden/layout/data_trajectories/" + highwaysData
)

// publishedFolder lays out a published model in a folder of the test: the tiny
// reference network, saved by PyTorch, and args.yaml with the given lines added.
func publishedFolder(t *testing.T, data, lines string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data_trained_models", data)
	checkpoint, err := os.ReadFile(tinyCheckpoint)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "checkpoints", "ema_model_current_state_dict.pth"), checkpoint)
	put(t, filepath.Join(dir, "args.yaml"), []byte("dataset_subdir: "+data+`
diffusion_model_class: GaussianDiffusionModel
include_velocity: true
predict_epsilon: true
use_ema: true
variance_schedule: exponential
wandb_mode: disabled
`+lines))
	return dir
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

const tinyArgs = "n_diffusion_steps: 25\nunet_input_dim: 8\nunet_dim_mults_option: 0\n"

// TestOpenPublished opens a model in the published layout, with each of the
// places that limits come from, and predicts with it.
func TestOpenPublished(t *testing.T) {
	dir := publishedFolder(t, highwaysData, tinyArgs)
	m := open(t, dir)
	if m.Limits.Max[3] != 1.4049001932 {
		t.Errorf("limits %v, want those of the published data", m.Limits)
	}

	target := filepath.Join(dir, "..", "..", "data_trajectories", highwaysData)
	if err := os.CopyFS(target, os.DirFS(trajectories)); err != nil {
		t.Fatal(err)
	}
	all, err := recorded.ImportTrajectories(trajectories)
	if err != nil {
		t.Fatal(err)
	}
	want, err := dataset.FitLimits(all.Batch)
	if err != nil {
		t.Fatal(err)
	}
	if m = open(t, dir); m.Limits.Max[0] != want.Max[0] || m.Limits.Min[3] != want.Min[3] {
		t.Errorf("limits %v, want those of the trajectories beside it, %v", m.Limits, want)
	}

	put(t, filepath.Join(dir, "limits.json"), []byte(`{"min": [-1, -1, -2, -2], "max": [1, 1, 2, 3]}`))
	if m = open(t, dir); m.Limits.Max[3] != 3 {
		t.Errorf("limits %v, want those of limits.json", m.Limits)
	}

	x := tensor.New(1, 64, 4)
	out := tensor.New(1, 64, 4)
	if err := m.Net.Predict(context.Background(), out, x, 7); err != nil {
		t.Fatal(err)
	}
	if out.CheckFinite() != nil || maxAbs(out) == 0 {
		t.Errorf("the network predicts up to %v", maxAbs(out))
	}
}

func open(t *testing.T, dir string) *Model {
	t.Helper()
	m, err := OpenModel(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func maxAbs(x tensor.Batch) (m float64) {
	for _, v := range x.Data {
		m = max(m, math.Abs(float64(v)))
	}
	return m
}

// TestOpenPublishedInfers opens a folder whose args.yaml does not describe the
// network.
func TestOpenPublishedInfers(t *testing.T) {
	m := open(t, publishedFolder(t, highwaysData, "n_diffusion_steps: 25\n"))
	if m.Network.Width != 8 || len(m.Network.DimMults) != 3 {
		t.Errorf("network %+v", m.Network)
	}
}

func TestOpenPublishedRefuses(t *testing.T) {
	broken := publishedFolder(t, highwaysData, tinyArgs)
	put(t, filepath.Join(broken, "limits.json"), []byte(`{"min": [1, -1, -2, -2], "max": [1, 1, 2, 3]}`))
	narrow := publishedFolder(t, highwaysData, tinyArgs)
	put(t, filepath.Join(narrow, "limits.json"), []byte(`{"min": [-1], "max": [1]}`))
	missing := publishedFolder(t, highwaysData, tinyArgs)
	if err := os.RemoveAll(filepath.Join(missing, "checkpoints")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, dir, want string
	}{
		{"no args.yaml", t.TempDir(), "args.yaml"},
		{"another width", publishedFolder(t, highwaysData, "n_diffusion_steps: 25\nunet_input_dim: 32\n"), "unet_input_dim: 32"},
		{"another option", publishedFolder(t, highwaysData, "n_diffusion_steps: 25\nunet_dim_mults_option: 1\n"), "unet_dim_mults_option: 1"},
		{"other steps", publishedFolder(t, highwaysData, "n_diffusion_steps: 50\n"), "n_diffusion_steps: 50"},
		{"another schedule", publishedFolder(t, highwaysData, tinyArgs+"variance_schedule: cosine\n"), "args.yaml"},
		{"unknown data", publishedFolder(t, "EnvDropRegion2D-RobotPlanarDisk", tinyArgs), "limits.json"},
		{"broken limits", broken, "limits.json"},
		{"narrow limits", narrow, "channels"},
		{"no checkpoint", missing, "ema_model_current_state_dict.pth"},
	}
	for _, test := range tests {
		_, err := OpenModel(test.dir)
		var refused *ModelError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want a *ModelError that names %s", test.name, err, test.want)
		}
	}
}
