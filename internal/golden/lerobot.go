package golden

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Policy is a folder of a published policy with what it gives, stage by stage.
type Policy struct {
	t          *testing.T
	Name       string
	Dir        string // of config.json and what lies beside it
	Archive    *Archive
	tolerances map[string]tolerance
}

type tolerance struct{ ATol, RTol float64 }

// Policies calls test for the policies of a folder, and for those of the folder that
// PCD_GOLDEN_LEROBOT names, which has others in the same form.
func Policies(t *testing.T, folder string, test func(t *testing.T, p *Policy)) {
	t.Helper()
	folders := []string{folder}
	if more := os.Getenv("PCD_GOLDEN_LEROBOT"); more != "" {
		folders = append(folders, more)
	}
	for _, f := range folders {
		all := policyCases(t, f)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if _, err := os.Stat(filepath.Join(f, name, "config.json")); err != nil {
				continue
			}
			t.Run(name, func(t *testing.T) {
				test(t, &Policy{t, name, filepath.Join(f, name), Open(t, filepath.Join(f, name, "io.npz")), all[name]})
			})
		}
	}
}

// OpenPolicy returns a folder of arrays beside the policies.
func OpenPolicy(t *testing.T, folder, name string) *Policy {
	t.Helper()
	dir := filepath.Join(folder, name)
	return &Policy{t, name, dir, Open(t, dir+"/io.npz"), policyCases(t, folder)[name]}
}

// policyCases returns the tolerances of all arrays by the folder that they lie in.
func policyCases(t *testing.T, folder string) map[string]map[string]tolerance {
	t.Helper()
	raw, err := os.ReadFile(folder + "/index.json")
	if err != nil {
		t.Fatal(err)
	}
	var index struct {
		Cases []struct {
			ID        string
			Tolerance map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &index); err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]tolerance{}
	for _, c := range index.Cases {
		dir, _, _ := strings.Cut(c.ID, ".")
		if out[dir] == nil {
			out[dir] = map[string]tolerance{}
		}
		for name, raw := range c.Tolerance {
			var tol tolerance
			if json.Unmarshal(raw, &tol) == nil { // those of pictures are a number
				out[dir][name] = tol
			}
		}
	}
	return out
}

// Has reports whether the folder has an array.
func (p *Policy) Has(name string) bool { return slices.Contains(p.Archive.Names(), name) }

// Check compares numbers with a part of an array at its tolerance: count of them from the
// given one on, or all for count 0.
func (p *Policy) Check(t *testing.T, name string, got []float32, from, count int) {
	t.Helper()
	tol, ok := p.tolerances[name]
	if !ok {
		t.Errorf("%s: %s has no tolerance in the index", p.Name, name)
		return
	}
	want := p.Archive.Float32(name)
	if count > 0 {
		want = want[from : from+count]
	}
	Close(t, p.Name+": "+name, got, want, tol.ATol, tol.RTol)
}

// recipe says how the tensors of a policy are made that no file holds.
type recipe struct {
	File    string
	Bytes   int
	SHA256  string
	Seed    uint64
	Tensors []struct {
		Name, DType, Kind, Key string
		Shape                  []int
		Values                 []float32
		H, W                   int
	}
}

// Weights returns the tensors of the policy's model, from its file or its recipe.
func (p *Policy) Weights() map[string]Array {
	p.t.Helper()
	if _, err := os.Stat(p.Dir + "/model.safetensors"); err == nil {
		return Safetensors(p.t, p.Dir+"/model.safetensors")
	}
	raw, err := os.ReadFile(p.Dir + "/model.recipe.json")
	if err != nil {
		p.t.Fatal(err)
	}
	var r recipe
	if err := json.Unmarshal(raw, &r); err != nil {
		p.t.Fatal(err)
	}
	out := map[string]Array{}
	for _, e := range r.Tensors {
		a := Array{Shape: e.Shape, Data: e.Values}
		switch {
		case e.Kind == "formula":
			a.Data = weightsOf(Seeded(e.Key, r.Seed), e.Key, 1, e.Shape...)
		case e.Kind == "grid":
			a.Data = places(e.H, e.W)
		case e.DType == "I64":
			a.Data = make([]float32, len(e.Values))
			copy(a.Data, e.Values)
		}
		out[e.Name] = a
	}
	return out
}

// places are x and y of the pixels of an image between -1 and 1.
func places(h, w int) (out []float32) {
	at := func(i, n int) float32 {
		if n == 1 {
			return -1
		}
		return float32(-1 + 2*float64(i)/float64(n-1))
	}
	for y := range h {
		for x := range w {
			out = append(out, at(x, w), at(y, h))
		}
	}
	return out
}

// Folder returns a folder of the policy with all that its publisher writes: its own where
// the weights are there, else a copy with the weights that its recipe makes.
func (p *Policy) Folder() string {
	p.t.Helper()
	if _, err := os.Stat(p.Dir + "/model.safetensors"); err == nil {
		return p.Dir
	}
	dir := p.t.TempDir()
	files, err := filepath.Glob(p.Dir + "/*")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err == nil && !strings.HasSuffix(f, ".npz") && !strings.HasSuffix(f, ".recipe.json") {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(f)), raw, 0o644)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
	WriteSafetensors(p.t, dir+"/model.safetensors", p.Weights())
	return dir
}

// WriteSafetensors writes float32 tensors to a file, by name.
func WriteSafetensors(t testing.TB, path string, tensors map[string]Array) {
	t.Helper()
	size := 0
	for _, a := range tensors {
		size += 4 * len(a.Data)
	}
	header, body := []byte(nil), make([]byte, 0, size)
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		a := tensors[name]
		shape, err := json.Marshal(append([]int{}, a.Shape...))
		if err != nil {
			t.Fatal(err)
		}
		header = fmt.Appendf(header, `,%q:{"dtype":"F32","shape":%s,"data_offsets":[%d,%d]}`, name, shape, len(body), len(body)+4*len(a.Data))
		for _, v := range a.Data {
			body = binary.LittleEndian.AppendUint32(body, math.Float32bits(v))
		}
	}
	header = append([]byte(`{"__metadata__":{"format":"pt"}`), append(header, '}')...)
	for len(header)%8 != 0 {
		header = append(header, ' ')
	}
	all := binary.LittleEndian.AppendUint64(make([]byte, 0, 8+len(header)+size), uint64(len(header)))
	if err := os.WriteFile(path, append(append(all, header...), body...), 0o644); err != nil {
		t.Fatal(err)
	}
}
