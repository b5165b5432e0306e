package nn

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/tensor"
)

// imageCases calls test for the reference cases whose names begin with prefix: those
// under testdata, and those of the folder that PCD_GOLDEN_IMAGES names, which has more
// and larger ones in the same form. A test without a case says that it is skipped.
func imageCases(t *testing.T, prefix string, test func(t *testing.T, c golden.Case)) {
	t.Helper()
	folders := []string{"testdata/images"}
	if more := os.Getenv("PCD_GOLDEN_IMAGES"); more != "" {
		folders = append(folders, more)
	}
	found := false
	for _, folder := range folders {
		for _, c := range golden.Cases(t, folder, func(name string) bool { return strings.HasPrefix(name, prefix) }) {
			found = true
			t.Run(c.Dir, func(t *testing.T) { test(t, c) })
		}
	}
	if !found {
		t.Skipf("no case %s here: set PCD_GOLDEN_IMAGES to a folder that has it", prefix)
	}
}

// readFile returns a file of a case.
func readFile(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// fillParams gives the parameters the values of a file, all of which must be used.
func fillParams(t *testing.T, n network, tensors map[string]golden.Array, ignore ...string) {
	t.Helper()
	used := len(ignore)
	for _, p := range n.Params() {
		v, ok := tensors[p.Name]
		if !ok || !slices.Equal(v.Shape, p.Shape) {
			t.Fatalf("tensor %s has shape %v, want %v", p.Name, v.Shape, p.Shape)
		}
		p.Data = slices.Clone(v.Data)
		used++
	}
	if used != len(tensors) {
		t.Fatalf("the file has %d tensors, the network %d", len(tensors), used)
	}
	n.Refresh()
}

// asBatch returns an array whose first axis counts samples.
func asBatch(t *testing.T, a golden.Array) tensor.Batch {
	t.Helper()
	return batchOf(t, a.Data, a.Shape[1:]...)
}

// portsOf returns the elements of batches, in the order of the ports.
func portsOf(batches ...tensor.Batch) (p [ports][]float32) {
	for i, b := range batches {
		p[i] = b.Data
	}
	return p
}

// checkActivations compares the named activations of a prediction with the tensors
// "out.act.<name>".
func checkActivations(t *testing.T, c golden.Case, e *engine, b bindings, io map[string]golden.Array) {
	t.Helper()
	s := newSession(e.prepare(key{observing, b.size}), 2)
	if err := s.run(t.Context(), 0, b); err != nil {
		t.Fatal(err)
	}
	w := s.workers[0]
	w.first, w.n = 0, b.samples
	stages := map[string]*signal{}
	for _, st := range s.plan.stages {
		stages[st.name] = st.signal
	}
	for name, want := range io {
		stage, ok := strings.CutPrefix(name, "out.act.")
		if !ok {
			continue
		}
		if stages[stage] == nil {
			t.Errorf("the network does not name the activation %s", stage)
			continue
		}
		c.Check(t, name, inOrder(&w.run, stages[stage], len(want.Shape) == 4), want)
	}
}

// inOrder returns the elements of a signal, channels first for images.
func inOrder(r *run, s *signal, channelsFirst bool) []float32 {
	x := r.all(s)
	if !channelsFirst {
		return x
	}
	out := make([]float32, 0, len(x))
	for i := range r.n {
		for c := range s.channels {
			for p := range s.length {
				out = append(out, x[i*s.size()+p*s.channels+c])
			}
		}
	}
	return out
}

// checkGradientsNamed compares the gradients of the parameters with the tensors
// "<prefix><name>".
func checkGradientsNamed(t *testing.T, c golden.Case, n network, prefix string, io map[string]golden.Array) {
	t.Helper()
	found := 0
	for _, p := range n.Params() {
		if want, ok := io[prefix+p.Name]; ok {
			c.Check(t, prefix+p.Name, p.Grad, want)
			found++
		}
	}
	for name := range io {
		if strings.HasPrefix(name, prefix) {
			found--
		}
	}
	if found != 0 {
		t.Errorf("%d gradients %s... belong to no parameter", -found, prefix)
	}
}
