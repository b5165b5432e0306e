package policy

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/noise"
)

// small is a policy of two numbers that is made quickly.
func small() (Config, map[string]Statistics) {
	unit := Statistics{Low: []float32{0, 0}, High: []float32{1, 1}}
	return Config{
		Inputs: []Feature{{stateKey, State, []int{2}}, {environmentKey, Environment, []int{2}}}, Action: Feature{actionKey, Action, []int{2}},
		Modes:            map[FeatureType]Mode{State: MinMax, Action: MinMax},
		ObservationSteps: 2, Horizon: 8, ActionSteps: 4, DownDims: []int{8, 16}, Kernel: 3, Groups: 4, TimeDim: 8,
		Diffusion: Diffusion{Scheduler: "DDPM", Steps: 10, Beta: "squaredcos_cap_v2", Clip: 1, Inference: 10},
	}, map[string]Statistics{stateKey: unit, environmentKey: unit, actionKey: unit}
}

// TestNewRefusesWhatOpenWould wants a policy that could be learned and saved, and not opened, to be
// refused before it learns, by what is wrong with it.
func TestNewRefusesWhatOpenWould(t *testing.T) {
	for want, change := range map[string]func(c *Config, s map[string]Statistics){
		"horizon is 0":              func(c *Config, _ map[string]Statistics) { c.Horizon, c.ActionSteps, c.ObservationSteps = 0, 0, 1 },
		"n_obs_steps is 0":          func(c *Config, _ map[string]Statistics) { c.ObservationSteps = 0 },
		"n_action_steps is -1":      func(c *Config, _ map[string]Statistics) { c.ActionSteps = -1 },
		"kernel_size is 0":          func(c *Config, _ map[string]Statistics) { c.Kernel = 0 },
		"kernel_size is 2":          func(c *Config, _ map[string]Statistics) { c.Kernel = 2 },
		"num_inference_steps is 11": func(c *Config, _ map[string]Statistics) { c.Diffusion.Inference = 11 },
		"beta_schedule is foo":      func(c *Config, _ map[string]Statistics) { c.Diffusion.Beta = "foo" },
		"clip_sample_range is -1":   func(c *Config, _ map[string]Statistics) { c.Diffusion.Clip = -1 },
		"finite numbers":            func(c *Config, _ map[string]Statistics) { c.Diffusion.Clip = math.NaN() },
		"normalization_mapping.ENV is FOO": func(c *Config, _ map[string]Statistics) {
			c.Modes = map[FeatureType]Mode{Environment: "FOO"}
		},
		"a feature action of type ACTION": func(c *Config, _ map[string]Statistics) { c.Action = Feature{} },
		"feature observation.image is shape [3 40]": func(c *Config, _ map[string]Statistics) {
			c.Inputs = append(c.Inputs, Feature{imagePrefix, Visual, []int{3, 40}})
		},
		"max of action: number 1 is NaN": func(_ *Config, s map[string]Statistics) {
			s[actionKey] = Statistics{Low: []float32{0, 0}, High: []float32{1, float32(math.NaN())}}
		},
	} {
		c, s := small()
		change(&c, s)
		if _, err := New(c, s, noise.New(1), Options{}); err == nil || !strings.Contains(err.Error(), want) || !typed(err) {
			t.Errorf("New = %v (%T), want a typed error with %q", err, err, want)
		}
	}
}

// TestSavedPoliciesKeepTheirEpsilon gives the number beside deviations another value for
// observations than for actions.
func TestSavedPoliciesKeepTheirEpsilon(t *testing.T) {
	h := copyOf(t, "c_env")
	h.replace(preprocessorFile, `"eps":1e-8`, `"eps":0.001`)
	dir := filepath.Join(t.TempDir(), "saved")
	if err := open(t, h.dir, Options{}).Save(dir); err != nil {
		t.Fatal(err)
	}
	p := open(t, dir, Options{})
	if in, out := p.inputs[stateKey].epsilon, p.action.epsilon; in != 0.001 || out != 1e-8 {
		t.Errorf("the saved policy has %g beside deviations of observations and %g of actions, want 0.001 and 1e-8", in, out)
	}
}
