package modelfile_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/weights"
)

// spec is the description of a small experiment.
type spec struct {
	Width int    `json:"width"`
	Name  string `json:"name"`
}

var errNameless = errors.New("the model has no name")

func (s spec) Check() error {
	if s.Name == "" {
		return errNameless
	}
	return nil
}

func (s spec) config() nn.TemporalUNetConfig {
	return nn.TemporalUNetConfig{Horizon: 8, StateDim: 2, Width: s.Width, DimMults: []int{1, 1}, TimeDim: 4, Workers: 1}
}

func (s spec) Layout() ([]weights.Spec, error) { return s.config().Layout() }

func (s spec) NewNetwork(int) (*nn.TemporalUNet, error) { return nn.NewTemporalUNet(s.config()) }

const key = "pcd.test"

// saved writes a model and returns its network and its path.
func saved(t *testing.T, s spec, as weights.DType) (*nn.TemporalUNet, string) {
	t.Helper()
	net, err := s.NewNetwork(1)
	if err != nil {
		t.Fatal(err)
	}
	net.Init(noise.New(3))
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := modelfile.Save(path, key, s, net.Params(), as); err != nil {
		t.Fatal(err)
	}
	return net, path
}

// open opens a model as an experiment does.
func open(path string) (s spec, net *nn.TemporalUNet, err error) {
	sd, err := modelfile.Open(path)
	if err != nil {
		return s, nil, err
	}
	defer sd.Close()
	if _, err := modelfile.Describe(path, sd, key, &s); err != nil {
		return s, nil, err
	}
	net, err = modelfile.Load(path, s, sd, nil)
	return s, net, err
}

// What is saved is opened again: bit for bit in full precision, rounded in half.
func TestRoundTrip(t *testing.T) {
	want := spec{Width: 8, Name: "tiny"}
	for _, as := range []weights.DType{weights.F32, weights.F16} {
		net, path := saved(t, want, as)
		s, got, err := open(path)
		if err != nil || s != want {
			t.Fatalf("%v: %+v, %v, want %+v", as, s, err, want)
		}
		for i, p := range net.Params() {
			for j, v := range p.Data {
				if d := got.Params()[i].Data[j] - v; d != 0 && (as == weights.F32 || d*d > v*v*0x1p-22) {
					t.Fatalf("%v: %s[%d] = %v, want %v", as, p.Name, j, got.Params()[i].Data[j], v)
				}
			}
		}
	}
}

// Files that are no model are refused with a reason and the cause.
func TestRefused(t *testing.T) {
	_, path := saved(t, spec{8, "tiny"}, weights.F32)
	with := func(description string) string {
		sd, err := modelfile.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer sd.Close()
		out := filepath.Join(t.TempDir(), "changed.safetensors")
		f, err := os.Create(out)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := weights.WriteSafetensors(f, sd, map[string]string{key: description}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	for what, c := range map[string]struct {
		path  string
		cause func(error) bool
	}{
		"absent":          {path + "x", func(err error) bool { return errors.Is(err, os.ErrNotExist) }},
		"no weights":      {"modelfile_test.go", as[*weights.FormatError]},
		"broken":          {with(`{`), func(err error) bool { return strings.Contains(err.Error(), "description") }},
		"other type":      {with(`{"width": "8"}`), func(err error) bool { return strings.Contains(err.Error(), "description") }},
		"refused":         {with(`{"width": 8}`), func(err error) bool { return errors.Is(err, errNameless) }},
		"another network": {with(`{"width": 16, "name": "x"}`), as[*weights.LoadError]},
		"hostile":         {with(`{"width": 8000000000, "name": "x"}`), as[*nn.ConfigError]},
		"large":           {with(`{"width": 524288, "name": "x"}`), as[*weights.LoadError]}, // 10^13 parameters
	} {
		_, _, err := open(c.path)
		var refused *modelfile.Error
		if !errors.As(err, &refused) || refused.Path != c.path || !c.cause(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func as[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// A number that half precision cannot hold is refused, and no file is left.
func TestSaveRefusesNumbersOutOfRange(t *testing.T) {
	net, err := spec{8, "x"}.NewNetwork(1)
	if err != nil {
		t.Fatal(err)
	}
	net.Params()[3].Data[0] = 1e6
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if err := modelfile.Save(path, key, spec{8, "x"}, net.Params(), weights.F16); err == nil || !strings.Contains(err.Error(), "1e+06, too large for float16") {
		t.Errorf("Save = %v, want what is too large", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was written")
	}
}

// A digest depends on the description and on every number, and not on the file.
func TestDigest(t *testing.T) {
	s := spec{8, "tiny"}
	net, path := saved(t, s, weights.F32)
	digest := func(s spec, net modelfile.Parameters) string {
		d, err := modelfile.Digest(s, net.Params())
		if err != nil || len(d) != 64 {
			t.Fatalf("Digest = %q, %v", d, err)
		}
		return d
	}
	want := digest(s, net)
	_, again, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := digest(s, again); got != want {
		t.Errorf("digest %s after a round trip, want %s", got, want)
	}
	if digest(spec{8, "other"}, net) == want {
		t.Error("another description has the same digest")
	}
	last := net.Params()[len(net.Params())-1].Data
	last[len(last)-1] += 1e-6
	if digest(s, net) == want {
		t.Error("another number has the same digest")
	}
}

func TestBundle(t *testing.T) {
	_, path := saved(t, spec{8, "tiny"}, weights.F16)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b := modelfile.Bundle{Files: fstest.MapFS{
		"models/a.safetensors": {Data: data}, "models/b.safetensors": {Data: data[:100]}, "models/README.md": {},
	}}
	if names := b.Names(); len(names) != 2 || names[0] != "a" {
		t.Errorf("names %q", names)
	}
	sd, err := b.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	defer sd.Close()
	if sd.Metadata[key] == "" {
		t.Error("no description")
	}
	if _, err := b.Open("b"); !as[*weights.FormatError](err) {
		t.Errorf("a truncated model: %v", err)
	}
	if _, err := b.Open("c\x1b"); !errors.Is(err, modelfile.ErrNoModel) || !strings.Contains(err.Error(), "those that do are a, b") || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("an unknown model: %q", err)
	}
}

func TestInspect(t *testing.T) {
	_, path := saved(t, spec{8, "tiny"}, weights.F32)
	s, err := modelfile.Inspect(path, weights.Options{})
	if err != nil || len(s.Architectures) != 1 || s.Architectures[0].Temporal == nil || s.Unrecognised != "" {
		t.Fatalf("Inspect = %+v, %v", s, err)
	}
	if u := s.Architectures[0].Temporal; u.StateDim != 2 || u.UNetInputDim != 8 || u.TimeDim != 4 {
		t.Errorf("recognised %+v", u)
	}
}

// A conditional network binds to an interface, and a condition of the wrong length is
// an error and no model.
func TestFromNN(t *testing.T) {
	n, err := nn.NewConditionalUNet1D(nn.ConditionalUNet1DConfig{ConditionDim: 3, DownDims: []int{8, 8}})
	if err != nil {
		t.Fatal(err)
	}
	n.Init(noise.New(1))
	c := modelfile.FromNN(n)
	m, err := c.Bind(tensor.New(2, 3))
	if err != nil {
		t.Fatal(err)
	}
	x := tensor.New(2, m.Shape()...)
	if err := m.Predict(context.Background(), tensor.New(2, m.Shape()...), x, 3); err != nil {
		t.Error(err)
	}
	if m, err := c.Bind(tensor.New(2, 4)); err == nil || m != nil {
		t.Errorf("Bind = %v, %v, want no model and an error", m, err)
	}
}

func ExampleSave() {
	s := spec{Width: 8, Name: "tiny"}
	net, err := s.NewNetwork(1)
	if err != nil {
		fmt.Println(err)
		return
	}
	net.Init(noise.New(1)) // or train it
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tiny.safetensors")
	if err := modelfile.Save(path, key, s, net.Params(), weights.F16); err != nil {
		fmt.Println(err)
		return
	}
	sd, err := modelfile.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer sd.Close()
	var read spec
	if _, err := modelfile.Describe(path, sd, key, &read); err != nil {
		fmt.Println(err)
		return
	}
	loaded, err := modelfile.Load(path, read, sd, nil)
	fmt.Println(read.Name, loaded.Shape(), err)
	// Output: tiny [8 2] <nil>
}
