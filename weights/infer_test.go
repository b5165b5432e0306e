package weights_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-pcd/pcd/weights"
)

func TestInferGolden(t *testing.T) {
	temporal := &weights.TemporalUNet{StateDim: 4, UNetInputDim: 8, DimMults: []int{1, 2, 4}, KernelSize: 5, TimeDim: 32, Steps: 25}
	conditional := &weights.ConditionalUNet1D{InputDim: 2, GlobalCondDim: 40, StepEmbedDim: 16, DownDims: []int{8, 8, 16}, KernelSize: 5, CondPredictScale: true}
	for path, want := range map[string]weights.Architecture{
		"testdata/golden/temporal_unet_tiny.pth":              {Prefix: "model.", Temporal: temporal, Parameters: 76988},
		"testdata/golden/conditional_unet1d_tiny.pth":         {Conditional: conditional, Parameters: 35106},
		"testdata/golden/conditional_unet1d_tiny.safetensors": {Conditional: conditional, Parameters: 35106},
	} {
		got, err := weights.Infer(open(t, path))
		if err != nil || len(got) != 1 {
			t.Fatalf("Infer(%s) = %v, %v, want one network", path, got, err)
		}
		if diff := cmp.Diff(want, got[0]); diff != "" {
			t.Errorf("Infer(%s) (-want +got):\n%s", path, diff)
		}
	}
}

// empty returns tensors of the given layout without storing their numbers.
func empty(t *testing.T, prefix string, layout []weights.Spec) *weights.StateDict {
	t.Helper()
	var sd weights.StateDict
	for _, s := range layout {
		if err := sd.Add(weights.Tensor{Name: prefix + s.Name, Shape: s.Shape, DType: weights.F32}); err != nil {
			t.Fatal(err)
		}
	}
	return &sd
}

// The published configurations have published numbers of parameters, and every
// layout is recognised for what it is.
func TestInferPublishedSizes(t *testing.T) {
	for _, c := range []struct {
		mults               []int
		option, params, num int
	}{
		{[]int{1, 2, 4}, 0, 997124, 148},
		{[]int{1, 2, 4, 8}, 1, 3954052, 196},
		{[]int{1, 4}, -1, 0, 0},
	} {
		u := weights.TemporalUNet{StateDim: 4, UNetInputDim: 32, DimMults: c.mults, Option: c.option, KernelSize: 5, TimeDim: 32}
		got, err := weights.Infer(empty(t, "m.", u.Layout()))
		if err != nil || len(got) != 1 {
			t.Fatalf("Infer(%+v) = %v, %v", u, got, err)
		}
		if diff := cmp.Diff(&u, got[0].Temporal); diff != "" {
			t.Errorf("Infer (-want +got):\n%s", diff)
		}
		if c.params > 0 && (got[0].Parameters != c.params || len(u.Layout()) != c.num) {
			t.Errorf("%v: %d parameters in %d tensors, want %d in %d", c.mults, got[0].Parameters, len(u.Layout()), c.params, c.num)
		}
	}
	for _, scale := range []bool{true, false} {
		u := weights.ConditionalUNet1D{InputDim: 2, GlobalCondDim: 40, StepEmbedDim: 32, DownDims: []int{32, 64, 128}, KernelSize: 5, CondPredictScale: scale}
		got, err := weights.Infer(empty(t, "", u.Layout()))
		if err != nil || len(got) != 1 || cmp.Diff(&u, got[0].Conditional) != "" {
			t.Errorf("Infer(%+v) = %v, %v", u, got, err)
		}
	}
}

func TestConditionalLayout(t *testing.T) {
	var golden struct {
		Config struct {
			DownDims []int `json:"down_dims"`
		}
		Total   int `json:"total_parameters"`
		Tensors []weights.Spec
	}
	readJSON(t, "testdata/golden/conditional_unet1d_full.json", &golden)
	u := weights.ConditionalUNet1D{InputDim: 2, GlobalCondDim: 40, StepEmbedDim: 256, DownDims: golden.Config.DownDims, KernelSize: 5, CondPredictScale: true}
	index := map[string][]int{}
	for _, s := range golden.Tensors {
		index[s.Name] = s.Shape
	}
	if len(u.Layout()) != len(index) {
		t.Errorf("%d tensors, want %d", len(u.Layout()), len(index))
	}
	for _, s := range u.Layout() {
		if diff := cmp.Diff(index[s.Name], s.Shape); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.Name, diff)
		}
	}
	got, err := weights.Infer(empty(t, "state_dicts.ema_model.model.", golden.Tensors))
	if err != nil || len(got) != 1 || got[0].Parameters != golden.Total || cmp.Diff(&u, got[0].Conditional) != "" {
		t.Errorf("Infer = %v, %v; want %+v with %d parameters", got, err, u, golden.Total)
	}
}

func TestInferRefusesContradictions(t *testing.T) {
	temporal := weights.TemporalUNet{StateDim: 4, UNetInputDim: 8, DimMults: []int{1, 2, 4}, KernelSize: 5, TimeDim: 32}.Layout()
	conditional := weights.ConditionalUNet1D{InputDim: 2, GlobalCondDim: 4, StepEmbedDim: 8, DownDims: []int{8, 16}, KernelSize: 3}.Layout()
	for _, c := range []struct {
		name   string
		layout []weights.Spec
		change string
		shape  []int // nil: left out
		reason string
	}{
		{"missing tensor", temporal, "mid_block2.blocks.1.block.2.bias", nil, "missing"},
		{"odd width", temporal, "downs.1.0.blocks.0.block.0.weight", []int{15, 8, 5}, "no multiple"},
		{"one level", temporal, "downs.1.0.blocks.0.block.0.weight", nil, "1 levels"},
		{"flat head", temporal, "final_conv.1.weight", []int{4, 8}, "want 3 axes"},
		{"empty head", temporal, "final_conv.1.weight", []int{4, 0, 1}, "want 3 axes"},
		{"wrong shape", temporal, "ups.0.4.conv.weight", []int{16, 16, 3}, "want [16 16 4]"},
		{"small condition", conditional, "down_modules.0.0.cond_encoder.1.weight", []int{8, 7}, "fewer than"},
		{"wrong modulation", conditional, "mid_modules.0.cond_encoder.1.weight", []int{32, 12}, "want [16 12]"},
		{"no condition", conditional, "down_modules.0.0.cond_encoder.1.weight", nil, "missing"},
	} {
		var changed []weights.Spec
		for _, s := range c.layout {
			if s.Name == c.change {
				if s.Shape = c.shape; s.Shape == nil {
					continue
				}
			}
			changed = append(changed, s)
		}
		_, err := weights.Infer(empty(t, "model.", changed))
		var ae *weights.ArchitectureError
		if !errors.As(err, &ae) || ae.Prefix != "model." || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, want an ArchitectureError: %s", c.name, err, c.reason)
		}
	}
	if got, err := weights.Infer(open(t, "testdata/mixed.pth")); err != nil || len(got) != 0 {
		t.Errorf("Infer of other tensors = %v, %v, want none", got, err)
	}
}
