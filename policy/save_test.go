package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/weights"
)

// TestSavedPoliciesAreTheSame writes every folder as one of the newest layout and compares what it
// then plans with the published actions; a folder of that layout keeps every bit.
func TestSavedPoliciesAreTheSame(t *testing.T) {
	thorough.Test(t)
	golden.Policies(t, goldenFolder, func(t *testing.T, g *golden.Policy) {
		if testing.Short() && strings.Contains(g.Name, "cam") {
			return // weights of 90 MB are made and written
		}
		from, dir := g.Folder(), filepath.Join(t.TempDir(), "saved")
		p := open(t, from, Options{Workers: 2})
		if err := p.Save(dir); err != nil {
			t.Fatal(err)
		}
		saved := open(t, dir, Options{Workers: 2})
		if saved.config.Vintage != VintageC || saved.shape.Parameters != p.shape.Parameters {
			t.Errorf("vintage %s with %d parameters, want C with %d", saved.config.Vintage, saved.shape.Parameters, p.shape.Parameters)
		}
		history := observations(t, g, "in.")
		condition, err := saved.Condition(t.Context(), history)
		if err != nil {
			t.Fatal(err)
		}
		g.Check(t, "out.global_cond", condition.Data, 0, 0)
		shape := g.Archive.Shape("in.noise")
		plan, err := saved.planRows(t.Context(), condition, shape[1], Sampling{Noise: recorded{g.Archive.Float32("in.noise"), shape[1]}})
		if err != nil {
			t.Fatal(err)
		}
		g.Check(t, "out.actions", plan.Actions.Data, 0, 0)
		if p.config.Vintage == VintageC {
			before, err := p.Condition(t.Context(), history)
			if err != nil || !slices.Equal(before.Data, condition.Data) {
				t.Errorf("the saved policy is told other numbers, %v", err)
			}
			checkLayout(t, from, dir)
		}
	})
}

// checkLayout compares the files of a saved folder with the published one: the same keys in the
// configuration, the same steps, and the same names, shapes and types of tensors.
func checkLayout(t *testing.T, from, dir string) {
	t.Helper()
	for _, name := range []string{configFile, preprocessorFile, postprocessorFile} {
		got, want := objectOf(t, filepath.Join(dir, name)), objectOf(t, filepath.Join(from, name))
		for key, v := range want {
			if ignored := strings.HasPrefix(key, "optimizer_") || strings.HasPrefix(key, "scheduler_"); ignored || string(v) == "null" {
				continue
			}
			switch other, ok := got[key]; {
			case !ok && !slices.Contains([]string{"gradient_checkpointing", "compile_mode"}, key):
				t.Errorf("%s: %s is missing", name, key)
			case slices.Contains([]string{"steps", "input_features"}, key) && !same(other, v):
				t.Errorf("%s: %s is\n%s\nwant\n%s", name, key, other, v)
			}
		}
	}
	for _, name := range []string{weightsFile, preStatisticsFile, postStatisticsFile} {
		got, want := layoutOf(t, filepath.Join(dir, name)), layoutOf(t, filepath.Join(from, name))
		for tensor, shape := range want {
			plain := strings.ReplaceAll(tensor, compiled, "")
			if strings.HasSuffix(plain, ".num_batches_tracked") {
				shape = "int64[]"
			}
			if name == weightsFile && strings.ReplaceAll(got[plain], " ", "") != strings.ReplaceAll(shape, " ", "") {
				t.Errorf("%s: %s is %s, want %s", name, plain, got[plain], shape)
			}
			delete(got, plain)
		}
		if len(got) > 0 {
			t.Errorf("%s: too many tensors: %v", name, got)
		}
	}
}

func objectOf(t *testing.T, path string) (out map[string]json.RawMessage) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err := errors.Join(err, json.Unmarshal(raw, &out)); err != nil {
		t.Fatal(err)
	}
	return out
}

// same compares documents without white space.
func same(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	return fmt.Sprint(x) == fmt.Sprint(y)
}

func layoutOf(t *testing.T, path string) map[string]string {
	t.Helper()
	sd, err := weights.Open(path, weights.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sd.Close()
	out := map[string]string{}
	for _, e := range sd.Tensors() {
		out[e.Name] = fmt.Sprint(e.DType, append([]int{}, e.Shape...))
	}
	return out
}

// TestNewPoliciesAreSaved makes a policy, writes it and compares what both plan, bit for bit.
func TestNewPoliciesAreSaved(t *testing.T) {
	c := Config{
		Inputs: []Feature{{stateKey, State, []int{3}}, {environmentKey, Environment, []int{4}}}, Action: Feature{actionKey, Action, []int{2}},
		Modes:            map[FeatureType]Mode{State: MinMax, Environment: MeanStd, Action: MinMax},
		ObservationSteps: 2, Horizon: 8, ActionSteps: 4, DownDims: []int{16, 32}, Kernel: 5, Groups: 8, TimeDim: 16,
		Diffusion: Diffusion{Scheduler: "DDPM", Steps: 20, Beta: "squaredcos_cap_v2", BetaStart: 1e-4, BetaEnd: 0.02, Clip: 1, Inference: 20},
	}
	statistics := map[string]Statistics{
		stateKey: {[]float32{0, 0, 5}, []float32{1, 10, 5}}, environmentKey: {make([]float32, 4), []float32{1, 2, 3, 4}}, actionKey: {[]float32{-1, -2}, []float32{1, 3}},
	}
	p, err := New(c, statistics, noise.New(1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := p.Save(dir); err != nil {
		t.Fatal(err)
	}
	o := Observation{Vectors: map[string][]float32{stateKey: {0.5, 2, 5}, environmentKey: {1, 2, 3, 4}}}
	var actions [2][]float32
	for i, q := range []*Policy{p, open(t, dir, Options{})} {
		a, err := NewActor(q, Sampling{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if actions[i], err = a.Act(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(actions[0], actions[1]) {
		t.Errorf("a saved policy acts %v, before it was saved %v", actions[1], actions[0])
	}
	delete(statistics, actionKey)
	var e *StatisticsError
	if _, err := New(c, statistics, noise.New(1), Options{}); !errors.As(err, &e) {
		t.Errorf("without statistics: %v, want a *StatisticsError", err)
	}
}
