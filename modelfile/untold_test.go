package modelfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

// oneFile writes the small model as one file in a folder of its own.
func oneFile(t *testing.T) (model, file string) {
	t.Helper()
	model = folder(t)
	f, err := modelfile.OpenFolder(model)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "model in one.safetensors")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.WriteSingle(out), out.Close()); err != nil {
		t.Fatal(err)
	}
	return model, file
}

// A folder whose model is one file is refused with the file to name, whatever lies beside it.
func TestFolderOfSingleFile(t *testing.T) {
	_, file := oneFile(t)
	dir := filepath.Dir(file)
	refused := func(what string) {
		t.Helper()
		if _, err := modelfile.OpenFolder(dir); err == nil || !strings.Contains(err.Error(), "name "+file+" in its place") {
			t.Errorf("%s: %v, want %s named", what, err, file)
		}
	}
	refused("a file alone")
	write(t, []byte("garbage"), dir, "other.ckpt")
	write(t, []byte("model: 1"), dir, "v1-inference.yaml")
	refused("beside YAML of its authors")
	write(t, []byte(index), dir, "model_index.json")
	refused("beside an index without its parts")
	if _, err := modelfile.OpenFolder(file); err != nil {
		t.Errorf("what is named: %v", err)
	}
	other := t.TempDir()
	write(t, []byte("garbage"), other, "other.safetensors")
	if _, err := modelfile.OpenFolder(other); err == nil || strings.Contains(err.Error(), "in its place") {
		t.Errorf("a folder without a model: %v", err)
	}
}

// Numbers of groups that shapes do not say are named as what is missing, where the tensors make a network with them.
func TestUntoldSettings(t *testing.T) {
	model, file := oneFile(t)
	check := func(file, beside string) error {
		t.Helper()
		f, err := modelfile.OpenSingle(file, beside)
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Part("vae")
		if err != nil {
			t.Fatal(err)
		}
		return p.Check()
	}
	const says = "want vae/config.json of the model beside it, or in a folder that pcd image convert --settings names"
	var cause *nn.ConfigError
	if err := check(file, filepath.Dir(file)); !errors.As(err, &cause) || !strings.Contains(err.Error(), says) {
		t.Errorf("without settings: %v, want %q", err, says)
	}
	if err := check(file, model); err != nil {
		t.Errorf("with settings: %v", err)
	}
	sd, err := modelfile.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer sd.Close()
	less, err := sd.Rename(weights.KeyMap{weights.Rule{From: "first_stage_model.decoder.norm_out.weight", Exact: true, Drop: true}})
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "broken.safetensors")
	save(t, less, broken)
	if err := check(broken, model); err == nil {
		t.Error("a file without a tensor is taken with settings")
	}
	if err := check(broken, t.TempDir()); err == nil || strings.Contains(err.Error(), "--settings") {
		t.Errorf("settings do not mend a file without a tensor: %v", err)
	}
}
