package policy

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
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
	{"overflowing_width", "c_env", "down_dims", func(h hostile) { h.replace(configFile, `"down_dims":[16,32,64]`, `"down_dims":[1000000000,32,64]`) }},
	{"huge_action", "c_env", "1000000000", func(h hostile) {
		h.replace(configFile, `"shape":[2],"type":"ACTION"`, `"shape":[1000000000],"type":"ACTION"`)
	}},
	{"null_horizon", "c_env", "horizon is null", func(h hostile) { h.replace(configFile, `"horizon":8`, `"horizon":null`) }},
	{"null_clip", "c_env", "clip_sample is null", func(h hostile) { h.replace(configFile, `"clip_sample":true`, `"clip_sample":null`) }},
	{"even_kernel", "c_env", "kernel_size is 4", func(h hostile) { h.replace(configFile, `"kernel_size":5`, `"kernel_size":4`) }},
	{"empty_state", "c_env", "observation.state", func(h hostile) { h.replace(configFile, `"shape":[3],"type":"STATE"`, `"shape":[0],"type":"STATE"`) }},
	{"crop_too_large", "c_cam1", "crop_shape", func(h hostile) { h.replace(configFile, `"crop_shape":[84,84]`, `"crop_shape":[97,84]`) }},
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
	if testing.Short() {
		t.Skip("what is refused before anything is computed")
	}
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
