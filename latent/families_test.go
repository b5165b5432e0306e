package latent

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/weights"
)

// TestOtherFamilies refuses folders of models that are not read here as that, whatever is the first of their parts that would
// not be understood: a flow-matching scheduler, or settings of a network.
func TestOtherFamilies(t *testing.T) {
	for part, pipeline := range map[string]string{"text_encoder_2": "StableDiffusionXLPipeline", "transformer": "StableDiffusion3Pipeline", "prior": ""} {
		settings := maps.Clone(tinySettings["family 1"])
		settings["scheduler"] = `{"_class_name": "FlowMatchEulerDiscreteScheduler", "shift": 3.0}`
		dir := tinyFolder(t, settings, weights.F16)
		var index map[string]any
		if err := json.Unmarshal(read(t, dir+"/model_index.json"), &index); err != nil {
			t.Fatal(err)
		}
		index["_class_name"], index[part] = pipeline, []string{"diffusers", "Other"}
		write(t, must(json.Marshal(index))(t), dir, "model_index.json")
		var refused *modelfile.Error
		if _, err := Open(dir); !errors.As(err, &refused) || !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), pipeline) || strings.Contains(err.Error(), `""`) {
			t.Errorf("%s: %v, want a *modelfile.Error that names both", part, err)
		}
	}
}

// TestOtherTasks names the task of a network that takes more than latents.
func TestOtherTasks(t *testing.T) {
	for channels, want := range map[string]string{"9": "inpainting", "8": "InstructPix2Pix", "5": "depths"} {
		settings := maps.Clone(tinySettings["family 1"])
		settings["unet"] = strings.Replace(settings["unet"], "{", `{"in_channels": `+channels+`, `, 1)
		delete(settings, "text_encoder")
		var refused *SettingError
		if _, err := Open(tinyFolder(t, settings, weights.F16)); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s channels: %v, want a *SettingError that says %s", channels, err, want)
		}
	}
}

// TestMistypedSettings names the key of a scheduler whose value is of another type, and what is wanted.
func TestMistypedSettings(t *testing.T) {
	for text, want := range map[string]string{`{"_class_name": "EulerDiscreteScheduler", "use_karras_sigmas": "true"}`: `use_karras_sigmas is "true", want true or false`,
		`{"_class_name": "DDIMScheduler", "steps_offset": 1.5}`: `steps_offset is 1.5, want a whole number`, `{"_class_name": "DDIMScheduler", "beta_schedule": 3}`: `beta_schedule is 3, want a word`,
		`{"_class_name": "DDIMScheduler", "beta_start": "a"}`: "want a number", `{"_class_name": "DDIMScheduler", "trained_betas": 0.1}`: "want a list of numbers",
		`{"_class_name": "DDIMScheduler", "num_train_timesteps": 1000.0}`: "is 1000.0, want a whole number", `{"_class_name": "DDIMScheduler", "trained_betas": ["a"]}`: "is [a], want a list of numbers",
		`{"_class_name": "DDIMScheduler", "beta_start": [1]}`: "is [1], want a number"} {
		n, err := ParseNoise([]byte(text))
		if err == nil {
			_, err = (&Model{Noise: n}).Dynamics(Sampler{Steps: 4, Method: Published})
		}
		var refused *SettingError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want a *SettingError that says %s", text, err, want)
		}
	}
}

// TestRefusalsOfStepsNameSome wants another number that works beside one that an offset moves out of the training.
func TestRefusalsOfStepsNameSome(t *testing.T) {
	for _, c := range []struct {
		file, method string
		steps        int
		want         string
	}{
		{"SD 1.5", "plms", 1000, "such as 999"}, {"Euler", "euler", 1000, "such as 999"}, {"SD 1.5", "euler", 0, ""}, {"SD 1.5", "lcm", 51, "1 to 50"},
	} {
		m := &Model{Noise: must(ParseNoise([]byte(publishedSchedulers[c.file])))(t)}
		_, err := m.Dynamics(Sampler{Steps: c.steps, Method: c.method})
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d steps of %s: %v, want %q", c.steps, c.method, err, c.want)
		}
	}
	late := must(ParseNoise(withKey("SD 1.5", "", "steps_offset", "400")))(t)
	if _, err := (&Model{Noise: late}).Dynamics(Sampler{Steps: 20, Method: "plms"}); err == nil || !strings.Contains(err.Error(), "such as 2:") {
		t.Errorf("an offset of 400: %v, want such as 2", err)
	}
}

// TestNoiseOfNoSignal refuses networks of noise at zero terminal SNR by the key, for samplers that begin where there is no signal.
func TestNoiseOfNoSignal(t *testing.T) {
	m := &Model{Noise: must(ParseNoise([]byte(strings.Replace(publishedSchedulers["zero SNR"], "v_prediction", "epsilon", 1))))(t)}
	for method, refused := range map[string]bool{"ddim": true, "ddpm": true, "lcm": true, "tcd": true, "euler": false, "euler-ancestral": false, "dpm++2m": false, "heun": false, "plms": false} {
		_, err := m.Dynamics(Sampler{Steps: 4, Method: method})
		var setting *SettingError
		if errors.As(err, &setting) != refused || refused && setting.Name != "rescale_betas_zero_snr" {
			t.Errorf("%s: %v, refused %v", method, err, refused)
		}
	}
}

// TestPromptsWithoutTokenizer says what a model lacks that cannot be told anything, and where it belongs.
func TestPromptsWithoutTokenizer(t *testing.T) {
	dir := tinyFolder(t, tinySettings["family 1"], weights.F16)
	file := filepath.Join(dir, "one.safetensors")
	var b bytes.Buffer
	if err := must(modelfile.OpenFolder(dir))(t).WriteSingle(&b); err != nil {
		t.Fatal(err)
	}
	write(t, b.Bytes(), file)
	silent := maps.Clone(tinySettings["family 1"])
	delete(silent, "text_encoder")
	for path, want := range map[string]string{dir: "model_index.json", file: "a folder tokenizer with vocab.json and merges.txt in " + dir + ";", tinyFolder(t, silent, weights.F16): "none: the model has no text encoder"} {
		for _, c := range []Conditions{{Prompt: "a fox"}, {Negative: "a fox"}} {
			_, err := must(Open(path))(t).Generate(t.Context(), Request{Conditions: c, Sampler: Sampler{Steps: 1}})
			var refused *SettingError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %+v: %v, want a *SettingError that says %q", path, c, err, want)
			}
		}
	}
}
