package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/weights"
)

// described writes a file with a description and the tensors of a network, which may be
// none.
func described(t testing.TB, description string, layout []weights.Spec) string {
	t.Helper()
	var sd weights.StateDict
	for _, s := range layout {
		n := 1
		for _, d := range s.Shape {
			n *= d
		}
		if err := sd.Add(weights.New(s.Name, s.Shape, make([]float32, n))); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := weights.WriteSafetensors(&b, &sd, map[string]string{headerKey: description}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// tiny is a description whose network has 3 kB of weights.
func tiny() Spec {
	return Spec{
		Network:  Network{Horizon: 8, Width: 8, DimMults: []int{1, 1}},
		Schedule: PublishedSchedule,
		Limits:   dataset.Limits{Min: []float32{-1, -1, -1, -1}, Max: []float32{1, 1, 1, 1}},
	}
}

// A description decides about no memory before it has been compared with the tensors:
// whatever sizes it names, opening the file fails, or succeeds, in memory that the file
// bounds.
func TestDescriptionsAreComparedFirst(t *testing.T) {
	layout, err := tiny().Layout()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(tiny())
	if err != nil {
		t.Fatal(err)
	}
	seventy := strings.Repeat("1,", 69) + "1"
	for _, c := range []struct{ what, old, new string }{
		{"width", `"width":8`, `"width":8000000000`},
		{"width that fits an int32", `"width":8`, `"width":1048576`},
		{"no width", `"width":8`, `"width":0`},
		{"negative width", `"width":8`, `"width":-8`},
		{"steps", `"steps":25`, `"steps":1000000000`},
		{"no steps", `"steps":25`, `"steps":0`},
		{"horizon", `"horizon":8`, `"horizon":1048576`},
		{"no horizon", `"horizon":8`, `"horizon":0`},
		{"odd horizon", `"horizon":8`, `"horizon":9`},
		{"seventy levels", `[1,1]`, `[` + seventy + `]`},
		{"no levels", `[1,1]`, `[]`},
		{"multiples", `[1,1]`, `[1,4611686018427387904]`},
		{"overflow", `"width":8,"dim_mults":[1,1]`, `"width":2305843009213693960,"dim_mults":[8,8]`},
		{"start", `"start":0.0001`, `"start":1e308`},
		{"limits", `"min":[-1,-1,-1,-1]`, `"min":[]`},
		{"a megabyte of levels", `[1,1]`, `[` + strings.Repeat("1,", 1<<20) + `1]`},
		{"number too large", `"width":8`, `"width":1e300`},
	} {
		description := strings.Replace(string(text), c.old, c.new, 1)
		if description == string(text) {
			t.Fatalf("%s: %q is not in %s", c.what, c.old, text)
		}
		for _, tensors := range [][]weights.Spec{nil, layout} {
			path := described(t, description, tensors)
			var err error
			used := allocated(func() { _, err = OpenModel(path) })
			var refused *ModelError
			if !errors.As(err, &refused) || len(err.Error()) > 4000 {
				t.Errorf("%s with %d tensors: %v, want a *ModelError", c.what, len(tensors), err)
			}
			if used > 16<<20 {
				t.Errorf("%s with %d tensors takes %d bytes", c.what, len(tensors), used)
			}
		}
	}
	if _, err := OpenModel(described(t, string(text), layout)); err != nil {
		t.Errorf("the description that the others are made from: %v", err)
	}
}

// allocated returns the bytes that a function allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// FuzzDescription opens files with the tensors of a network and any description.
func FuzzDescription(f *testing.F) {
	layout, err := tiny().Layout()
	if err != nil {
		f.Fatal(err)
	}
	text, err := json.Marshal(tiny())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(strings.Replace(string(text), `"width":8`, `"width":8000000000`, 1))
	f.Add(strings.Replace(string(text), `[1,1]`, `[1,1,1,1,1,1,1,1]`, 1))
	f.Fuzz(func(t *testing.T, description string) {
		var sd weights.StateDict
		for _, s := range layout {
			if err := sd.Add(weights.Tensor{Name: s.Name, Shape: s.Shape, DType: weights.F32}); err != nil {
				t.Fatal(err)
			}
		}
		sd.Metadata = map[string]string{headerKey: description}
		m, err := fromStateDict("fuzz", &sd)
		var refused *ModelError
		if m != nil || !errors.As(err, &refused) { // the tensors have no elements
			t.Fatalf("%q: %v, %v", description, m, err)
		}
	})
}
