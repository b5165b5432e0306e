package singlefile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/singlefile"
	"github.com/go-pcd/pcd/weights"
)

// TestOtherFiles names what a file is that is taken for a model.
func TestOtherFiles(t *testing.T) {
	for name, want := range map[string]string{
		"lora_unet_down_blocks_0_attentions_0_proj_in.lora_down.weight": "LoRA", "unet.down_blocks.0.attentions.0.to_q.lora_A.weight": "LoRA", "unet.up_blocks.0.lora.down.weight": "LoRA",
		"control_model.input_blocks.0.0.weight": "ControlNet", "emb_params": "textual inversion", "string_to_param.*": "textual inversion", "model.diffusion_model.joint_blocks.0.x_block.attn.qkv.weight": "Stable Diffusion 3",
		"double_blocks.0.img_attn.qkv.weight": "FLUX", "down_blocks.0.resnets.0.conv1.weight": "model_index.json", "upscale.0.weight": "no part of a latent diffusion model",
	} {
		sd := &weights.StateDict{}
		if err := sd.Add(weights.New(name, []int{1}, []float32{0})); err != nil {
			t.Fatal(err)
		}
		var bad *singlefile.Error
		if _, err := singlefile.Parse(sd); !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want a *singlefile.Error that says %s", name, err, want)
		}
	}
}
