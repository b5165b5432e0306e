package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/modelfile"
)

// shippedModel lays out the model that ships in a folder of a test.
func shippedModel(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "portraits")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "internal", "pair", "bundled", "models", "portraits"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// rewrite writes a file of a folder.
func rewrite(t *testing.T, text string, path ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(path...), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A model whose noise cannot be is refused where its parts are listed as where it is opened.
func TestInspectImpossibleNoise(t *testing.T) {
	dir := shippedModel(t)
	for what, settings := range map[string]string{
		"beyond one":      `{"_class_name": "DDIMScheduler", "beta_end": 5}`,
		"one":             `{"_class_name": "DDIMScheduler", "num_train_timesteps": 2, "trained_betas": [0.5, 1]}`,
		"negative":        `{"_class_name": "DDIMScheduler", "beta_start": 0.01, "beta_end": -0.01}`,
		"none":            `{"_class_name": "DDIMScheduler", "beta_start": 0, "beta_end": 0}`,
		"no number":       `{"_class_name": "DDIMScheduler", "beta_end": NaN}`,
		"an unknown rule": `{"_class_name": "DDIMScheduler", "beta_schedule": "sigmoid"}`,
	} {
		rewrite(t, settings, dir, "scheduler", "scheduler_config.json")
		_, opened := latent.Open(dir)
		var refused *modelfile.Error
		if !errors.As(opened, &refused) {
			t.Fatalf("%s: latent.Open: %v, want a *modelfile.Error", what, opened)
		}
		s, err := modelfile.InspectFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := inspectNoise(dir, s); !errors.As(err, &refused) || err.Error() != opened.Error() {
			t.Errorf("%s: inspectNoise: %v, want %v", what, err, opened)
		}
		code, out, stderr := invoke(t, "weights", "inspect", dir)
		if code != exitCode(opened) || !strings.Contains(stderr, opened.Error()) || strings.Count(out, "refused, see below") != 1 {
			t.Errorf("%s: exit code %d, want %d: %s%s", what, code, exitCode(opened), out, stderr)
		}
	}
	rewrite(t, `{"_class_name": "DDIMScheduler", "beta_end": 0.02}`, dir, "scheduler", "scheduler_config.json")
	if out := must(t, "weights", "inspect", dir); strings.Contains(out, "refused") {
		t.Errorf("weights inspect prints %q", out)
	}
}
