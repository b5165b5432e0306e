package planner

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/weights"
)

// A file of family 2 that does not say what its network predicts is measured, and the summary says so; not so
// one that says it, a folder, or the model that ships.
func TestMeasuredIsSaid(t *testing.T) {
	const folder = "../../latent/testdata/turbo_folder"
	dir := t.TempDir()
	for _, part := range []string{"unet", "vae", "text_encoder"} { // without the scheduler
		raw, err := os.ReadFile(filepath.Join(folder, part, "config.json"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, part+".config.json"), func(w io.Writer) error { _, err := w.Write(raw); return err })
	}
	f, err := modelfile.OpenFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	said, silent := filepath.Join(dir, "said.safetensors"), filepath.Join(dir, "silent.safetensors")
	write(t, said, f.WriteSingle)
	sd, err := weights.Open(said, weights.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sd.Close()
	write(t, silent, func(w io.Writer) error { return weights.WriteSafetensors(w, sd, nil) })
	for path, want := range map[string]string{said: "", silent: "epsilon", folder: ""} {
		task := &GenerateTask{Request: GenerateRequest{Model: path, Sampler: "ddim"}}
		task.Request.Images, task.Request.Steps, task.Request.Guidance = 1, 1, 1
		if err := task.Check(); err != nil {
			t.Fatal(err)
		}
		out, err := task.Run(t.Context(), Watch{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := out.Summary.Measured; got != want {
			t.Errorf("%s: measured %q, want %q", filepath.Base(path), got, want)
		}
	}
}

// write makes a file of what a function writes.
func write(t *testing.T, path string, content func(io.Writer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := content(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
