package weights_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/weights"
)

func TestSummarize(t *testing.T) {
	s, err := weights.Summarize("testdata/mixed.pth", weights.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Format != "PyTorch" || s.FileBytes != 4064 || len(s.Tensors) != 17 || s.NaN != 0 {
		t.Errorf("summary = %+v", s)
	}
	first := s.Tensors[0]
	if first.Name != "float32" || first.Bytes != 48 || *first.Stats != (weights.Stats{Min: 0, Max: 11.0 / 8, Mean: 5.5 / 8, Finite: 12}) {
		t.Errorf("first tensor = %+v %+v", first, first.Stats)
	}
	if _, err := json.Marshal(s); err != nil {
		t.Errorf("summary as JSON: %v", err)
	}
}

func TestStats(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		values []float32
		want   weights.Stats
	}{
		{[]float32{1, nan, -3, inf, -inf, nan}, weights.Stats{Min: -3, Max: 1, Mean: -1, Finite: 2, NaN: 2, Inf: 2}},
		{[]float32{nan}, weights.Stats{NaN: 1}},
		{nil, weights.Stats{}},
		{[]float32{math.MaxFloat32, math.MaxFloat32}, weights.Stats{Min: math.MaxFloat32, Max: math.MaxFloat32, Mean: math.MaxFloat32, Finite: 2}},
	} {
		if got, err := weights.New("x", []int{len(c.values)}, c.values).Stats(); err != nil || got != c.want {
			t.Errorf("Stats(%v) = %+v, %v, want %+v", c.values, got, err, c.want)
		}
	}
}

func TestConvert(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.safetensors")
	c, err := weights.Convert("testdata/golden/conditional_unet1d_tiny.pth", out, weights.ConvertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, want := open(t, out), open(t, "testdata/golden/conditional_unet1d_tiny.safetensors")
	compare(t, "converted", got, want)
	if info, err := os.Stat(out); err != nil || info.Size() != c.Bytes || c.Tensors != 146 || c.From != "PyTorch" {
		t.Errorf("conversion = %+v, %v", c, err)
	}
}

func TestConvertRenamesAndCasts(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.safetensors")
	opts := weights.ConvertOptions{
		Keys:  weights.KeyMap{weights.Drop("int"), weights.Rule{From: "shared.", To: "s."}},
		DType: weights.F16, Meta: map[string]string{"source": "mixed"},
	}
	c, err := weights.Convert("testdata/mixed.pth", out, opts)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Dropped, []string{"int64", "int32", "int16", "int8"}) {
		t.Errorf("dropped %q", c.Dropped)
	}
	sd := open(t, out)
	x, _ := sd.Tensor("s.b")
	if v, err := x.Float32s(nil); err != nil || x.DType != weights.F16 || !slices.Equal(v, []float32{4, 5, 6, 7}) {
		t.Errorf("s.b = %v %v, %v", x.DType, v, err)
	}
	if x, _ := sd.Tensor("bool"); x.DType != weights.Bool || sd.Metadata["source"] != "mixed" {
		t.Errorf("bool has type %v, metadata %v", x.DType, sd.Metadata)
	}
}

// A conversion that fails leaves no file behind.
func TestConvertFailures(t *testing.T) {
	dir := t.TempDir()
	big := filepath.Join(dir, "big.safetensors")
	f, err := os.Create(big)
	if err != nil {
		t.Fatal(err)
	}
	if err := weights.WriteSafetensors(f, dict(t, weights.New("x", []int{1}, []float32{1e6})), nil); err != nil {
		t.Fatal(err)
	}
	f.Close()
	out := filepath.Join(dir, "out.safetensors")
	var re *weights.RangeError
	for _, c := range []struct {
		in, out string
		opts    weights.ConvertOptions
	}{
		{big, out, weights.ConvertOptions{DType: weights.F16}},
		{big, out, weights.ConvertOptions{DType: weights.I64}},
		{"testdata/module.pth", out, weights.ConvertOptions{}},
		{big, filepath.Join(dir, "out.pth"), weights.ConvertOptions{}},
		{big, filepath.Join(dir, "no", "out.safetensors"), weights.ConvertOptions{}},
	} {
		if _, err := weights.Convert(c.in, c.out, c.opts); err == nil {
			t.Errorf("Convert(%s, %s, %+v) = nil, want an error", c.in, c.out, c.opts)
		}
	}
	_, err = weights.Convert(big, out, weights.ConvertOptions{DType: weights.F16})
	if !errors.As(err, &re) || re.Tensor != "x" {
		t.Errorf("1e6 as float16: %v, want a RangeError that names the tensor", err)
	}
	left, _ := os.ReadDir(dir)
	if len(left) != 1 {
		t.Errorf("files left: %v, want the input only", left)
	}
}
