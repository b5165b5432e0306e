package push

import (
	"bytes"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/policy"
	"github.com/go-pcd/pcd/tensor"
)

const lerobot = "../../policy/testdata/lerobot"

// camera is a published folder with a camera of PushT and weights by formula.
func camera(t *testing.T, half bool) *Model {
	t.Helper()
	m, err := OpenPolicy(golden.OpenPolicy(t, lerobot, "c_cam1").Folder(), policy.Options{Half: half, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every method runs pairs of a policy that somebody else has trained, and pairs of it, with
// weights of half precision, and a model of ours; those that project keep the limit.
func TestLoadedPoliciesRunByEveryMethod(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	m, own := camera(t, false), goldenModel(t)
	settings, err := SettingsByName("default")
	if err != nil {
		t.Fatal(err)
	}
	state := pusht.InitialConditions(1, pusht.ConditionSeed)[0]
	run := Run{EpisodeSteps: pusht.ActionSteps}
	for _, models := range [][2]*Model{{m, m}, {camera(t, true), own}} {
		for _, method := range Methods() {
			run.Options = Options{Method: method, Gamma: settings.Gamma(method), VMax: PublishedLimits[1], Settings: settings, Respacing: Respacing{Steps: 3}, Workers: 2}
			r, err := DoMixed(t.Context(), models, Starts(0, state, 1), run)
			if err != nil {
				t.Fatalf("%s: %v", method, err)
			}
			if r.Certificate.Certified != method.Projected() {
				t.Errorf("%s: certificate %+v", method, r.Certificate)
			}
			rec := r.Recording
			if slices.Equal(rec.Actions[:16], rec.Actions[2*rec.Steps:2*rec.Steps+16]) {
				t.Errorf("%s: both members do the same", method)
			}
		}
	}
}

// What a policy is told of a world is what it would be told of the same moment by itself.
func TestLoadedPoliciesSeeTheWorld(t *testing.T) {
	m := camera(t, false)
	worlds, err := pusht.NewVector(2, pusht.VectorOptions{Sights: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := worlds.Reset(pusht.InitialConditions(2, pusht.ConditionSeed), nil); err != nil {
		t.Fatal(err)
	}
	actions := make([]float32, 2*2*pusht.ActionSteps)
	for i := range actions {
		actions[i] = 300
	}
	if err := worlds.Execute(actions); err != nil {
		t.Fatal(err)
	}
	sights, seen := worlds.Sights(true), worlds.Observe(nil)
	for i, s := range sights {
		for k, o := range s {
			agent := seen[(2*i+k)*pusht.ObservationSize+18:][:2]
			if o.Agent != [2]float32(agent) {
				t.Errorf("world %d, observation %d: the agent is at %v, want %v", i, k, o.Agent, agent)
			}
		}
		if slices.Equal(s[0].Picture, s[1].Picture) {
			t.Errorf("world %d: both pictures are the same though the agent moves", i)
		}
	}
	condition, err := m.Loaded.Condition(t.Context(), nil...)
	if err != nil || condition.N != 0 {
		t.Fatalf("no histories give %d conditions, %v", condition.N, err)
	}
	// The map of actions is the policy's own.
	for i, v := range []float32{-1, 0.3, 1} {
		x := []float32{v, v}
		b := batchOfActions(x)
		m.Action.Unnormalize(b, b)
		want := batchOfActions([]float32{v, v})
		m.Loaded.Unnormalize(want, want)
		if math.Abs(float64(b.Data[0]-want.Data[0])) > 1e-4 {
			t.Errorf("action %d: %v, want %v", i, b.Data, want.Data)
		}
	}
}

// Policies of something else are refused by what does not fit.
func TestOtherPoliciesAreRefused(t *testing.T) {
	for name, says := range map[string]string{"c_env": "plans 8 actions", "b_env": "observation.state has shape [3]", "a_env": "an action has 3 numbers", "c_quantiles": "observations"} {
		_, err := OpenPolicy(filepath.Join(lerobot, name), policy.Options{Workers: 1})
		var e *ModelError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want a *ModelError with %q", name, err, says)
		}
	}
}

// A model that is asked at the levels of another one is told the nearest of its own.
func TestLevelsOfOthers(t *testing.T) {
	m, own := camera(t, false), goldenModel(t)
	s, err := sharedSchedule([2]*Model{m, own})
	if err != nil || s.Len() != 32 {
		t.Fatalf("a pair of 100 and 32 steps goes through %d, want 32 (%v)", s.Len(), err)
	}
	fine, err := m.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	a, ok := atLevels(nil, fine, s).(another)
	if !ok || a.asked[0] > 3 || a.asked[31] != 99 {
		t.Fatalf("asked at %v", a.asked)
	}
	for i := range s.Len() {
		near, err := fine.ForTimestep(a.asked[s.At(i).Timestep])
		if err != nil || math.Abs(near.SqrtAlphaBar-s.At(i).SqrtAlphaBar) > 0.012 {
			t.Errorf("step %d: signal %g is asked at %g (%v)", i, s.At(i).SqrtAlphaBar, near.SqrtAlphaBar, err)
		}
	}
	if got := atLevels(nil, fine, fine); got != nil {
		t.Error("a model on its own levels is wrapped")
	}
}

func batchOfActions(x []float32) tensor.Batch {
	return tensor.Batch{N: 1, Shape: tensor.Shape{2}, Data: x}
}

// TestCamerasOfOtherNames shows a policy with one camera the picture of PushT whatever the camera is called, wants
// one with two to be refused before an episode, and a vector that it is not told to be passed over.
func TestCamerasOfOtherNames(t *testing.T) {
	unit := policy.Statistics{Low: []float32{0, 0, 0}, High: []float32{512, 512, 512}}
	two := policy.Statistics{Low: unit.Low[:2], High: unit.High[:2]}
	folder := func(inputs ...policy.Feature) string {
		p, err := policy.New(policy.Config{
			Inputs: append(inputs, policy.Feature{Key: "observation.state", Type: policy.State, Shape: []int{2}}), Action: policy.Feature{Key: "action", Type: policy.Action, Shape: []int{2}},
			Modes:            map[policy.FeatureType]policy.Mode{policy.Visual: policy.MinMax, policy.State: policy.MinMax, policy.Action: policy.MinMax},
			ObservationSteps: 2, Horizon: 16, ActionSteps: 8, Backbone: "resnet18", GroupNorm: true, Keypoints: 4, DownDims: []int{8}, Kernel: 3, Groups: 4, TimeDim: 8,
			Diffusion: policy.Diffusion{Scheduler: "DDPM", Steps: 4, Beta: "squaredcos_cap_v2", Clip: 1, Inference: 4},
		}, map[string]policy.Statistics{"observation.image": unit, "observation.images.top": unit, "observation.state": two, "action": two}, noise.New(1), policy.Options{Workers: 1})
		dir := filepath.Join(t.TempDir(), "policy")
		if err := errors.Join(err, p.Save(dir)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	camera := func(key string) policy.Feature {
		return policy.Feature{Key: key, Type: policy.Visual, Shape: []int{3, 96, 96}}
	}
	_, err := OpenPolicy(folder(camera("observation.image"), camera("observation.images.top")), policy.Options{Workers: 1})
	if want := "observation.images.top is missing"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("OpenPolicy = %v, want an error with %q", err, want)
	}
	other, err := OpenPolicy(folder(camera("observation.images.top")), policy.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := OpenPolicy(folder(camera("observation.image")), policy.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	seen := view{sights: [][pusht.ObservationSteps]pusht.Sight{{sightOf(90), sightOf(120)}}}
	seen.N = 1
	conditions := make([][]float32, 0, 2)
	for _, of := range []*Model{m, other} {
		if _, err := of.bind(t.Context(), seen); err != nil {
			t.Fatal(err)
		}
		o := observationOf(seen.sights[0][0], cameraOf(of.Loaded))
		told, err := of.Loaded.Condition(t.Context(), []policy.Observation{o, o})
		if err != nil {
			t.Fatal(err)
		}
		conditions = append(conditions, told.Data)
	}
	if !slices.Equal(conditions[0], conditions[1]) {
		t.Error("a camera of another name sees another picture")
	}
	c := m.Loaded.Config()
	c.Inputs = append(c.Inputs, policy.Feature{Key: "observation.speed", Type: policy.State, Shape: []int{7}})
	if reason := fits(&c); reason != "" {
		t.Errorf("a policy beside a vector that it is not told: %s", reason)
	}
}

// sightOf is a picture of one grey, and no world.
func sightOf(grey byte) pusht.Sight {
	return pusht.Sight{Picture: bytes.Repeat([]byte{grey}, 3*pusht.PictureSize*pusht.PictureSize)}
}
