package weights_test

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/weights"
)

func target(name string, shape ...int) weights.Target {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return weights.Target{Name: name, Shape: shape, Data: make([]float32, n)}
}

func dict(t *testing.T, tensors ...weights.Tensor) *weights.StateDict {
	t.Helper()
	var sd weights.StateDict
	if err := sd.Add(tensors...); err != nil {
		t.Fatal(err)
	}
	return &sd
}

func TestLoad(t *testing.T) {
	sd := dict(t, weights.New("model.w", []int{2, 1}, []float32{3, 4}), weights.New("model.b", []int{1}, []float32{5}), weights.New("betas", []int{1}, []float32{6}))
	dst := []weights.Target{target("b", 1), target("w", 2, 1)}
	keys := weights.KeyMap{weights.Drop("betas"), weights.StripPrefix("model.")}
	if err := weights.Load(dst, sd, weights.LoadOptions{Keys: keys}); err != nil {
		t.Fatal(err)
	}
	if dst[0].Data[0] != 5 || !slices.Equal(dst[1].Data, []float32{3, 4}) {
		t.Errorf("loaded %v", dst)
	}
}

// All that does not fit is listed at once, and nothing is written.
func TestLoadListsEverything(t *testing.T) {
	nan := float32(math.NaN())
	sd := open(t, "testdata/mixed.pth")
	dst := []weights.Target{target("float32", 3, 4), target("absent", 7), target("float16", 4, 3), target("int64", 3)}
	err := weights.Load(dst, sd, weights.LoadOptions{Keys: weights.KeyMap{
		weights.Rename("float32", "float32"), weights.Rule{From: "float", To: "float"}, weights.Rename("int64", "int64"),
		weights.Rule{From: "shared.", To: "tied."}, weights.DropOthers(),
	}})
	want := &weights.LoadError{
		Missing:     []weights.Spec{{Name: "absent", Shape: []int{7}}},
		Unexpected:  []weights.Spec{{Name: "float64", Shape: []int{3, 4}}, {Name: "tied.a", Shape: []int{3, 4}}, {Name: "tied.b", Shape: []int{4}}},
		Mismatched:  []weights.Mismatch{{Name: "float16", Want: []int{4, 3}, Got: []int{3, 4}}},
		Unsupported: []weights.DTypeError{{Tensor: "int64", DType: weights.I64, Want: "float16, bfloat16, float32 or float64"}},
	}
	var got *weights.LoadError
	if !errors.As(err, &got) {
		t.Fatalf("Load = %v, want a LoadError", err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Load = %#v, want %#v", got, want)
	}
	for _, line := range []string{"missing absent [7]", "unexpected tied.b [4]", "float16 is [3 4], want [4 3]", "int64 has type int64"} {
		if !strings.Contains(err.Error(), line) {
			t.Errorf("message %q lacks %q", err, line)
		}
	}
	if slices.ContainsFunc(dst[0].Data, func(v float32) bool { return v != 0 }) {
		t.Error("a refused load wrote to its targets")
	}

	bad := dict(t, weights.New("ok", []int{1}, []float32{1}), weights.New("bad", []int{3}, []float32{1, nan, float32(math.Inf(-1))}))
	dst = []weights.Target{target("ok", 1), target("bad", 3)}
	err = weights.Load(dst, bad, weights.LoadOptions{})
	if !errors.As(err, &got) || !slices.Equal(got.NonFinite, []weights.NonFinite{{Name: "bad", Count: 2}}) || dst[0].Data[0] != 0 {
		t.Errorf("Load of NaN = %v, targets %v; want two values of bad named and nothing written", err, dst)
	}
	if err := weights.Load(dst, bad, weights.LoadOptions{AllowNonFinite: true}); err != nil || dst[0].Data[0] != 1 {
		t.Errorf("Load with AllowNonFinite = %v", err)
	}
}

func TestLoadOptionsRelax(t *testing.T) {
	sd := dict(t, weights.New("a", []int{1}, []float32{1}), weights.New("c", []int{1}, []float32{2}))
	dst := []weights.Target{target("a", 1), target("b", 1)}
	dst[1].Data[0] = 9
	for _, o := range []weights.LoadOptions{{}, {AllowMissing: true}, {AllowUnexpected: true}} {
		if err := weights.Load(dst, sd, o); err == nil {
			t.Errorf("Load(%+v) = nil, want an error", o)
		}
	}
	if err := weights.Load(dst, sd, weights.LoadOptions{AllowMissing: true, AllowUnexpected: true}); err != nil || dst[0].Data[0] != 1 || dst[1].Data[0] != 9 {
		t.Errorf("Load = %v, targets %v", err, dst)
	}
	var ne *weights.NameError
	if err := weights.Load([]weights.Target{dst[0], dst[0]}, sd, weights.LoadOptions{}); !errors.As(err, &ne) {
		t.Errorf("Load into one name twice = %v, want a NameError", err)
	}
	if err := weights.Load(dst, sd, weights.LoadOptions{Keys: weights.KeyMap{weights.Rename("c", "a")}}); !errors.As(err, &ne) {
		t.Errorf("Load of two tensors of one name = %v, want a NameError", err)
	}
}

func BenchmarkLoad(b *testing.B) {
	const n = 1 << 22
	var sd weights.StateDict
	if err := sd.Add(weights.New("w", []int{n}, make([]float32, n))); err != nil {
		b.Fatal(err)
	}
	dst := []weights.Target{target("w", n)}
	b.SetBytes(4 * n)
	for b.Loop() {
		if err := weights.Load(dst, &sd, weights.LoadOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestLoadTooLargeForFloat32(t *testing.T) {
	data := file(`{"x":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}}`, 8)
	data = binary.LittleEndian.AppendUint64(data, math.Float64bits(1e39))
	sd, err := weights.Parse(data, weights.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var le *weights.LoadError
	if err := weights.Load([]weights.Target{target("x", 2)}, sd, weights.LoadOptions{}); !errors.As(err, &le) || len(le.NonFinite) != 1 || le.NonFinite[0].Count != 1 {
		t.Errorf("Load of 1e39 = %v, want one value that is not finite", err)
	}
}

func TestFloat64IsRounded(t *testing.T) {
	sd := open(t, "testdata/mixed.pth")
	x, _ := sd.Tensor("float64")
	if got, err := x.Float32s(nil); err != nil || got[1] != float32(1.0/3) {
		t.Errorf("float64 as float32 = %v, %v, want the nearest float32", got, err)
	}
}

func TestKeyMap(t *testing.T) {
	m := weights.KeyMap{weights.Rename("model.a", "x"), weights.StripPrefix("model."), weights.Drop("opt."), weights.Rule{From: "e.", To: "f.g."}}
	for name, want := range map[string]string{"model.a": "x", "model.ab": "ab", "e.1": "f.g.1", "z": "z"} {
		if got, keep := m.Apply(name); got != want || !keep {
			t.Errorf("Apply(%q) = %q, %v, want %q", name, got, keep, want)
		}
	}
	if _, keep := m.Apply("opt.1"); keep {
		t.Error("opt.1 is kept")
	}
}
