package latent

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/weights"
)

// TestOtherFamilies refuses folders of models that are not read here as that, whatever is the first of their parts that would
// not be understood: a flow-matching scheduler, or settings of a network.
func TestOtherFamilies(t *testing.T) {
	for part, pipeline := range map[string]string{"text_encoder_2": "StableDiffusionXLPipeline", "transformer": "StableDiffusion3Pipeline", "prior": "KandinskyPipeline"} {
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
		if _, err := Open(dir); !errors.As(err, &refused) || !strings.Contains(err.Error(), part) || !strings.Contains(err.Error(), pipeline) {
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
		`{"_class_name": "DDIMScheduler", "beta_start": "a"}`: "want a number", `{"_class_name": "DDIMScheduler", "trained_betas": 0.1}`: "want a list of numbers"} {
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
