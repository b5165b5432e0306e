package push

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/weights"
)

// save writes tensors as a file.
func save(t *testing.T, sd *weights.StateDict, meta map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := weights.WriteSafetensors(f, sd, meta); err != nil {
		t.Fatal(err)
	}
	return path
}

// tensorsOf returns the weights of a model under a prefix.
func tensorsOf(t *testing.T, m *Model, prefix string) *weights.StateDict {
	t.Helper()
	sd := &weights.StateDict{}
	for _, p := range m.Net.Params() {
		if err := sd.Add(weights.New(prefix+p.Name, p.Shape, p.Data)); err != nil {
			t.Fatal(err)
		}
	}
	return sd
}

func addNormalizer(t *testing.T, sd *weights.StateDict, name string, l dataset.Linear) {
	t.Helper()
	for _, a := range l.Arrays(publishedNormalizer + name) {
		if err := sd.Add(weights.New(a.Name, a.Shape, a.Data.([]float32))); err != nil {
			t.Fatal(err)
		}
	}
}

// samePolicy fails unless two models plan the same, bit for bit.
func samePolicy(t *testing.T, got, want *Model) {
	t.Helper()
	observations, src := goldenObservations(t)
	plan := func(m *Model) []float32 {
		p, err := NewPolicy(m, options(t, PCDDPPPS))
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Predict(t.Context(), observations, src)
		if err != nil {
			t.Fatal(err)
		}
		return append(out.Actions[0].Data, out.Actions[1].Data...)
	}
	if !slices.Equal(plan(got), plan(want)) {
		t.Error("the model plans something else after it was read")
	}
}

func TestModelRoundTrip(t *testing.T) {
	m := goldenModel(t)
	meta, err := m.Metadata()
	if err != nil {
		t.Fatal(err)
	}
	got, err := OpenModel(save(t, tensorsOf(t, m, ""), meta))
	if err != nil {
		t.Fatal(err)
	}
	samePolicy(t, got, m)
}

// A checkpoint of the published policy: the averaged weights, and the normaliser of
// the other ones.
func TestPublishedCheckpoint(t *testing.T) {
	m := goldenModel(t)
	sd := tensorsOf(t, m, publishedWeights)
	for _, p := range m.Net.Params() { // the weights that are not averaged
		if err := sd.Add(weights.New("state_dicts.model.model."+p.Name, p.Shape, make([]float32, len(p.Data)))); err != nil {
			t.Fatal(err)
		}
	}
	addNormalizer(t, sd, "obs.", m.Observation)
	path := save(t, sd, nil)
	var broken *ModelError
	var key *dataset.FormatError
	if _, err := OpenModel(path); !errors.As(err, &broken) || !errors.As(err, &key) {
		t.Errorf("a checkpoint without the normaliser of actions: %v", err)
	}
	addNormalizer(t, sd, "action.", m.Action)
	path = save(t, sd, nil)
	got, err := OpenModel(path)
	if err != nil {
		t.Fatal(err)
	}
	samePolicy(t, got, m)
	if got.Steps != PublishedSteps {
		t.Errorf("%d steps, want %d", got.Steps, PublishedSteps)
	}
}

// Files that are no policy are refused with a reason, also those that would run
// code if they were unpickled.
func TestModelsAreRefused(t *testing.T) {
	m := goldenModel(t)
	meta, err := m.Metadata()
	if err != nil {
		t.Fatal(err)
	}
	short := tensorsOf(t, m, "").Sub("down_modules.")
	for name, c := range map[string]struct{ path, reason string }{
		"no file":              {"testdata/absent.safetensors", "no such file"},
		"no description":       {save(t, tensorsOf(t, m, ""), nil), publishedWeights},
		"broken description":   {save(t, tensorsOf(t, m, ""), map[string]string{headerKey: "{"}), "description"},
		"no steps":             {save(t, tensorsOf(t, m, ""), map[string]string{headerKey: strings.Replace(meta[headerKey], `"steps":32`, `"steps":0`, 1)}), "want at least 1 step"},
		"other widths":         {save(t, tensorsOf(t, m, ""), map[string]string{headerKey: strings.Replace(meta[headerKey], "[32,64,128]", "[32,64,256]", 1)}), "do not fit"},
		"missing weights":      {save(t, short, meta), "do not fit"},
		"another checkpoint":   {"../../weights/testdata/checkpoint.ckpt", publishedWeights},
		"a module with code":   {"../../weights/testdata/module.pth", "torch.nn.modules.linear.Linear"},
		"a file that is not":   {"golden_test.go", "cannot be read"},
		"no action normaliser": {save(t, tensorsOf(t, m, ""), map[string]string{headerKey: `{"network":{"widths":[32]},"steps":32}`}), "normaliser"},
	} {
		_, err := OpenModel(c.path)
		var broken *ModelError
		if !errors.As(err, &broken) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, want a ModelError that says %q", name, err, c.reason)
		}
		if errors.Is(err, fs.ErrNotExist) != (name == "no file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
