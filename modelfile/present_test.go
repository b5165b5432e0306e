package modelfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

// A text encoder as current libraries write it, without the first level of names, is the one with
// it; what is not needed for rows of context may be there.
func TestPresentNamesOfTexts(t *testing.T) {
	dir := folder(t)
	texts := func() *nn.CLIPText {
		t.Helper()
		f, err := modelfile.OpenFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Part("text_encoder")
		if err != nil {
			t.Fatal(err)
		}
		net, err := modelfile.Network[*nn.CLIPText](p)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(p.Check(), p.Fill(net)); err != nil {
			t.Fatal(err)
		}
		return net
	}
	want := texts()
	sd := stored(t, want)
	if err := sd.Add(weights.New("text_projection.weight", []int{2, 6}, make([]float32, 12))); err != nil {
		t.Fatal(err)
	}
	short, err := sd.Rename(weights.KeyMap{weights.StripPrefix("text_model.")})
	if err != nil {
		t.Fatal(err)
	}
	save(t, short, dir, "text_encoder", "model.safetensors")
	got := texts()
	for i, p := range want.Params() {
		if !slices.Equal(p.Data, got.Params()[i].Data) {
			t.Errorf("%s differs", p.Name)
		}
	}
}

// The class of a pipeline that somebody wrote for one model is behind the name of its file, and a
// part that was not downloaded is said not to be there.
func TestPipelinesOfOneModel(t *testing.T) {
	dir := folder(t)
	raw, err := os.ReadFile(filepath.Join(dir, "model_index.json"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(raw), `"StableDiffusionPipeline"`, `["pipeline", "MyPipeline"]`, 1)
	write(t, []byte(text), dir, "model_index.json")
	if err := os.RemoveAll(filepath.Join(dir, "unet")); err != nil {
		t.Fatal(err)
	}
	f, err := modelfile.OpenFolder(dir)
	if err != nil || f.Pipeline != "MyPipeline" {
		t.Fatalf("%+v, %v, want MyPipeline", f, err)
	}
	p, err := f.Part("unet")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := modelfile.Network[*nn.UNet2DCondition](p); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "unet: is not there, although model_index.json names it") {
		t.Errorf("a missing part: %v", err)
	}
}

// Of weights that are pointers of Git LFS, those of another form are taken that were downloaded.
func TestPointersArePassedOver(t *testing.T) {
	dir := folder(t)
	pointer := []byte("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 3438167540\n")
	place := filepath.Join(dir, "text_encoder")
	if err := os.Rename(filepath.Join(place, "model.safetensors"), filepath.Join(place, "model.fp16.safetensors")); err != nil {
		t.Fatal(err)
	}
	write(t, pointer, place, "model.safetensors")
	write(t, pointer, place, "pytorch_model.bin")
	weightsOf := func() []string {
		t.Helper()
		f, err := modelfile.OpenFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Part("text_encoder")
		if err != nil {
			t.Fatal(err)
		}
		return p.Weights
	}
	if got := weightsOf(); len(got) != 1 || filepath.Base(got[0]) != "model.fp16.safetensors" {
		t.Errorf("weights %v, want the variant alone", got)
	}
	write(t, pointer, place, "model.fp16.safetensors")
	if got := weightsOf(); len(got) != 3 {
		t.Errorf("weights %v, want all, so that opening them says what they are", got)
	}
}

// TestFolderOfDownload names the folder of the model in that of a download, which has it by its commit. What a pattern
// of names gives a meaning to has none in the path.
func TestFolderOfDownload(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[x]")
	model := filepath.Join(dir, "snapshots", "0a1b2c")
	if err := os.MkdirAll(filepath.Dir(model), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(model, os.DirFS(folder(t))); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Dir(model)} {
		var bad *modelfile.Error
		if _, err := modelfile.OpenFolder(path); !errors.As(err, &bad) || !strings.Contains(err.Error(), model) {
			t.Errorf("%s: %v, want a *modelfile.Error that names %s", path, err, model)
		}
	}
	if _, err := modelfile.OpenFolder(model); err != nil {
		t.Error(err)
	}
}

// TestMarkedSettings reads JSON that an editor began with the mark of its encoding.
func TestMarkedSettings(t *testing.T) {
	dir := folder(t)
	for _, name := range []string{"model_index.json", "text_encoder/config.json"} {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), append([]byte("\ufeff"), raw...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := modelfile.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Part("text_encoder")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := modelfile.Network[*nn.CLIPText](p); err != nil {
		t.Error(err)
	}
}

// TestTwoClassesOfScheduler names both of a folder whose scheduler's file and model_index.json differ, and one where they agree.
func TestTwoClassesOfScheduler(t *testing.T) {
	for class, want := range map[string]string{"DDIMScheduler": "DDIMScheduler, in model_index.json PNDMScheduler", "PNDMScheduler": "PNDMScheduler"} {
		dir := t.TempDir()
		write(t, []byte(`{"scheduler": ["diffusers", "PNDMScheduler"]}`), dir, "model_index.json")
		write(t, []byte(`{"_class_name": "`+class+`"}`), dir, "scheduler", "scheduler_config.json")
		s, err := modelfile.InspectFolder(dir)
		if err != nil || s.Err() != nil || s.Parts[0].Class != want {
			t.Errorf("%s: %+v, %v, want the class %q", class, s, err, want)
		}
	}
}
