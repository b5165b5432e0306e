package singlefile

import (
	"strings"

	"github.com/go-pcd/pcd/weights"
)

// others are files that are taken for models, by a part of the name of a tensor.
var others = []struct{ part, is string }{
	{"lora_", "an adapter (LoRA), which changes a model: want a model that it was merged into"},
	{"lora.", "an adapter (LoRA), which changes a model: want a model that it was merged into"},
	{"control_model.", "a ControlNet, which steers a model: want a model of Stable Diffusion 1 or 2"},
	{"controlnet_cond_embedding.", "a ControlNet, which steers a model: want a model of Stable Diffusion 1 or 2"},
	{"emb_params", "a word of a textual inversion: want a model of Stable Diffusion 1 or 2"},
	{"string_to_param", "a word of a textual inversion: want a model of Stable Diffusion 1 or 2"},
	{"joint_blocks.", "Stable Diffusion 3, which is not read here: want a model of Stable Diffusion 1 or 2"},
	{"double_blocks.", "FLUX, which is not read here: want a model of Stable Diffusion 1 or 2"},
	{"down_blocks.", "a network of a folder, under the names that it has there: want the folder of the model, with model_index.json"},
}

// other returns an error for a file that is none of a model and known as another thing, nil for one that is not known.
func other(sd *weights.StateDict) error {
	for _, o := range others {
		for _, t := range sd.Tensors() {
			if strings.Contains(t.Name, o.part) {
				return &Error{Tensor: t.Name, Reason: "is of " + o.is}
			}
		}
	}
	return nil
}
