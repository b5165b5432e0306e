package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Parts that model_index.json does not name are listed, come along into a folder, and are named where they do not.
func TestUnnamedParts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "turbo")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "latent", "testdata", "turbo_folder"))); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{filepath.Join(shippedModel(t), "judge"): "judge", filepath.Join(dir, "vae"): "vae_old"} {
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	out := must(t, "weights", "inspect", dir)
	for _, line := range []string{"6 parts of", "read by name: judge, vae_tiny\n", "not read: vae_old\n"} {
		if !strings.Contains(out, line) {
			t.Errorf("weights inspect prints %q, want %q", out, line)
		}
	}
	folder := filepath.Join(t.TempDir(), "folder")
	if out := must(t, "image", "convert", dir, "-o", folder); !strings.Contains(out, "left out: vae_old\n") {
		t.Errorf("image convert prints %q", out)
	}
	if out := must(t, "weights", "inspect", folder); !strings.Contains(out, "6 parts of") || strings.Contains(out, "not named") {
		t.Errorf("weights inspect prints %q of what image convert writes", out)
	}
	for _, file := range []string{"judge/config.json", "vae_tiny/diffusion_pytorch_model.safetensors"} {
		if _, err := os.Stat(filepath.Join(folder, file)); err != nil {
			t.Error(err)
		}
	}
	single := filepath.Join(t.TempDir(), "turbo.safetensors")
	if out := strings.Join(strings.Fields(must(t, "image", "convert", dir, "-o", single)), " "); !strings.Contains(out, "left out: vae_old put ") || !strings.Contains(out, "judge, vae_tiny of "+dir+" beside the file") {
		t.Errorf("image convert prints %q", out)
	}
	if out := strings.Join(strings.Fields(must(t, "image", "convert", dir, "-o", filepath.Join(dir, "turbo.safetensors"))), " "); strings.Contains(out, "judge") {
		t.Errorf("image convert beside the parts prints %q", out)
	}
	if err := os.Remove(filepath.Join(dir, "judge", "model.safetensors")); err != nil {
		t.Fatal(err)
	}
	if code, out, stderr := invoke(t, "weights", "inspect", dir); code != exitMissing || !strings.Contains(stderr, "judge: has no weights") || !strings.Contains(out, "refused, see below") {
		t.Errorf("a part without weights: exit code %d, %s%s", code, out, stderr)
	}
}
