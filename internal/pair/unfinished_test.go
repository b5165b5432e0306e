package pair_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/pair"
)

// begun leaves a folder as a training does that was stopped before its first checkpoint.
func begun(t *testing.T, dir, verb string, more ...string) {
	t.Helper()
	m := manifest.New(append(append([]string{"pcd"}, strings.Fields(verb)...), more...), 1, nil)
	m.Verb, m.Status = verb, manifest.Running
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(filepath.Join(dir, "latents"), 0o755), atomicfile.WriteJSON(filepath.Join(dir, manifest.FileName), m)); err != nil {
		t.Fatal(err)
	}
}

// refusedAs returns what a folder is refused with, which says how its training goes on.
func refusedAs(t *testing.T, model, path string, says ...string) {
	t.Helper()
	_, err := pair.Open(model)
	var refused *pair.UnfinishedError
	if !errors.As(err, &refused) || refused.Path != path {
		t.Errorf("Open(%s) = %v, want an UnfinishedError about %s", model, err, path)
		return
	}
	for _, text := range says {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("Open(%s) = %v, want %q", model, err, text)
		}
	}
}

// A training that was stopped before it wrote a classifier is named with what continues it, beside the model that it is for
// and in the place of a model.
func TestOpenTrainingWithoutClassifier(t *testing.T) {
	model := filepath.Join(t.TempDir(), "my model")
	if err := os.CopyFS(model, os.DirFS(filepath.Join("bundled", "models", "portraits"))); err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(model, "classifier")
	begun(t, part, "image train-classifier", "--images", "faces", "-o", part)
	command := "pcd image train-classifier --images faces -o '" + part + "'"
	refusedAs(t, model, part, command)
	refusedAs(t, part, part, command)

	if err := os.WriteFile(filepath.Join(part, "config.json"), []byte("{}"), 0o600); err != nil { // stopped before the weights
		t.Fatal(err)
	}
	refusedAs(t, part, part, command)
	if err := errors.Join(os.Remove(filepath.Join(part, "config.json")), os.Remove(filepath.Join(part, manifest.FileName))); err != nil { // stopped while it encoded
		t.Fatal(err)
	}
	refusedAs(t, model, part, "pcd image train-classifier … -o '"+part+"'")

	parts := t.TempDir()
	if err := os.Mkdir(filepath.Join(parts, "latents"), 0o700); err != nil {
		t.Fatal(err)
	}
	begun(t, filepath.Join(parts, "judge"), "train images", "judge", "-o", parts)
	refusedAs(t, parts, filepath.Join(parts, "judge"), "pcd train images judge -o "+parts, "pcd image assemble "+parts)
	for _, name := range []string{"config.json", "model.safetensors"} {
		if err := os.WriteFile(filepath.Join(parts, "judge", name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := pair.Open(parts); err == nil || !strings.Contains(err.Error(), "pcd image assemble "+parts) {
		t.Errorf("parts that no model was made of: %v", err)
	}
	if _, err := pair.Open(t.TempDir()); errors.As(err, new(*pair.UnfinishedError)) {
		t.Errorf("an empty folder: %v", err)
	}
}
