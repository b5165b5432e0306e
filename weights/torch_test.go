package weights_test

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/torchfile"
	"github.com/go-pcd/pcd/weights"
)

// base is the tensor torch.arange(12).reshape(3, 4) that mixed.pth is made from.
func base(f func(float64) float64) []float32 {
	out := make([]float32, 12)
	for i := range out {
		out[i] = float32(f(float64(i)))
	}
	return out
}

func TestPyTorchElementTypes(t *testing.T) {
	sd := open(t, "testdata/mixed.pth")
	same := func(x float64) float64 { return x }
	quarter := func(x float64) float64 { return (x - 5) / 4 }
	for _, c := range []struct {
		name  string
		dtype weights.DType
		shape []int
		want  []float32
	}{
		{"float32", weights.F32, []int{3, 4}, base(func(x float64) float64 { return x / 8 })},
		{"float64", weights.F64, []int{3, 4}, base(func(x float64) float64 { return x / 3 })},
		{"float16", weights.F16, []int{3, 4}, base(quarter)},
		{"bfloat16", weights.BF16, []int{3, 4}, base(quarter)},
		{"transposed", weights.F32, []int{4, 3}, []float32{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}},
		{"strided", weights.F32, []int{2, 2}, []float32{4, 6, 8, 10}},
		{"shared.a", weights.F32, []int{3, 4}, base(same)},
		{"shared.b", weights.F32, []int{4}, []float32{4, 5, 6, 7}},
		{"scalar", weights.F32, []int{}, []float32{2.5}},
		{"empty", weights.F32, []int{0}, []float32{}},
		{"parameter", weights.F32, []int{2, 4}, base(same)[:8]},
	} {
		x, ok := sd.Tensor(c.name)
		if !ok {
			t.Errorf("%s is missing", c.name)
			continue
		}
		got, err := x.Float32s(nil)
		if err != nil || x.DType != c.dtype || !slices.Equal(x.Shape, c.shape) || !slices.Equal(got, c.want) {
			t.Errorf("%s = %v %v %v, %v; want %v %v %v", c.name, x.DType, x.Shape, got, err, c.dtype, c.shape, c.want)
		}
	}
	for _, c := range []struct {
		name  string
		dtype weights.DType
		want  []int64
	}{
		{"int64", weights.I64, []int64{-1 << 40, 0, 1 << 40}},
		{"int32", weights.I32, []int64{-7, 7}},
		{"int16", weights.I16, []int64{-7, 7}},
		{"int8", weights.I8, []int64{-7, 7}},
		{"uint8", weights.U8, []int64{0, 255}},
		{"bool", weights.Bool, []int64{1, 0, 1}},
	} {
		x, _ := sd.Tensor(c.name)
		got, err := x.Int64s(nil)
		if err != nil || x.DType != c.dtype || !slices.Equal(got, c.want) {
			t.Errorf("%s = %v %v, %v; want %v %v", c.name, x.DType, got, err, c.dtype, c.want)
		}
		var de *weights.DTypeError
		if _, err := x.Float32s(nil); !errors.As(err, &de) || de.Tensor != c.name {
			t.Errorf("%s as float32: %v, want a DTypeError", c.name, err)
		}
	}
	f, _ := sd.Tensor("float32")
	if _, err := f.Int64s(nil); err == nil {
		t.Error("float32 as integers: no error")
	}
}

// A checkpoint of Diffusion Policy, written with dill, holds a configuration
// object and pickled functions beside the tensors.
func TestTrainingCheckpoint(t *testing.T) {
	sd := open(t, "testdata/checkpoint.ckpt")
	var names []string
	for _, x := range sd.Tensors() {
		names = append(names, x.Name)
	}
	want := []string{
		"state_dicts.model.model.weight", "state_dicts.model.normalizer.params_dict.action.scale", "state_dicts.model._dummy_variable",
		"state_dicts.ema_model.model.weight", "state_dicts.ema_model.normalizer.params_dict.action.scale", "state_dicts.ema_model._dummy_variable",
		"state_dicts.optimizer.state.0.step", "state_dicts.optimizer.state.0.exp_avg",
	}
	if !slices.Equal(names, want) {
		t.Errorf("tensors %q, want %q", names, want)
	}
	if !slices.Contains(sd.Skipped, "omegaconf.dictconfig.DictConfig") || !slices.Contains(sd.Skipped, "dill._dill._load_type") {
		t.Errorf("skipped %q, want the configuration object and dill's function among them", sd.Skipped)
	}
	x, ok := sd.Sub("state_dicts.ema_model.").Tensor("model.weight")
	if !ok {
		t.Fatal("ema_model has no model.weight")
	}
	v, err := x.Float32s(nil)
	if err != nil || v[0] != 2 || v[11] != 13 {
		t.Errorf("ema_model's weight = %v, %v, want 2..13", v, err)
	}
}

func TestRefusedFiles(t *testing.T) {
	_, err := weights.Open("testdata/module.pth", weights.Options{})
	var ge *torchfile.GlobalError
	if !errors.As(err, &ge) || ge.Names[0] != "torch.nn.modules.linear.Linear" || !strings.Contains(err.Error(), "module.pth") {
		t.Errorf("a pickled module: %v, want a GlobalError that names its class and the file", err)
	}
	if sd, err := weights.Open("testdata/module.pth", weights.Options{SkipObjects: true}); err != nil || sd.Len() != 0 {
		t.Errorf("a pickled module with objects skipped: %v, %v; want no tensors", sd, err)
	}
	for path, want := range map[string]string{"testdata/expanded.pth": "PyTorch", "testdata/make.py": "unknown format"} {
		_, err := weights.Open(path, weights.Options{})
		var fe *weights.FormatError
		if !errors.As(err, &fe) || fe.Format != want || fe.Path != path {
			t.Errorf("%s: %v, want a FormatError for %v", path, err, want)
		}
	}
	for text, want := range map[string]string{
		"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 3438167540\n": "git lfs pull", "\n<!DOCTYPE html>\n<html>": "page of the web", "": "is empty", "\x01": "begins with 01",
	} {
		if _, err := weights.Parse([]byte(text), weights.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error that says %q", text, err, want)
		}
	}
	if _, err := weights.Open("testdata/absent.pth", weights.Options{}); err == nil {
		t.Error("an absent file opens")
	}
	if _, err := weights.Open("testdata", weights.Options{}); err == nil {
		t.Error("a folder opens")
	}
}

// A file of before version 1.6 holds torch.arange(12).reshape(3, 4).
func TestLegacyFile(t *testing.T) {
	sd := open(t, "testdata/legacy.pth")
	if sd.Format != "PyTorch before 1.6" || sd.Len() != 1 {
		t.Fatalf("%v with %d tensors", sd.Format, sd.Len())
	}
	x, _ := sd.Tensor("w")
	got, err := x.Float32s(nil)
	if want := base(func(x float64) float64 { return x }); err != nil || !slices.Equal(x.Shape, []int{3, 4}) || !slices.Equal(got, want) {
		t.Errorf("w = %v %v, %v, want %v", x.Shape, got, err, want)
	}
	data, err := os.ReadFile("testdata/legacy.pth")
	if err != nil {
		t.Fatal(err)
	}
	for n := range data { // every truncation
		var fe *weights.FormatError
		if _, err := weights.Parse(data[:n], weights.Options{}); !errors.As(err, &fe) {
			t.Fatalf("the first %d bytes: %v, want a *weights.FormatError", n, err)
		}
	}
	if _, err := weights.Parse(append(data, 0), weights.Options{}); err == nil {
		t.Error("a byte too many: no error")
	}
}

func TestClosedFile(t *testing.T) {
	sd, err := weights.Open("testdata/mixed.pth", weights.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, _ := sd.Tensor("float32")
	for range 2 {
		if err := sd.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := x.Float32s(nil); !errors.Is(err, weights.ErrClosed) {
		t.Errorf("Float32s after Close = %v, want ErrClosed", err)
	}
	if err := new(weights.StateDict).Close(); err != nil {
		t.Errorf("Close of an empty collection: %v", err)
	}
}

func TestNewTensor(t *testing.T) {
	v := []float32{1, float32(math.Inf(1)), -3}
	x := weights.New("x", []int{3}, v)
	v[0] = 9
	if got, err := x.Float32s(make([]float32, 3)); err != nil || got[0] != 1 || got[2] != -3 {
		t.Errorf("New = %v, %v; want a copy", got, err)
	}
	if _, err := (weights.Tensor{Name: "x", Shape: []int{3}, DType: weights.F32}).Float32s(nil); err == nil {
		t.Error("a tensor without elements: no error")
	}
	defer func() {
		if recover() == nil {
			t.Error("three values for shape [2]: no panic")
		}
	}()
	weights.New("x", []int{2}, v)
}
