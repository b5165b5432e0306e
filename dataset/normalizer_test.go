package dataset_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/tensor"
)

// like returns a batch of samples with the given shape and the values of data.
func like(t testing.TB, data []float32, shape ...int) tensor.Batch {
	t.Helper()
	b, err := tensor.Of(data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestLimitsGolden(t *testing.T) {
	g := golden.Open(t, "testdata/golden/limits.npz")
	for _, env := range []string{"empty", "highways", "conveyor", "dropregion"} {
		l := dataset.Limits{Min: g.Float32("mins_" + env), Max: g.Float32("maxs_" + env)}
		x := like(t, g.Float32("x_"+env), 8, 4)
		got := x.Clone()
		l.Normalize(got, x)
		golden.Close(t, env+": normalized", got.Data, g.Float32("normalized_"+env), 2e-6, 2e-6)

		clamped := got.Clone()
		for i, v := range got.Data {
			clamped.Data[i] = max(-1, min(1, v))
		}
		l.Unnormalize(got, clamped, dataset.ClipBatch)
		golden.Close(t, env+": unnormalized", got.Data, g.Float32("unnormalized_"+env), 2e-6, 2e-6)
		for i, v := range clamped.Data {
			clamped.Data[i] = 1.1 * v
		}
		l.Unnormalize(got, clamped, dataset.ClipBatch)
		golden.Close(t, env+": clipped", got.Data, g.Float32("unnormalized_clip_"+env), 2e-6, 2e-6)
	}
}

func TestClipRules(t *testing.T) {
	l := dataset.Limits{Min: []float32{0}, Max: []float32{2}}
	for _, c := range []struct {
		rule     dataset.Clip
		in, want []float32
	}{
		{dataset.ClipNone, []float32{-1, 1.5, 1.00005}, []float32{0, 2.5, 2.00005}},
		{dataset.ClipElement, []float32{-1, 1.5, 1.00005}, []float32{0, 2, 2}},
		{dataset.ClipBatch, []float32{-1, 1.5, 1.00005}, []float32{0, 2, 2}},
		{dataset.ClipBatch, []float32{-1, 0.5, 1.00005}, []float32{0, 1.5, 2.00005}},
		{dataset.ClipBatch, []float32{-2, 0.5, 1.00005}, []float32{0, 1.5, 2}},
	} {
		got := tensor.New(3, 1)
		l.Unnormalize(got, like(t, c.in, 1), c.rule)
		if !slices.Equal(got.Data, c.want) {
			t.Errorf("rule %d of %v = %v, want %v", c.rule, c.in, got.Data, c.want)
		}
	}
}

func TestLinearGolden(t *testing.T) {
	g := golden.Open(t, "testdata/golden/linear.npz")
	for _, field := range []string{"obs", "action"} {
		n := g.Shape(field + "_scale")[0]
		l, err := dataset.FitLinear(like(t, g.Float32(field+"_data"), n))
		if err != nil {
			t.Fatal(err)
		}
		for what, v := range map[string][]float32{"scale": l.Scale, "offset": l.Offset, "stat_min": l.Min, "stat_max": l.Max, "stat_mean": l.Mean, "stat_std": l.Std} {
			golden.Close(t, field+": "+what, v, g.Float32(field+"_"+what), 1e-6, 1e-5)
		}
		probe := like(t, g.Float32(field+"_probe"), n)
		got := probe.Clone()
		l.Normalize(got, probe)
		golden.Close(t, field+": normalized", got.Data, g.Float32(field+"_normalized"), 1e-6, 1e-5)
		l.Unnormalize(got, got)
		golden.Close(t, field+": round trip", got.Data, g.Float32(field+"_unnormalized"), 2e-4, 0)
	}
}

func TestFitLimits(t *testing.T) {
	l, err := dataset.FitLimits(like(t, []float32{1, -5, 3, 0, 2, 7}, 2))
	if want := (dataset.Limits{Min: []float32{1, -5}, Max: []float32{3, 7}}); err != nil || !reflect.DeepEqual(l, want) {
		t.Errorf("FitLimits = %v, %v, want %v", l, err, want)
	}
	var re *dataset.RangeError
	if _, err := dataset.FitLimits(like(t, []float32{1, 5, 2, 5}, 2)); !errors.As(err, &re) || re.Channel != 1 {
		t.Errorf("a constant channel: %v, want a RangeError for channel 1", err)
	}
	var nf *tensor.NonFiniteError
	nan := float32(math.NaN())
	if _, err := dataset.FitLimits(like(t, []float32{1, nan}, 1)); !errors.As(err, &nf) || nf.Sample != 1 {
		t.Errorf("NaN: %v, want a NonFiniteError", err)
	}
	if _, err := dataset.FitLinear(like(t, []float32{1, nan}, 1)); !errors.As(err, &nf) {
		t.Errorf("NaN: %v, want a NonFiniteError", err)
	}
	if _, err := dataset.FitLinear(tensor.Batch{Shape: tensor.Shape{2}}); err == nil {
		t.Error("no samples: no error")
	}
	if _, err := dataset.FitLimits(like(t, []float32{-math.MaxFloat32, math.MaxFloat32}, 1)); !errors.As(err, &re) {
		t.Errorf("a range beyond float32: %v, want a RangeError", err)
	}
	if l, err := dataset.FitLinear(like(t, []float32{3, 4}, 2)); err != nil || !slices.Equal(l.Std, []float32{0, 0}) || !slices.Equal(l.Scale, []float32{1, 1}) {
		t.Errorf("one row: %+v, %v, want scale 1 and standard deviation 0", l, err)
	}
}

func TestNormalizersAreSaved(t *testing.T) {
	limits := dataset.Limits{Min: []float32{-0.1, 1e-9}, Max: []float32{1.0 / 3, 7}}
	b, err := json.Marshal(limits)
	if err != nil {
		t.Fatal(err)
	}
	var back dataset.Limits
	if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, limits) {
		t.Errorf("%s comes back as %v, %v", b, back, err)
	}
	linear, err := dataset.FitLinear(like(t, base[float32](7), 4))
	if err != nil {
		t.Fatal(err)
	}
	if b, err = json.Marshal(linear); err != nil {
		t.Fatal(err)
	}
	var again dataset.Linear
	if err := json.Unmarshal(b, &again); err != nil || !reflect.DeepEqual(again, linear) {
		t.Errorf("%s comes back as %v, %v", b, again, err)
	}

	const prefix = "normalizer.params_dict.obs."
	saved := map[string][]float32{}
	for _, a := range linear.Arrays(prefix) {
		if saved[a.Name], err = a.Float32s(); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := saved[prefix+"input_stats.mean"]; !ok || len(saved) != 6 {
		t.Errorf("saved names: %v", saved)
	}
	lookup := func(name string) ([]float32, bool) { v, ok := saved[name]; return v, ok }
	if got, err := dataset.LinearFrom(prefix, lookup); err != nil || !reflect.DeepEqual(got, linear) {
		t.Errorf("LinearFrom = %v, %v", got, err)
	}
	delete(saved, prefix+"offset")
	var ke *dataset.KeyError
	if _, err := dataset.LinearFrom(prefix, lookup); !errors.As(err, &ke) || ke.Want != prefix+"offset" {
		t.Errorf("LinearFrom without offset = %v, want a KeyError", err)
	}
}

func TestSavedNormalizersAreChecked(t *testing.T) {
	for _, c := range []struct{ text, reason string }{
		{`{"min":[0],"max":[0]}`, "channel 0"},
		{`{"min":[0],"max":[1,2]}`, "2"},
		{`{}`, "at least 1"},
		{`[]`, "cannot unmarshal"},
	} {
		var l dataset.Limits
		if err := json.Unmarshal([]byte(c.text), &l); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("limits %s: %v, want %q", c.text, err, c.reason)
		}
	}
	for _, c := range []struct{ text, reason string }{
		{`{"scale":[0],"offset":[0],"min":[0],"max":[0],"mean":[0],"std":[0]}`, "channel 0"},
		{`{"scale":[1],"offset":[0],"min":[0],"max":[0],"mean":[0]}`, "std"},
		{`{}`, "at least 1"},
	} {
		var l dataset.Linear
		if err := json.Unmarshal([]byte(c.text), &l); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("linear %s: %v, want %q", c.text, err, c.reason)
		}
	}
}
