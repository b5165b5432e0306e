package nn_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

func TestRecogniseGolden(t *testing.T) {
	temporal := &nn.TemporalUNetArchitecture{StateDim: 4, UNetInputDim: 8, DimMults: []int{1, 2, 4}, KernelSize: 5, TimeDim: 32, Steps: 25}
	conditional := &nn.ConditionalUNet1DArchitecture{InputDim: 2, GlobalCondDim: 40, StepEmbedDim: 16, DownDims: []int{8, 8, 16}, KernelSize: 5, CondPredictScale: true}
	for path, want := range map[string]nn.Architecture{
		"../weights/testdata/golden/temporal_unet_tiny.pth":              {Prefix: "model.", Temporal: temporal, Parameters: 76988},
		"../weights/testdata/golden/conditional_unet1d_tiny.pth":         {Conditional: conditional, Parameters: 35106},
		"../weights/testdata/golden/conditional_unet1d_tiny.safetensors": {Conditional: conditional, Parameters: 35106},
	} {
		got, err := nn.Recognise(open(t, path))
		if err != nil || len(got) != 1 {
			t.Fatalf("Recognise(%s) = %v, %v, want one network", path, got, err)
		}
		if !reflect.DeepEqual(got[0], want) {
			t.Errorf("Recognise(%s) = %+v, want %+v", path, got[0], want)
		}
	}
}

// The published classifier is known by its tensors, with the classes of its heads.
func TestRecogniseClassifier(t *testing.T) {
	got, err := nn.Recognise(open(t, "testdata/images/latent_classifier/weights.safetensors"))
	if err != nil || len(got) != 1 || got[0].Classifier == nil {
		t.Fatalf("Recognise = %+v, %v, want a classifier", got, err)
	}
	c := got[0].Classifier
	if c.InChannels != 4 || len(c.Heads) != 2 || c.Heads[0].Name != "age_group" || c.Heads[0].Classes[9] != "70-120" || c.Heads[1].Classes[0] != "male" {
		t.Errorf("recognised %+v", c)
	}
	net, err := nn.NewClassifier(*c)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, p := range net.Params() {
		count += p.Shape.Size()
	}
	if got[0].Parameters != count {
		t.Errorf("%d parameters, want %d", got[0].Parameters, count)
	}
}

// layout returns the names and shapes of the network with an architecture.
func layout(t *testing.T, architecture any) []weights.Spec {
	t.Helper()
	var specs []weights.Spec
	var err error
	switch a := architecture.(type) {
	case nn.TemporalUNetArchitecture:
		specs, err = a.Config(64, 8).Layout()
	case nn.ConditionalUNet1DArchitecture:
		specs, err = a.Config(64, 8).Layout()
	}
	if err != nil {
		t.Fatal(err)
	}
	return specs
}

// open opens a file of weights for the time of the test.
func open(t *testing.T, path string) *weights.StateDict {
	t.Helper()
	sd, err := weights.Open(path, weights.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sd.Close() })
	return sd
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		t.Fatal(err)
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
func TestRecognisePublishedSizes(t *testing.T) {
	for _, c := range []struct {
		mults               []int
		option, params, num int
	}{
		{[]int{1, 2, 4}, 0, 997124, 148},
		{[]int{1, 2, 4, 8}, 1, 3954052, 196},
		{[]int{1, 4}, -1, 0, 0},
	} {
		u := nn.TemporalUNetArchitecture{StateDim: 4, UNetInputDim: 32, DimMults: c.mults, Option: c.option, KernelSize: 5, TimeDim: 32}
		got, err := nn.Recognise(empty(t, "m.", layout(t, u)))
		if err != nil || len(got) != 1 {
			t.Fatalf("Recognise(%+v) = %v, %v", u, got, err)
		}
		if !reflect.DeepEqual(got[0].Temporal, &u) {
			t.Errorf("Recognise = %+v, want %+v", got[0].Temporal, u)
		}
		if c.params > 0 && (got[0].Parameters != c.params || len(layout(t, u)) != c.num) {
			t.Errorf("%v: %d parameters in %d tensors, want %d in %d", c.mults, got[0].Parameters, len(layout(t, u)), c.params, c.num)
		}
	}
	for _, scale := range []bool{true, false} {
		u := nn.ConditionalUNet1DArchitecture{InputDim: 2, GlobalCondDim: 40, StepEmbedDim: 32, DownDims: []int{32, 64, 128}, KernelSize: 5, CondPredictScale: scale}
		got, err := nn.Recognise(empty(t, "", layout(t, u)))
		if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0].Conditional, &u) {
			t.Errorf("Recognise(%+v) = %v, %v", u, got, err)
		}
	}
}

func TestRecogniseConditional(t *testing.T) {
	var golden struct {
		Config struct {
			DownDims []int `json:"down_dims"`
		}
		Total   int `json:"total_parameters"`
		Tensors []weights.Spec
	}
	readJSON(t, "../weights/testdata/golden/conditional_unet1d_full.json", &golden)
	u := nn.ConditionalUNet1DArchitecture{InputDim: 2, GlobalCondDim: 40, StepEmbedDim: 256, DownDims: golden.Config.DownDims, KernelSize: 5, CondPredictScale: true}
	index := map[string][]int{}
	for _, s := range golden.Tensors {
		index[s.Name] = s.Shape
	}
	if len(layout(t, u)) != len(index) {
		t.Errorf("%d tensors, want %d", len(layout(t, u)), len(index))
	}
	for _, s := range layout(t, u) {
		if !slices.Equal(s.Shape, index[s.Name]) {
			t.Errorf("%s has shape %v, want %v", s.Name, s.Shape, index[s.Name])
		}
	}
	got, err := nn.Recognise(empty(t, "state_dicts.ema_model.model.", golden.Tensors))
	if err != nil || len(got) != 1 || got[0].Parameters != golden.Total || !reflect.DeepEqual(got[0].Conditional, &u) {
		t.Errorf("Recognise = %v, %v; want %+v with %d parameters", got, err, u, golden.Total)
	}
}

func TestRecogniseRefusesContradictions(t *testing.T) {
	temporal := layout(t, nn.TemporalUNetArchitecture{StateDim: 4, UNetInputDim: 8, DimMults: []int{1, 2, 4}, KernelSize: 5, TimeDim: 32})
	conditional := layout(t, nn.ConditionalUNet1DArchitecture{InputDim: 2, GlobalCondDim: 4, StepEmbedDim: 8, DownDims: []int{8, 16}, KernelSize: 3})
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
		_, err := nn.Recognise(empty(t, "model.", changed))
		var ae *nn.ArchitectureError
		if !errors.As(err, &ae) || ae.Prefix != "model." || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, want an ArchitectureError: %s", c.name, err, c.reason)
		}
	}
	if got, err := nn.Recognise(open(t, "../weights/testdata/mixed.pth")); err != nil || len(got) != 0 {
		t.Errorf("Recognise of other tensors = %v, %v, want none", got, err)
	}
}

// What a network is made of agrees with what it says of itself beforehand.
func TestLayoutIsThatOfTheNetwork(t *testing.T) {
	for _, mults := range [][]int{{1, 2, 4}, {1, 1}} {
		config := nn.TemporalUNetConfig{Width: 8, DimMults: mults}
		n, err := nn.NewTemporalUNet(config)
		if err != nil {
			t.Fatal(err)
		}
		want, err := config.Layout()
		sameLayout(t, n.Params(), want, err)
	}
	for _, shift := range []bool{false, true} {
		config := nn.ConditionalUNet1DConfig{DownDims: []int{8, 16}, ShiftOnly: shift}
		n, err := nn.NewConditionalUNet1D(config)
		if err != nil {
			t.Fatal(err)
		}
		want, err := config.Layout()
		sameLayout(t, n.Params(), want, err)
	}
}

func sameLayout(t *testing.T, params []*nn.Param, want []weights.Spec, err error) {
	t.Helper()
	if err != nil || len(params) != len(want) {
		t.Fatalf("layout of %d tensors, %v, want %d", len(want), err, len(params))
	}
	for i, p := range params {
		if p.Name != want[i].Name || !p.Shape.Equal(want[i].Shape) {
			t.Errorf("parameter %d is %s %v, the layout says %+v", i, p.Name, p.Shape, want[i])
		}
	}
}

// Sizes that would exhaust memory are refused before anything is made, and laying a
// network out costs little whatever its size.
func TestHostileSizes(t *testing.T) {
	deep := make([]int, 70)
	for i := range deep {
		deep[i] = 1
	}
	for what, c := range map[string]nn.TemporalUNetConfig{
		"width":      {Width: 8000000000},
		"multiple":   {DimMults: []int{1, 1 << 40}},
		"overflow":   {Width: 1<<61 + 8, DimMults: []int{8, 8}},
		"levels":     {DimMults: deep},
		"horizon":    {Horizon: 1 << 40},
		"kernel":     {Kernel: 1<<31 + 1},
		"time":       {TimeDim: 1 << 40},
		"groups":     {Groups: 1 << 40},
		"state":      {StateDim: 1 << 40},
		"one level":  {DimMults: []int{1}},
		"zero level": {DimMults: []int{1, 0}},
	} {
		var refused *nn.ConfigError
		if _, err := nn.NewTemporalUNet(c); !errors.As(err, &refused) {
			t.Errorf("%s: NewTemporalUNet = %v, want a *nn.ConfigError", what, err)
		}
		if _, err := c.Layout(); !errors.As(err, &refused) {
			t.Errorf("%s: Layout = %v, want a *nn.ConfigError", what, err)
		}
	}
	large := nn.ConditionalUNet1DConfig{DownDims: []int{1 << 19, 1 << 20}, TimeDim: 1 << 18}
	specs, err := large.Layout() // 10^14 parameters
	if err != nil || len(specs) == 0 {
		t.Errorf("Layout of a large network = %v, %v", specs, err)
	}
}

func ExampleRecognise() {
	sd, err := weights.Open("../weights/testdata/golden/temporal_unet_tiny.pth", weights.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer sd.Close()
	found, err := nn.Recognise(sd)
	if err != nil {
		fmt.Println(err)
		return
	}
	u := found[0].Temporal
	fmt.Printf("%q: option %d, %d channels, %d steps, %d parameters\n", found[0].Prefix, u.Option, u.UNetInputDim, u.Steps, found[0].Parameters)
	// Output: "model.": option 0, 8 channels, 25 steps, 76988 parameters
}

// The limit of a network keeps its activations within 24 MiB, and falls with its size.
func TestLinearizeLimit(t *testing.T) {
	thorough.Test(t)
	last := 1 << 30
	for _, widths := range [][]int{{64, 128, 256}, {128, 256, 512}, {256, 512, 1024}} {
		n, err := nn.NewConditionalUNet1D(nn.ConditionalUNet1DConfig{DownDims: widths, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		limit := n.LinearizeLimit()
		if limit < 1 || limit >= last {
			t.Errorf("%v: %d samples, want fewer than %d", widths, limit, last)
		}
		perSample := (n.MemoryBound(nn.Linearize, 64*limit) - n.MemoryBound(nn.Linearize, 32*limit)) / (32 * limit)
		if kept := limit * perSample; kept > 26<<20 { // allocations are rounded up
			t.Errorf("%v: %d samples keep %d bytes", widths, limit, kept)
		}
		last = limit
	}
}
