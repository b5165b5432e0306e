package policy

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/weights"
)

// hostile is a folder that is changed before it is opened.
type hostile struct {
	t   testing.TB
	dir string
}

func copyOf(t testing.TB, name string) hostile {
	t.Helper()
	h := hostile{t, t.TempDir()}
	files, err := filepath.Glob(filepath.Join(goldenFolder, name, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, ".npz") {
			continue
		}
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		h.write(filepath.Base(f), raw)
	}
	return h
}

func (h hostile) write(name string, raw []byte) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), raw, 0o644); err != nil {
		h.t.Fatal(err)
	}
}

func (h hostile) read(name string) []byte {
	h.t.Helper()
	raw, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil {
		h.t.Fatal(err)
	}
	return raw
}

func (h hostile) remove(name string) {
	h.t.Helper()
	if err := os.Remove(filepath.Join(h.dir, name)); err != nil {
		h.t.Fatal(err)
	}
}

// replace changes the text of a file without its white space.
func (h hostile) replace(name, old, new string) {
	h.t.Helper()
	var v any
	if err := json.Unmarshal(h.read(name), &v); err != nil {
		h.t.Fatal(err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		h.t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		h.t.Fatalf("%s has no %s: %s", name, old, text)
	}
	h.write(name, []byte(strings.Replace(string(text), old, new, 1)))
}

// tensors changes the tensors of a file.
func (h hostile) tensors(name string, change func(map[string]golden.Array)) {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	all := golden.Safetensors(h.t, path)
	change(all)
	golden.WriteSafetensors(h.t, path, all)
}

const (
	preStatistics  = "policy_preprocessor_step_3_normalizer_processor.safetensors"
	postStatistics = "policy_postprocessor_step_0_unnormalizer_processor.safetensors"
	final          = "diffusion.unet.final_conv.1.weight"
)

// set gives a tensor other values.
func set(name string, shape []int, values ...float32) func(map[string]golden.Array) {
	return func(all map[string]golden.Array) { all[name] = golden.Array{Shape: shape, Data: values} }
}

func drop(names ...string) func(map[string]golden.Array) {
	return func(all map[string]golden.Array) {
		for name := range all {
			for _, n := range names {
				if strings.HasPrefix(name, n) {
					delete(all, name)
				}
			}
		}
	}
}

// faults are the published list of faulty folders, by what has to be said of each.
var faults = []struct {
	name, from, says string
	change           func(h hostile)
}{
	{"no_model_file", "c_env", weightsFile, func(h hostile) { h.remove(weightsFile) }},
	{"no_config", "c_env", configFile, func(h hostile) { h.remove(configFile) }},
	{"other_type", "c_env", "type is act", func(h hostile) { h.replace(configFile, `"type":"diffusion"`, `"type":"act"`) }},
	{"no_type_no_shapes", "c_env", "input_shapes", func(h hostile) { h.replace(configFile, `"type":"diffusion"`, `"license":null`) }},
	{"missing_tensor", "c_env", "missing diffusion.unet.mid_modules.1.cond_encoder.1.bias", func(h hostile) { h.tensors(weightsFile, drop("diffusion.unet.mid_modules.1.cond_encoder.1.bias")) }},
	{"extra_tensor", "c_env", "unexpected diffusion.unet.extra.weight", func(h hostile) { h.tensors(weightsFile, set("diffusion.unet.extra.weight", []int{1}, 0)) }},
	{"wrong_shape", "c_env", "final_conv.1.weight is [1 16 1], want [2 16 1]", func(h hostile) { h.tensors(weightsFile, set(final, []int{1, 16, 1}, make([]float32, 16)...)) }},
	{"transposed_linear", "c_env", "down_modules.0.0.cond_encoder.1.weight is [", func(h hostile) {
		h.tensors(weightsFile, func(all map[string]golden.Array) {
			const name = "diffusion.unet.down_modules.0.0.cond_encoder.1.weight"
			a := all[name]
			all[name] = golden.Array{Shape: []int{a.Shape[1], a.Shape[0]}, Data: a.Data}
		})
	}},
	{"grid_mismatch", "c_cam1", "pool.pos_grid is [8 2], want [9 2]", func(h hostile) {
		h.tensors(weightsFile, set("diffusion.rgb_encoder.pool.pos_grid", []int{8, 2}, make([]float32, 16)...))
	}},
	{"dotted_name", "c_env", "observation.environment_state", func(h hostile) {
		h.tensors(preStatistics, func(all map[string]golden.Array) {
			for _, s := range []string{"min", "max", "mean", "std"} {
				all["observation.environment.state."+s] = all["observation.environment_state."+s]
				delete(all, "observation.environment_state."+s)
			}
		})
	}},
	{"both_spellings", "c_env", "._orig_mod", func(h hostile) {
		h.tensors(weightsFile, set("diffusion.unet._orig_mod.final_conv.1.weight", []int{2, 16, 1}, make([]float32, 32)...))
	}},
	{"nan_weight", "c_env", "final_conv.1.weight has 1 values", func(h hostile) {
		h.tensors(weightsFile, func(all map[string]golden.Array) { all[final].Data[3] = float32(math.NaN()) })
	}},
	{"missing_preprocessor", "c_env", "min of observation.state", func(h hostile) { h.remove(preprocessorFile) }},
	{"missing_postprocessor", "c_env", postprocessorFile, func(h hostile) { h.remove(postprocessorFile) }},
	{"missing_state_file", "c_env", preStatistics, func(h hostile) { h.remove(preStatistics) }},
	{"no_state_file_key", "c_env", "min of observation.state", func(h hostile) { h.replace(preprocessorFile, `"state_file":"`+preStatistics+`"`, `"state_file":null`) }},
	{"missing_statistic", "c_env", "max of observation.state", func(h hostile) { h.tensors(preStatistics, drop("observation.state.max")) }},
	{"missing_feature_statistics", "c_env", "observation.environment_state", func(h hostile) { h.tensors(preStatistics, drop("observation.environment_state.")) }},
	{"statistic_shape", "c_env", "has shape [2], want [3]", func(h hostile) { h.tensors(preStatistics, set("observation.state.min", []int{2}, 0, 0)) }},
	{"nan_statistic", "c_env", "max of action", func(h hostile) { h.tensors(postStatistics, set("action.max", []int{2}, 0, float32(math.NaN()))) }},
	{"inf_statistic", "b_env", "max of action", func(h hostile) {
		h.tensors(weightsFile, set("unnormalize_outputs.buffer_action.max", []int{2}, 1, float32(math.Inf(1))))
	}},
	{"escaping_state_file", "c_env", "name of a file in the folder", func(h hostile) { h.replace(preprocessorFile, preStatistics, "../x.safetensors") }},
	{"absolute_state_file", "c_env", "name of a file in the folder", func(h hostile) { h.replace(preprocessorFile, preStatistics, "/x.safetensors") }},
	{"unknown_step", "c_env", "tokenizer_processor", func(h hostile) { h.replace(preprocessorFile, "to_batch_processor", "tokenizer_processor") }},
	{"class_step", "c_env", "os.system", func(h hostile) {
		h.replace(preprocessorFile, `"registry_name":"to_batch_processor"`, `"class":"os.system"`)
	}},
	{"bad_horizon", "c_env", "horizon is 6", func(h hostile) { h.replace(configFile, `"horizon":8`, `"horizon":6`) }},
	{"long_execution", "c_env", "n_action_steps", func(h hostile) { h.replace(configFile, `"n_action_steps":4`, `"n_action_steps":8`) }},
	{"too_many_steps", "c_env", "num_inference_steps is 101", func(h hostile) { h.replace(configFile, `"num_inference_steps":null`, `"num_inference_steps":101`) }},
	{"zero_steps", "c_env", "num_inference_steps is 0", func(h hostile) { h.replace(configFile, `"num_inference_steps":null`, `"num_inference_steps":0`) }},
	{"no_camera_no_env", "c_env", "without an image", func(h hostile) { h.replace(configFile, `"type":"ENV"`, `"type":"REWARD"`) }},
	{"peft", "c_env", "adapters", func(h hostile) { h.replace(configFile, `"use_peft":false`, `"use_peft":true`) }},
	{"prediction_type", "c_env", "v_prediction", func(h hostile) {
		h.replace(configFile, `"prediction_type":"epsilon"`, `"prediction_type":"v_prediction"`)
	}},
	{"unknown_key", "c_env", "wheels", func(h hostile) { h.replace(configFile, `"type":"diffusion"`, `"type":"diffusion","wheels":4`) }},
	{"huge_width", "c_env", "missing", func(h hostile) { h.replace(configFile, `"down_dims":[16,32,64]`, `"down_dims":[1000000,32,64]`) }},
	{"overflowing_width", "c_env", "DownDims", func(h hostile) { h.replace(configFile, `"down_dims":[16,32,64]`, `"down_dims":[1000000000,32,64]`) }},
	{"huge_action", "c_env", "1000000000", func(h hostile) {
		h.replace(configFile, `"shape":[2],"type":"ACTION"`, `"shape":[1000000000],"type":"ACTION"`)
	}},
	{"empty_state", "c_env", "observation.state", func(h hostile) { h.replace(configFile, `"shape":[3],"type":"STATE"`, `"shape":[0],"type":"STATE"`) }},
	{"crop_too_large", "c_cam1", "Crop", func(h hostile) { h.replace(configFile, `"crop_shape":[84,84]`, `"crop_shape":[97,84]`) }},
	{"huge_image", "c_cam1", "1000000000", func(h hostile) { h.replace(configFile, `"shape":[3,96,96]`, `"shape":[3,1000000000,96]`) }},
	{"unequal_cameras", "c_cam2", "the shape of", func(h hostile) { h.replace(configFile, `"shape":[3,72,100]`, `"shape":[3,72,99]`) }},
	{"truncated_file", "c_env", weightsFile, func(h hostile) { h.write(weightsFile, h.read(weightsFile)[:100000]) }},
	{"overlapping_offsets", "c_env", weightsFile, func(h hostile) {
		header := `{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}`
		h.write(weightsFile, append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), make([]byte, 12)...))
	}},
	{"long_header", "c_env", weightsFile, func(h hostile) { h.write(weightsFile, binary.LittleEndian.AppendUint64(nil, 1<<60)) }},
}

// typed reports whether an error is one that callers can tell apart.
func typed(err error) bool {
	var c *ConfigError
	var s *StatisticsError
	var f *FileError
	return errors.As(err, &c) || errors.As(err, &s) || errors.As(err, &f)
}

// TestFaultyFoldersAreRefused wants a typed error that names the fault, in memory that the
// files bound.
func TestFaultyFoldersAreRefused(t *testing.T) {
	for _, c := range faults {
		t.Run(c.name, func(t *testing.T) {
			h := copyOf(t, c.from)
			if c.from[2:5] == "cam" { // sizes are compared before weights are read
				golden.WriteSafetensors(t, filepath.Join(h.dir, weightsFile), nil)
			}
			c.change(h)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Open(h.dir, Options{})
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.says) || !typed(err) {
				t.Errorf("%v (%T), want a typed error with %q", err, err, c.says)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
				t.Errorf("the refusal took %d bytes", used)
			}
		})
	}
}

// TestUnusualFoldersAreRead opens folders that are odd and right, and compares what they make
// of an observation with the folder that they came from.
func TestUnusualFoldersAreRead(t *testing.T) {
	off := func(o Observation) { // a constant number that is off its constant is divided by eps
		for i := range o.Vectors[stateKey] {
			o.Vectors[stateKey][i]++
		}
	}
	plain := conditionOf(t, copyOf(t, "c_env"), off)
	for name, c := range map[string]struct {
		same   bool
		rename string // of the state in the observation
		change func(h hostile)
	}{
		"renamed_state_file": {true, "", func(h hostile) {
			h.write("other.safetensors", h.read(preStatistics))
			h.remove(preStatistics)
			h.replace(preprocessorFile, preStatistics, "other.safetensors")
		}},
		"rename_map": {true, "observation.pos", func(h hostile) {
			h.replace(preprocessorFile, `"rename_map":{}`, `"rename_map":{"observation.pos":"observation.state"}`)
		}},
		"agent_pos": {true, "agent_pos", func(hostile) {}},
		"other_eps": {false, "", func(h hostile) { h.replace(preprocessorFile, `"eps":1e-8`, `"eps":0.001`) }},
		"normalize_observation_keys": {false, "", func(h hostile) {
			h.replace(preprocessorFile, `"eps":1e-8`, `"eps":1e-8,"normalize_observation_keys":["observation.state"]`)
		}},
		"identity_without_statistics": {false, "", identity},
	} {
		t.Run(name, func(t *testing.T) {
			h := copyOf(t, "c_env")
			c.change(h)
			got := conditionOf(t, h, func(o Observation) {
				off(o)
				if c.rename != "" {
					o.Vectors[c.rename] = o.Vectors[stateKey]
					delete(o.Vectors, stateKey)
				}
			})
			if slices.Equal(got, plain) != c.same {
				t.Errorf("the condition is the plain folder's: %v, want %v", !c.same, c.same)
			}
		})
	}
}

// TestFoldersOfHalfPrecision wants the actions of a folder whose tensors are stored as F16 to be
// those of the rounded numbers stored as F32.
func TestFoldersOfHalfPrecision(t *testing.T) {
	stored, wide := copyOf(t, "c_env"), copyOf(t, "c_env")
	for _, h := range []hostile{stored, wide} {
		sd, err := weights.Open(filepath.Join(h.dir, weightsFile), weights.Options{})
		if err != nil {
			t.Fatal(err)
		}
		kept, err := sd.As(weights.F16)
		if err == nil && h == wide {
			kept, err = kept.As(weights.F32)
		}
		var file bytes.Buffer
		if err := errors.Join(err, weights.WriteSafetensors(&file, kept, nil), sd.Close()); err != nil {
			t.Fatal(err)
		}
		h.write(weightsFile, file.Bytes())
	}
	if a, b := planOf(t, stored), planOf(t, wide); !slices.Equal(a, b) {
		t.Error("weights stored as F16 give other actions than the same numbers as F32")
	}
}

// planOf returns the actions that a folder without cameras plans for the observations of c_env.
func planOf(t *testing.T, h hostile) []float32 {
	t.Helper()
	p := open(t, h.dir, Options{})
	condition, err := p.Condition(t.Context(), observations(t, golden.OpenPolicy(t, goldenFolder, "c_env"), "in."))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(t.Context(), condition, Sampling{Scheduler: "DDIM", Steps: 5})
	if err != nil {
		t.Fatal(err)
	}
	return plan.Actions.Data
}

// TestStatisticsThatArgue exchanges the bounds of the action, which mirrors it, and gives a folder
// processors beside the statistics in its weights, which win.
func TestStatisticsThatArgue(t *testing.T) {
	plain, mirrored := copyOf(t, "c_env"), copyOf(t, "c_env")
	mirrored.tensors(postStatistics, func(all map[string]golden.Array) {
		all["action.min"], all["action.max"] = all["action.max"], all["action.min"]
	})
	bounds := golden.Safetensors(t, filepath.Join(plain.dir, postStatistics))
	low, high := bounds["action.min"].Data, bounds["action.max"].Data
	a, b := planOf(t, plain), planOf(t, mirrored)
	for i := range a {
		if sum := low[i%2] + high[i%2]; math.Abs(float64(a[i]+b[i]-sum)) > 1e-3 {
			t.Fatalf("action %d is %g, with exchanged bounds %g, want them to add up to %g", i, a[i], b[i], sum)
		}
	}
	old := copyOf(t, "b_env")
	want := planOf(t, old)
	for _, name := range []string{preprocessorFile, postprocessorFile, preStatistics, postStatistics} {
		old.write(name, plain.read(name)) // of the same features
	}
	if got := planOf(t, old); slices.Equal(got, want) {
		t.Error("processors beside statistics in the weights are not used")
	}
}

// TestCamerasGoByTheirOrder exchanges two cameras in the configuration.
func TestCamerasGoByTheirOrder(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(goldenFolder, "c_cam2", configFile))
	if err != nil {
		t.Fatal(err)
	}
	c, err := parseConfig(raw, true)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, f := range c.Cameras() {
		keys = append(keys, f.Key)
	}
	if !slices.Equal(keys, []string{"observation.images.wrist", "observation.images.front"}) {
		t.Errorf("the cameras are told as %v, want the order of the file", keys)
	}
}

// identity makes a folder that does not scale.
func identity(h hostile) {
	for _, f := range []string{preprocessorFile, postprocessorFile} {
		var v map[string]any
		if err := json.Unmarshal(h.read(f), &v); err != nil {
			h.t.Fatal(err)
		}
		for _, s := range v["steps"].([]any) {
			step := s.(map[string]any)
			if m, ok := step["config"].(map[string]any)["norm_map"].(map[string]any); ok {
				for k := range m {
					m[k] = "IDENTITY"
				}
				delete(step, "state_file")
			}
		}
		raw, err := json.Marshal(v)
		if err != nil {
			h.t.Fatal(err)
		}
		h.write(f, raw)
	}
}

// conditionOf returns what a folder makes of the observations of its vectors.
func conditionOf(t *testing.T, h hostile, change func(Observation)) []float32 {
	t.Helper()
	history := observations(t, golden.OpenPolicy(t, goldenFolder, "c_env"), "in.")
	for _, o := range history {
		change(o)
	}
	c, err := open(t, h.dir, Options{}).Condition(t.Context(), history)
	if err != nil {
		t.Fatal(err)
	}
	return c.Data
}

// TestObservationsAreChecked wants an error that names what is wrong with an observation.
func TestObservationsAreChecked(t *testing.T) {
	g := golden.OpenPolicy(t, goldenFolder, "c_cam1")
	p := open(t, g.Folder(), Options{})
	for name, change := range map[string]func(o *Observation){
		"image 95x96":    func(o *Observation) { o.Images["observation.image"] = Image{95, 96, 3, make([]uint8, 95*96*3)} },
		"channels first": func(o *Observation) { o.Images["observation.image"] = Image{3, 96, 96, make([]uint8, 96*96*3)} },
		"short image":    func(o *Observation) { o.Images["observation.image"] = Image{96, 96, 3, nil} },
		"no image":       func(o *Observation) { delete(o.Images, "observation.image") },
		"long state":     func(o *Observation) { o.Vectors[stateKey] = []float32{1, 2, 3} },
		"no state":       func(o *Observation) { delete(o.Vectors, stateKey) },
		"nan":            func(o *Observation) { o.Vectors[stateKey] = []float32{1, float32(math.NaN())} },
		"infinite":       func(o *Observation) { o.Vectors[stateKey] = []float32{float32(math.Inf(1)), 0} },
	} {
		history := observations(t, g, "in.")
		change(&history[1])
		var e *ObservationError
		if _, err := p.Condition(t.Context(), history); !errors.As(err, &e) || e.Step != 1 {
			t.Errorf("%s: %v, want an *ObservationError of observation 1", name, err)
		}
	}
	var e *ObservationError
	if _, err := p.Condition(t.Context(), nil); !errors.As(err, &e) {
		t.Errorf("no history: %v, want an *ObservationError", err)
	}
}

// FuzzConfig wants folders of any configuration to be refused by a typed error, or opened.
func FuzzConfig(f *testing.F) {
	for _, name := range []string{"a_env", "b_env", "c_env", "c_cam2"} {
		raw, err := os.ReadFile(filepath.Join(goldenFolder, name, configFile))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw, name[0] == 'c')
	}
	f.Fuzz(func(t *testing.T, raw []byte, processors bool) {
		c, err := parseConfig(raw, processors)
		if err != nil {
			if !typed(err) {
				t.Fatalf("%v (%T)", err, err)
			}
			return
		}
		fold := &folder{config: c}
		fold.weights = &weights.StateDict{}
		if _, err := fold.compare(Options{}); err == nil {
			t.Fatal("a file without tensors fits")
		}
	})
}

// FuzzProcessor wants any processor to be refused by a typed error, or read.
func FuzzProcessor(f *testing.F) {
	for _, name := range []string{"c_env", "c_quantiles"} {
		raw, err := os.ReadFile(filepath.Join(goldenFolder, name, preprocessorFile))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		dir := t.TempDir()
		hostile{t, dir}.write(preprocessorFile, raw)
		p, err := readProcessor(dir, preprocessorFile, "normalizer_processor")
		if err != nil && !typed(err) && !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%v (%T)", err, err)
		}
		p.Close()
	})
}
