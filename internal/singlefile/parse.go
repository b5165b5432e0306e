package singlefile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/weights"
)

// Family is a generation of models.
type Family int

// The families. They differ in the text encoder and in how the layers of the denoising
// network are made.
const (
	SD1 Family = iota
	SD2
)

// String returns the name of the family.
func (f Family) String() string { return [...]string{"Stable Diffusion 1", "Stable Diffusion 2"}[f] }

// The parts of a model, by the names of their folders.
const (
	UNet = "unet"
	VAE  = "vae"
	Text = "text_encoder"
)

// Model is what a file holds.
type Model struct {
	Family Family
	// Parts are the tensors of the networks, under the names that they have in a folder.
	// They share the file.
	Parts map[string]*weights.StateDict
	// Prediction is what the file says that its network predicts, epsilon or v_prediction;
	// empty for the many files that do not say.
	Prediction string
	// Assumed says that nothing in the file says so: networks of family 1 predict noise unless somebody trained
	// them otherwise.
	Assumed bool
	// ZeroSNR says that the noise of the training ended without signal.
	ZeroSNR bool

	flagged bool // a tensor says so
}

// The kinds of prediction, by the names of folders, and the key of the metadata under which
// files name them.
const (
	Epsilon       = "epsilon"
	Velocity      = "v_prediction"
	predictionKey = "modelspec.prediction_type"
)

// prefixes of the parts in a file.
var prefixes = []struct{ part, prefix string }{
	{UNet, "model.diffusion_model."}, {VAE, "first_stage_model."}, {VAE, "vae."}, {Text, "cond_stage_model.transformer."}, {Text, "cond_stage_model.model."},
}

// bare are tensors that files of one part alone have, without a prefix.
var bare = []struct{ part, tensor string }{
	{UNet, "input_blocks.0.0.weight"}, {VAE, "encoder.conv_in.weight"}, {Text, tokensInFolder}, {Text, tokensInOpen},
}

const (
	tokensInFolder = "text_model.embeddings.token_embedding.weight"
	tokensInOpen   = "token_embedding.weight"
)

// Parse divides the tensors of a file. The parts share it.
func Parse(sd *weights.StateDict) (*Model, error) {
	for strings.HasPrefix(firstName(sd, "state_dict."), "state_dict.") {
		sd = sd.Sub("state_dict.")
	}
	if name := firstName(sd, "conditioner.embedders."); name != "" {
		return nil, &Error{Tensor: name, Reason: "is of Stable Diffusion XL, which is not read here: want a model of Stable Diffusion 1 or 2"}
	}
	sections, err := divide(sd)
	if err != nil {
		return nil, err
	}
	m := &Model{Family: family(sections), Parts: map[string]*weights.StateDict{}}
	if err := m.readPrediction(sd); err != nil {
		return nil, err
	}
	for part, s := range sections {
		if m.Parts[part], err = m.translate(part, s); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// firstName returns the name of the first tensor with a prefix, or nothing.
func firstName(sd *weights.StateDict, prefix string) string {
	for _, t := range sd.Tensors() {
		if strings.HasPrefix(t.Name, prefix) {
			return t.Name
		}
	}
	return ""
}

// divide returns the tensors of the parts without their prefixes. What is of no part must be
// of a training.
func divide(sd *weights.StateDict) (map[string]*weights.StateDict, error) {
	out := map[string]*weights.StateDict{}
	for _, b := range bare {
		if _, ok := sd.Tensor(b.tensor); ok {
			return map[string]*weights.StateDict{b.part: sd}, nil
		}
	}
	var strange []string
	for _, t := range sd.Tensors() {
		p := prefixOf(t.Name)
		if p == nil {
			if !ofTraining(t.Name) {
				strange = append(strange, t.Name)
			}
			continue
		}
		name := strings.TrimPrefix(t.Name, p.prefix)
		if p.part == VAE && strings.HasPrefix(name, "loss.") {
			continue
		}
		if out[p.part] == nil {
			out[p.part] = emptyOf(sd)
		}
		t.Name = name
		if err := out[p.part].Add(t); err != nil {
			return nil, &Error{Tensor: name, Reason: "is there under two prefixes", Err: err}
		}
	}
	if len(out) == 0 {
		if err := other(sd); err != nil {
			return nil, err
		}
		return nil, &Error{Reason: "has no part of a latent diffusion model: want tensors such as model.diffusion_model.input_blocks.0.0.weight"}
	}
	return out, surprise(strange)
}

func prefixOf(name string) *struct{ part, prefix string } {
	for i := range prefixes {
		if strings.HasPrefix(name, prefixes[i].prefix) {
			return &prefixes[i]
		}
	}
	return nil
}

// emptyOf returns a collection without tensors that shares the file of another.
func emptyOf(sd *weights.StateDict) *weights.StateDict {
	out, err := sd.Rename(weights.KeyMap{weights.DropOthers()})
	if err != nil {
		panic(err) // no names, no conflicts
	}
	return out
}

// surprise returns an error that names tensors that nobody knows, nil for none.
func surprise(names []string) error {
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return &Error{Reason: fmt.Sprintf("has tensors that are neither of the networks of Stable Diffusion 1 or 2 nor of a training: %s", quote.List(names, 10))}
}

// trainingNames are what files keep of a training; those that end in a dot or an underscore
// begin names.
var trainingNames = []string{
	"betas", "alphas_cumprod", "alphas_cumprod_prev", "sqrt_alphas_cumprod", "sqrt_one_minus_alphas_cumprod", "log_one_minus_alphas_cumprod",
	"sqrt_recip_alphas_cumprod", "sqrt_recipm1_alphas_cumprod", "posterior_variance", "posterior_log_variance_clipped", "posterior_mean_coef1", "posterior_mean_coef2",
	"logvar", "model_ema.", "embedding_manager", "denoiser.sigmas", velocityFlag, zeroFlag, "cond_stage_model.logit_scale", "global_step", "scale_factor",
}

// ofTraining reports whether a tensor is of a training, and says nothing about samples.
func ofTraining(name string) bool {
	for _, known := range trainingNames {
		if name == known || strings.HasPrefix(name, known) && (strings.HasSuffix(known, ".") || known == "embedding_manager") {
			return true
		}
	}
	return !slices.ContainsFunc(modelBeginnings, func(p string) bool { return strings.HasPrefix(name, p) }) && trainingState(name)
}

// modelBeginnings begin the names of what a file may hold of a model.
var modelBeginnings = []string{"model.", "first_stage_model.", "cond_stage_model.", "control_model.", "lora_", "vae."}

// trainingState reports whether a name is of what checkpoints keep beside a state dict.
func trainingState(name string) bool {
	first, _, _ := strings.Cut(name, ".")
	return slices.Contains([]string{"optimizer_states", "lr_schedulers", "callbacks", "loops", "hparams_name", "hyper_parameters", "state_dict", "epoch"}, first)
}

// family tells the families apart: by the names of the text encoder, and by the width of the
// context or the form of the projections of the denoising network.
func family(sections map[string]*weights.StateDict) Family {
	if t := sections[Text]; t != nil {
		if _, open := t.Tensor(tokensInOpen); open {
			return SD2
		}
		return SD1
	}
	if u := sections[UNet]; u != nil {
		for _, t := range u.Tensors() {
			if strings.HasSuffix(t.Name, ".proj_in.weight") && len(t.Shape) == 2 {
				return SD2
			}
		}
	}
	return SD1
}

// FindFamily sets the family of a model whose parts are those of a folder.
func (m *Model) FindFamily() {
	m.Family = SD1
	if u := m.Parts[UNet]; u != nil {
		m.Family = family(map[string]*weights.StateDict{UNet: u})
		return
	}
	if t := m.Parts[Text]; t != nil && (shapes{t}).size(tokensInFolder, 1) >= openWidth {
		m.Family = SD2
	}
}

// openWidth is the width of OpenCLIP's text encoder; that of the other family has 768.
const openWidth = 1024

// translate gives the tensors of a part the names of a folder.
func (m *Model) translate(part string, sd *weights.StateDict) (*weights.StateDict, error) {
	switch {
	case part == UNet:
		return translateUNet(sd)
	case part == VAE:
		return translateVAE(sd)
	}
	if _, open := sd.Tensor(tokensInOpen); open {
		return translateOpen(sd)
	}
	return translateText(sd)
}

// translateUNet renames the denoising network, and refuses those of other tasks.
func translateUNet(sd *weights.StateDict) (*weights.StateDict, error) {
	const first = "input_blocks.0.0.weight"
	in, ok := sd.Tensor(first)
	if !ok || len(in.Shape) != 4 {
		if err := other(sd); err != nil {
			return nil, err
		}
		return nil, &Error{Tensor: first, Reason: "is missing: the denoising network is none of Stable Diffusion 1 or 2"}
	}
	if out := (shapes{sd}).size("out.2.weight", 0); out != in.Shape[1] { // others have latents of so many channels
		switch in.Shape[1] {
		case 9:
			return nil, &Error{Tensor: first, Reason: "takes 9 channels: an inpainting model, which is not read here; want one of 4 channels"}
		case 8:
			return nil, &Error{Tensor: first, Reason: "takes 8 channels: a model that edits pictures (InstructPix2Pix), which is not read here; want one of 4 channels"}
		}
	}
	names, out, strange := numbering(sd), emptyOf(sd), []string(nil)
	for _, t := range withoutFlags(sd.Tensors()) {
		name, ok := names.folder(t.Name)
		if !ok {
			strange = append(strange, "model.diffusion_model."+t.Name)
			continue
		}
		t.Name = name
		if err := out.Add(t); err != nil {
			return nil, &Error{Tensor: t.Name, Reason: "is there twice", Err: err}
		}
	}
	return out, surprise(strange)
}

// numbering finds how many blocks a level has by the numbers of a file: the first block that
// makes the image smaller is behind them.
func numbering(sd *weights.StateDict) unetNames {
	for i := 1; i < maxBlocks; i++ {
		if _, ok := sd.Tensor(fmt.Sprintf("input_blocks.%d.0.op.weight", i)); ok {
			return unetNames{layers: i - 1}
		}
	}
	return unetNames{layers: 2}
}

const (
	maxBlocks = 64
	maxLevels = 8
)

func translateVAE(sd *weights.StateDict) (*weights.StateDict, error) {
	levels := 0
	for levels < maxLevels {
		if _, ok := sd.Tensor(fmt.Sprintf("encoder.down.%d.block.0.conv1.weight", levels)); !ok {
			break
		}
		levels++
	}
	names, out, strange := codecNames{levels}, emptyOf(sd), []string(nil)
	for _, t := range sd.Tensors() {
		if strings.HasPrefix(t.Name, "loss.") || strings.HasPrefix(t.Name, "model_ema.") {
			continue
		}
		name, matrix, ok := names.folder(t.Name)
		if !ok {
			strange = append(strange, "first_stage_model."+t.Name)
			continue
		}
		if matrix && len(t.Shape) == 4 {
			var err error
			if t, err = t.Reshape(t.Shape[0], t.Elements()/max(t.Shape[0], 1)); err != nil {
				return nil, &Error{Tensor: t.Name, Reason: "is no convolution of one pixel", Err: err}
			}
		}
		t.Name = name
		if err := out.Add(t); err != nil {
			return nil, &Error{Tensor: t.Name, Reason: "is there twice", Err: err}
		}
	}
	return out, surprise(strange)
}

// translateText takes the text encoder of Stable Diffusion 1 along, whose names are those of
// a folder. Some programs leave out the first level of them.
func translateText(sd *weights.StateDict) (*weights.StateDict, error) {
	out := emptyOf(sd)
	for _, t := range sd.Tensors() {
		if !strings.HasPrefix(t.Name, "text_model.") {
			t.Name = "text_model." + t.Name
		}
		if strings.HasSuffix(t.Name, ".position_ids") {
			continue
		}
		if err := out.Add(t); err != nil {
			return nil, &Error{Tensor: t.Name, Reason: "is there twice", Err: err}
		}
	}
	return out, nil
}

// translateOpen gives the tensors of OpenCLIP the names of a folder. The last of its layers
// is not used by the model, nor is what maps a text to the space of images.
func translateOpen(sd *weights.StateDict) (*weights.StateDict, error) {
	last := -1
	for _, t := range sd.Tensors() {
		if layer, _, ok := openLayerOf(t.Name); ok {
			last = max(last, layer)
		}
	}
	out, strange := emptyOf(sd), []string(nil)
	for _, t := range sd.Tensors() {
		if layer, _, ok := openLayerOf(t.Name); ok && layer == last || slices.Contains([]string{"text_projection", "logit_scale", "attn_mask"}, t.Name) {
			continue
		}
		parts, err := openTensors(t)
		if err != nil {
			return nil, err
		}
		if parts == nil {
			strange = append(strange, "cond_stage_model.model."+t.Name)
		}
		if err := out.Add(parts...); err != nil {
			return nil, &Error{Tensor: t.Name, Reason: "is there twice", Err: err}
		}
	}
	return out, surprise(strange)
}

// openTensors returns what a folder has of a tensor of OpenCLIP, nil for one that it has not.
func openTensors(t weights.Tensor) ([]weights.Tensor, error) {
	if name, ok := openName(t.Name); ok {
		t.Name = name
		return []weights.Tensor{t}, nil
	}
	layer, part, ok := openLayerOf(t.Name)
	kind, isStack := strings.CutPrefix(part, stacked)
	if !ok || !isStack || kind != "weight" && kind != "bias" {
		return nil, nil
	}
	if len(t.Shape) == 0 || t.Shape[0]%len(stack) != 0 {
		return nil, &Error{Tensor: t.Name, Reason: fmt.Sprintf("has shape %v, want the rows of queries, keys and values", t.Shape)}
	}
	var out []weights.Tensor
	rows := t.Shape[0] / len(stack)
	for i, which := range stack {
		r, err := t.Rows(i*rows, (i+1)*rows)
		if err != nil {
			return nil, &Error{Tensor: t.Name, Reason: "cannot be divided", Err: err}
		}
		r.Name = stackedName(layer, which, kind)
		out = append(out, r)
	}
	return out, nil
}
