package latent

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
)

// layout is a model folder as published, with formula weights. Source: the files of
// Stable Diffusion 2.1.
type layout struct {
	unet, vae, text, classifier string
	tokens                      int // of the vocabulary
	length                      int // of texts
}

const (
	publishedIndex = `{"_class_name": "StableDiffusionPipeline", "_diffusers_version": "0.10.0.dev0", "feature_extractor": [null, null],
		"requires_safety_checker": false, "safety_checker": [null, null], "scheduler": ["diffusers", "PNDMScheduler"],
		"text_encoder": ["transformers", "CLIPTextModel"], "tokenizer": ["transformers", "CLIPTokenizer"],
		"unet": ["diffusers", "UNet2DConditionModel"], "vae": ["diffusers", "AutoencoderKL"]}`
	publishedScheduler = `{"_class_name": "PNDMScheduler", "beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085, "clip_sample": false,
		"num_train_timesteps": 1000, "set_alpha_to_one": false, "skip_prk_steps": true, "steps_offset": 1, "trained_betas": null}`
	unetTemplate = `{"_class_name": "UNet2DConditionModel", "act_fn": "silu", "attention_head_dim": %s, "block_out_channels": %s, "center_input_sample": false,
		"cross_attention_dim": %d, "down_block_types": ["CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"],
		"up_block_types": ["UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"], "downsample_padding": 1, "dual_cross_attention": false,
		"flip_sin_to_cos": true, "freq_shift": 0, "in_channels": 4, "layers_per_block": %d, "mid_block_scale_factor": 1, "norm_eps": 1e-05,
		"norm_num_groups": %d, "out_channels": 4, "sample_size": %d, "use_linear_projection": true}`
	vaeTemplate = `{"_class_name": "AutoencoderKL", "act_fn": "silu", "block_out_channels": %s, "in_channels": 3, "latent_channels": 4, "layers_per_block": %d,
		"down_block_types": ["DownEncoderBlock2D", "DownEncoderBlock2D", "DownEncoderBlock2D", "DownEncoderBlock2D"],
		"up_block_types": ["UpDecoderBlock2D", "UpDecoderBlock2D", "UpDecoderBlock2D", "UpDecoderBlock2D"],
		"norm_num_groups": %d, "out_channels": 3, "sample_size": 768}`
	textTemplate = `{"architectures": ["CLIPTextModel"], "hidden_size": %d, "intermediate_size": %d, "num_attention_heads": %d, "num_hidden_layers": %d,
		"hidden_act": "gelu", "vocab_size": %d, "max_position_embeddings": %d, "layer_norm_eps": 1e-05, "model_type": "clip_text_model", "projection_dim": 512,
		"bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 1}`
	classifierTemplate = "in_channels: 4\nwidth: %d\nheads:\n  - {name: age_group, hidden: %d, classes: [0-2, 3-6, 7-9, 10-14, 15-19, 20-29, 30-39, 40-49, 50-69, 70-120]}\n" +
		"  - {name: gender, hidden: %d, classes: [male, female]}\n"
)

// stableDiffusion is the model of the published size, miniature one like it.
var (
	stableDiffusion = layout{
		unet:       fmt.Sprintf(unetTemplate, "[5, 10, 20, 20]", "[320, 640, 1280, 1280]", 1024, 2, 32, 64),
		vae:        fmt.Sprintf(vaeTemplate, "[128, 256, 512, 512]", 2, 32),
		text:       fmt.Sprintf(textTemplate, 1024, 4096, 16, 23, 49408, 77),
		classifier: fmt.Sprintf(classifierTemplate, 64, 256, 128),
		tokens:     49408, length: 77,
	}
	miniature = layout{
		unet:       fmt.Sprintf(unetTemplate, "[1, 2, 2, 2]", "[8, 16, 16, 16]", 16, 1, 4, 8),
		vae:        fmt.Sprintf(vaeTemplate, "[8, 8, 16, 16]", 1, 4),
		text:       fmt.Sprintf(textTemplate, 16, 32, 2, 2, 600, 12),
		classifier: fmt.Sprintf(classifierTemplate, 8, 16, 8),
		tokens:     600, length: 12,
	}
)

// write lays a model folder and that of a classifier out, with weights of a type.
func (p layout) write(t testing.TB, dir string, as dtype.DType) (model, classifier string) {
	t.Helper()
	model, classifier = filepath.Join(dir, "model"), filepath.Join(dir, "classifier")
	write(t, []byte(publishedIndex), model, "model_index.json")
	write(t, []byte(publishedScheduler), model, "scheduler", "scheduler_config.json")
	for name, text := range p.tokenizer(t) {
		write(t, text, model, "tokenizer", name)
	}
	for part, settings := range map[string]string{"unet": p.unet, "vae": p.vae, "text_encoder": p.text} {
		write(t, []byte(settings), model, part, "config.json")
	}
	f := must(modelfile.OpenFolder(model))(t)
	writeWeights[*nn.UNet2DCondition](t, must(f.Part("unet"))(t), "diffusion_pytorch_model.safetensors", as)
	writeWeights[*nn.AutoencoderKL](t, must(f.Part("vae"))(t), "diffusion_pytorch_model.safetensors", as)
	writeWeights[*nn.CLIPText](t, must(f.Part("text_encoder"))(t), "model.safetensors", as)
	write(t, []byte(p.classifier), classifier, "classifier.yaml")
	c := must(modelfile.OpenFolder(classifier))(t)
	writeWeights[*nn.Classifier](t, &c.Parts[0], "best_latent_classifier.pt", dtype.F32)
	return model, classifier
}

// writeWeights writes the formula weights of the network of a part, tensor by tensor.
func writeWeights[N modelfile.Parameters](t testing.TB, part *modelfile.Part, name string, as dtype.DType) {
	t.Helper()
	net := must(modelfile.Network[N](part))(t)
	header, at := map[string]any{}, 0
	for _, p := range modelfile.State(net) {
		size := as.Size() * p.Shape.Size()
		header[p.Name] = map[string]any{"dtype": map[dtype.DType]string{dtype.F32: "F32", dtype.F16: "F16"}[as], "shape": p.Shape, "data_offsets": []int{at, at + size}}
		at += size
	}
	text := must(json.Marshal(header))(t)
	text = append(text, strings.Repeat(" ", -len(text)&7)...)
	file := must(os.Create(filepath.Join(part.Path, name)))(t)
	w := bufio.NewWriter(file)
	err := errors.Join(binary.Write(w, binary.LittleEndian, uint64(len(text))), writeAll(w, text))
	for _, p := range modelfile.State(net) {
		err = errors.Join(err, writeAll(w, dtype.AppendFloat32s(as, nil, golden.Weights(p.Name, 1, p.Shape...))))
	}
	if err := errors.Join(err, w.Flush(), file.Close()); err != nil {
		t.Fatal(err)
	}
}

func writeAll(w io.Writer, b []byte) error {
	_, err := w.Write(b)
	return err
}

// tokenizer returns files with the published number of tokens: those of 256 bytes, with
// and without the end of a word, as many merges of two as are left, and two marks.
func (p layout) tokenizer(t testing.TB) map[string][]byte {
	t.Helper()
	var letters []string
	hidden := rune(256)
	for b := range rune(256) {
		if b >= '!' && b <= '~' || b >= '¡' && b <= '¬' || b >= '®' {
			letters = append(letters, string(b))
			continue
		}
		letters = append(letters, string(hidden))
		hidden++
	}
	ids, lines := map[string]int{}, []string{"#version: 0.2"}
	for _, end := range []string{"", "</w>"} {
		for _, l := range letters {
			ids[l+end] = len(ids)
		}
	}
	for i := 0; len(ids) < p.tokens-2; i++ {
		a, b := letters[i/256], letters[i%256]
		ids[a+b] = len(ids)
		lines = append(lines, a+" "+b)
	}
	ids["<|startoftext|>"] = len(ids)
	ids["<|endoftext|>"] = len(ids)
	config := fmt.Sprintf(`{"model_max_length": %d, "do_lower_case": true, "tokenizer_class": "CLIPTokenizer", "bos_token": "<|startoftext|>",
		"eos_token": "<|endoftext|>", "unk_token": "<|endoftext|>", "pad_token": "<|endoftext|>"}`, p.length)
	return map[string][]byte{
		"vocab.json": must(json.Marshal(ids))(t), "merges.txt": []byte(strings.Join(lines, "\n") + "\n"), "tokenizer_config.json": []byte(config),
	}
}
