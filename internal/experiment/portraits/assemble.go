package portraits

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

// The names of weights in published folders.
const (
	diffusersFile    = "diffusion_pytorch_model.safetensors"
	transformersFile = "model.safetensors"
)

// controlFolder is the name of the adapter's folder.
const controlFolder = "controlnet"

// index is the model_index.json of the folder.
func (t *trained) index() map[string]any {
	all := map[string]any{
		"_class_name": "StableDiffusionPipeline",
		"unet":        []string{"diffusers", "UNet2DConditionModel"}, "vae": []string{"diffusers", "AutoencoderKL"},
		"scheduler": []string{"diffusers", "DDIMScheduler"}, "text_encoder": []string{"transformers", "CLIPTextModel"},
		"tokenizer": []string{"transformers", "CLIPTokenizer"}, "classifier": []string{"pcd", "LatentClassifier"},
		"judge": []string{"pcd", "ImageClassifier"},
	}
	if t.has(Guide) {
		all["guide"] = []string{"pcd", "ImageClassifier"}
	}
	if t.has(Adapter) {
		all[controlFolder] = []string{"diffusers", "ControlNetXSAdapter"}
	}
	return all
}

// has reports whether a part was trained.
func (t *trained) has(p Part) bool {
	_, ok := t.about[p]
	return ok
}

// trained are the parts of a model as they come from their trainings.
type trained struct {
	vae               *nn.AutoencoderKL
	unet              *nn.UNet2DCondition
	classifier, judge *nn.Classifier
	guide             *nn.Classifier   // may be missing
	adapter           *nn.ControlNetXS // may be missing
	about             map[Part]Description
	from              folders
}

// openTrained reads the parts of some folders.
func openTrained(dir folders) (*trained, error) {
	t := &trained{from: dir, about: map[Part]Description{}}
	var d Description
	var err error
	if t.vae, d, err = openPart[*nn.AutoencoderKL](dir, Autoencoder); err != nil {
		return nil, err
	}
	t.about[Autoencoder] = d
	if t.unet, d, err = openDenoiser(dir); err != nil {
		return nil, err
	}
	t.about[Denoiser] = d
	if t.classifier, d, err = openPart[*nn.Classifier](dir, Classifier); err != nil {
		return nil, err
	}
	t.about[Classifier] = d
	if t.judge, d, err = openPart[*nn.Classifier](dir, Judge); err != nil {
		return nil, err
	}
	t.about[Judge] = d
	return t, errors.Join(t.openOptional(dir), t.check())
}

// openOptional reads the parts that need not be there.
func (t *trained) openOptional(dir folders) error {
	var d Description
	var err error
	if t.guide, d, err = openPart[*nn.Classifier](dir, Guide); err == nil {
		t.about[Guide] = d
	} else if !untrained(err) {
		return err
	}
	if t.adapter, d, err = openAdapter(dir, t.unet); err == nil {
		t.about[Adapter] = d
	} else if !untrained(err) {
		return err
	}
	return nil
}

// check returns an error when a part learned from the latents of another autoencoder,
// or from pictures of another size. Parts of the base have learned together: its
// autoencoder is a rounded copy of the one that they know, also with a new decoder.
func (t *trained) check() error {
	digest, err := modelfile.Digest(nil, t.vae.Params())
	if err != nil {
		return err
	}
	sameLatents, err := t.keepsLatents()
	if err != nil {
		return err
	}
	for _, p := range Parts[1:] {
		d, ok := t.about[p]
		if !ok {
			continue
		}
		if size := t.about[Autoencoder].Recipe.Size; d.Recipe.Size != size {
			return fmt.Errorf("images: the %s learned from pictures of %d pixels, the autoencoder of %d: train it again", p, d.Recipe.Size, size)
		}
		if d.Scale > 0 && !(sameLatents && t.ofBase(p)) && !strings.Contains(d.Source, digest) { // it learned from latents
			return fmt.Errorf("images: the %s learned from the latents of another autoencoder: train it again", p)
		}
	}
	return t.checkAdapter()
}

// keepsLatents reports whether the autoencoder has the encoder of the base, itself or under a
// new decoder.
func (t *trained) keepsLatents() (bool, error) {
	if t.from.base == "" || t.ofBase(Autoencoder) {
		return t.ofBase(Autoencoder), nil
	}
	base, _, err := given[*nn.AutoencoderKL](filepath.Join(t.from.base, Autoencoder.folder()))
	if err != nil {
		return false, err
	}
	return slices.EqualFunc(base.Encoder.Params(), t.vae.Encoder.Params(), func(a, b *nn.Param) bool { return slices.Equal(a.Data, b.Data) }), nil
}

// ofBase reports whether a part comes from the base.
func (t *trained) ofBase(p Part) bool {
	_, fromBase := t.from.of(p)
	return fromBase
}

// together reports whether two parts come from the base.
func (t *trained) together(a, b Part) bool {
	return t.ofBase(a) && t.ofBase(b)
}

// Assemble writes the folder of a model from the parts that were trained under from, in
// half precision, and its card, whose figures are measured on the files as written, by samples
// of so many steps. Where base is not empty, it is the folder of a model whose parts stand in
// for those that were not trained.
func Assemble(ctx context.Context, from, base, to string, steps int, progress func(stage string, done, total int)) (*Card, error) {
	t, err := openTrained(folders{from, base})
	if err != nil {
		return nil, err
	}
	if err := t.write(to); err != nil {
		return nil, err
	}
	card, err := measure(ctx, to, t, steps, progress)
	if err != nil {
		return nil, err
	}
	return card, card.save(to)
}

// write writes the folder.
func (t *trained) write(to string) error {
	if err := atomicfile.MkdirAll(to); err != nil {
		return err
	}
	vae := t.vae.Config()
	vae.ScalingFactor = t.about[Denoiser].Scale
	save := func(p Part, config any, net modelfile.Parameters, file string) error {
		return savePart(filepath.Join(to, p.folder()), config, t.about[p], modelfile.State(net), weights.F16, file)
	}
	for _, step := range []func() error{
		func() error { return save(Autoencoder, autoencoderSettings(vae), t.vae, diffusersFile) },
		func() error { return save(Denoiser, denoiserSettings(t.unet.Config()), t.unet, diffusersFile) },
		func() error {
			return save(Classifier, t.classifier.Config(), t.classifier, transformersFile)
		},
		func() error {
			return save(Judge, t.judge.Config(), t.judge, transformersFile)
		},
		func() error {
			if !t.has(Guide) {
				return nil
			}
			return save(Guide, t.guide.Config(), t.guide, transformersFile)
		},
		func() error {
			if !t.has(Adapter) {
				return nil
			}
			return save(Adapter, adapterSettings(t.adapter.Config(), t.unet.Config()), t.adapter, diffusersFile)
		},
		func() error { return writeText(to) },
		func() error {
			s, err := scheduleSettings(t.about[Denoiser].Recipe)
			if err != nil {
				return err
			}
			return writeSettings(filepath.Join(to, "scheduler"), "scheduler_config.json", s)
		},
		func() error { return writeSettings(to, "model_index.json", t.index()) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// writeText writes the text side: tokenizer and text_encoder.
func writeText(to string) error {
	text, err := openText(filepath.Join(to, "tokenizer"))
	if err != nil {
		return err
	}
	dir := filepath.Join(to, "text_encoder")
	if err := writeSettings(dir, "config.json", textSettings(text.Net.Config())); err != nil {
		return err
	}
	about := map[string]any{"seed": textSeed, "trained": false}
	return modelfile.Save(filepath.Join(dir, transformersFile), headerKey, about, text.Net.Params(), weights.F16)
}

// Files returns the files of the model, by their paths in its folder: [Files] and those
// of the parts that need not be there.
func (c *Card) Files() []string {
	all := slices.Clone(Files)
	for _, p := range []struct {
		part  Part
		files []string
	}{{Guide, []string{"guide/config.json", "guide/" + transformersFile}}, {Adapter, []string{controlFolder + "/config.json", controlFolder + "/" + diffusersFile, steeredFile}}} {
		if _, ok := c.Parts[p.part]; ok {
			all = append(all, p.files...)
		}
	}
	return all
}

// Files are the files that every assembled model has, by their paths in its folder.
var Files = []string{
	"model_index.json", "card.md", "card.json", samplesFile,
	"vae/config.json", "vae/" + diffusersFile, "unet/config.json", "unet/" + diffusersFile,
	"text_encoder/config.json", "text_encoder/" + transformersFile,
	"tokenizer/vocab.json", "tokenizer/merges.txt", "tokenizer/tokenizer_config.json", "scheduler/scheduler_config.json",
	"classifier/config.json", "classifier/" + transformersFile, "judge/config.json", "judge/" + transformersFile,
}
