package plan

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/weights"
)

// bundledFile returns the path of a copy of a model that ships.
func bundledFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("bundled", "models", name+".safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trained", "model.safetensors")
	put(t, path, data)
	return path
}

// The folder that a training leaves is the model in it.
func TestTrainedFoldersAreModels(t *testing.T) {
	file := bundledFile(t, "empty")
	want, got := open(t, file), open(t, filepath.Dir(file))
	a, errA := got.Digest()
	b, errB := want.Digest()
	if errA != nil || errB != nil || a != b || !reflect.DeepEqual(got.Spec, want.Spec) {
		t.Errorf("the folder gives %v with %q, its file %v with %q, errors %v, %v", got.Spec, a, want.Spec, b, errA, errB)
	}
	for name, dir := range map[string]string{"empty": t.TempDir(), "missing": filepath.Join(t.TempDir(), "none")} {
		var wrong *ModelError
		if _, err := OpenModel(dir); !errors.As(err, &wrong) || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s folder: %v, want a ModelError that matches fs.ErrNotExist", name, err)
		}
	}
}

// Weights without a description become a model with one, whatever describes them.
func TestWeightsAreDescribed(t *testing.T) {
	from := bundledFile(t, "highways")
	want := open(t, from)
	bare := filepath.Join(t.TempDir(), "bare.safetensors")
	if _, err := weights.Convert(from, bare, weights.ConvertOptions{Meta: map[string]string{"of": "nothing"}}); err != nil {
		t.Fatal(err)
	}
	if is, err := Undescribed(bare); err != nil || !is {
		t.Fatalf("undescribed: %v, %v", is, err)
	}
	if _, err := OpenModel(bare); err == nil || !strings.Contains(err.Error(), "--description") {
		t.Errorf("OpenModel = %v, want how to describe it", err)
	}
	text := filepath.Join(t.TempDir(), "spec.json")
	put(t, text, []byte(`{"limits": {"min": [-1, -1, -2, -2], "max": [1, 1, 2, 2]}, "schedule": {"steps": 25}}`))
	for _, path := range []string{from, text} {
		spec, err := ReadSpec(path)
		if err != nil {
			t.Fatal(err)
		}
		w, err := Describe(bare, "", spec, weights.Options{})
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "model.safetensors")
		if _, err := w.Convert(out, 0); err != nil {
			t.Fatal(err)
		}
		got := open(t, out)
		if !reflect.DeepEqual(got.Spec.Network, want.Spec.Network) || !reflect.DeepEqual(got.Spec.Schedule, want.Spec.Schedule) {
			t.Errorf("described by %s: %+v, want %+v", filepath.Base(path), got.Spec, want.Spec)
		}
		if path == from && !reflect.DeepEqual(got.Spec, want.Spec) {
			t.Errorf("described by itself: %+v, want %+v", got.Spec, want.Spec)
		}
	}
}

// A description that does not fit is an error before anything is written.
func TestDescriptionsThatDoNotFit(t *testing.T) {
	bare := tinyCheckpoint
	const limits = `"limits": {"min": [-1, -1, -2, -2], "max": [1, 1, 2, 2]}`
	for text, want := range map[string]string{
		`{}`:                           "limits",
		`{` + limits + `} {}`:          "more than one value",
		`{` + limits + `, "stepz": 3}`: "stepz",
		`{"limits": {"min": [1, 0, 0, 0], "max": [0, 1, 1, 1]}}`: "minimum below the maximum",
		`[`: "unexpected",
		`{` + limits + `, "network": {"width": 16, "dim_mults": [1, 2]}}`: "want [16 4 5]",
		`{` + limits + `, "schedule": {"steps": 7}}`:                      "",
	} {
		path := filepath.Join(t.TempDir(), "spec.json")
		put(t, path, []byte(text))
		spec, err := ReadSpec(path)
		if err == nil {
			_, err = Describe(bare, "", spec, weights.Options{SkipObjects: true})
		}
		var wrong *ModelError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want a ModelError that says %q", text, err, want)
		}
	}
}
