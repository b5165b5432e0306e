package modelfile

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/pyjson"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/internal/singlefile"
	"github.com/go-pcd/pcd/weights"
)

// maxTokenizerFile bounds the files of a tokenizer that are taken along.
const maxTokenizerFile = 16 << 20

// networkParts are the parts with weights that a single file can hold.
var networkParts = []string{singlefile.UNet, singlefile.VAE, singlefile.Text}

// WriteSingle writes the networks of a folder as one safetensors file, under the names that
// the authors of Stable Diffusion gave their tensors. Tensors keep their types and bits.
func (f *Folder) WriteSingle(w io.Writer) error {
	m := &singlefile.Model{Parts: map[string]*weights.StateDict{}}
	for _, p := range f.Parts {
		if p.Name == "text_encoder_2" || p.Name == "transformer" || p.Name == "prior" {
			return &Error{Path: p.Path, Reason: "is a part that models of Stable Diffusion 1 and 2 have not; others are not written as one file"}
		}
	}
	for _, name := range networkParts {
		p, err := f.Part(name)
		if err != nil {
			continue // a model does without it
		}
		if want := singlefile.Class(name); p.Class != want {
			return &Error{Path: p.Path, Reason: fmt.Sprintf("has the class %.60q, and one file holds parts of the class %s", p.Class, want)}
		}
		sd, err := p.named()
		if err != nil {
			return err
		}
		defer sd.Close()
		m.Parts[name] = sd
	}
	if len(m.Parts) == 0 {
		return &Error{Path: f.Path, Reason: "has none of the parts unet, vae and text_encoder"}
	}
	said, err := f.training()
	if err != nil {
		return err
	}
	m.Prediction, m.ZeroSNR = said.Prediction, said.ZeroSNR
	m.FindFamily()
	joined, err := m.Join()
	if err != nil {
		return &Error{Path: f.Path, Reason: "cannot be written as one file", Err: err}
	}
	return weights.WriteSafetensors(w, joined, joined.Metadata)
}

// named opens the tensors of a part under the present names of its network, all of which
// must be there.
func (p *Part) named() (*weights.StateDict, error) {
	net, err := p.network()
	if err != nil {
		return nil, err
	}
	sd, err := p.Open()
	if err != nil {
		return nil, err
	}
	if net != nil {
		if err := p.check(net, sd); err != nil {
			sd.Close() // the first error says more
			return nil, err
		}
	}
	renamed, err := sd.Rename(p.keys(sd))
	if err != nil {
		sd.Close()
		return nil, &Error{Path: p.Weights[0], Reason: "its tensors cannot be renamed", Err: err}
	}
	return renamed, nil
}

// trained is what a scheduler says about the training that single files can say, too.
type trained struct {
	Prediction string `json:"prediction_type"`
	ZeroSNR    bool   `json:"rescale_betas_zero_snr"`
}

// training returns what the scheduler says; without one, that the network predicts noise.
func (f *Folder) training() (trained, error) {
	p, err := f.Part(schedulerPart)
	if err != nil {
		return trained{Prediction: singlefile.Epsilon}, nil
	}
	return p.training()
}

// training reads the settings of a scheduler.
func (p *Part) training() (trained, error) {
	said := trained{Prediction: singlefile.Epsilon}
	raw, err := p.ReadSettings()
	if err != nil {
		return said, err
	}
	if err := json.Unmarshal(pyjson.Standard(raw), &said); err != nil {
		return said, &Error{Path: p.Settings, Reason: "is not the JSON that is expected", Err: err}
	}
	return said, nil
}

// PartFiles are the files that [Folder.WriteParts] may write of models with the usual parts.
var PartFiles = []string{
	indexFile, "scheduler/scheduler_config.json", "unet/config.json", "unet/diffusion_pytorch_model.safetensors", "vae/config.json", "vae/diffusion_pytorch_model.safetensors",
	"text_encoder/config.json", "text_encoder/model.safetensors", "tokenizer/vocab.json", "tokenizer/merges.txt", "tokenizer/special_tokens_map.json", "tokenizer/tokenizer_config.json",
	"tokenizer/added_tokens.json", "tokenizer/tokenizer.json",
}

// WriteParts writes the model in the published layout of a folder: weights as safetensors
// under the present names, settings as they are, and the tokenizer, if there is one. It
// returns the names of the files, and those of parts that are not known here and were left
// out. The folder must be there.
func (f *Folder) WriteParts(dir string) (files, left []string, err error) {
	index := map[string]any{"_class_name": "StableDiffusionPipeline", "requires_safety_checker": false, "safety_checker": []any{nil, nil}, "feature_extractor": []any{nil, nil}}
	for i := range f.Parts {
		p := &f.Parts[i]
		if _, network := networks[p.Class]; !network && p.Name != tokenizerPart && p.Name != schedulerPart {
			left = append(left, p.Name)
			index[p.Name] = []any{nil, nil}
			continue
		}
		written, library, err := p.writeTo(filepath.Join(dir, p.Name))
		if err != nil {
			return nil, nil, err
		}
		for _, name := range written {
			files = append(files, path.Join(p.Name, name))
		}
		index[p.Name] = []any{library, p.Class}
	}
	text, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		return nil, nil, err
	}
	return append(files, indexFile), left, atomicfile.WriteBytes(filepath.Join(dir, indexFile), append(text, '\n'))
}

// writeTo writes the files of a part, and names the library of its class.
func (p *Part) writeTo(dir string) (files []string, library string, err error) {
	if err := atomicfile.MkdirAll(dir); err != nil {
		return nil, "", err
	}
	weightsFile, settings := "diffusion_pytorch_model.safetensors", settingsFiles[0]
	if p.text == nil && isYAML(p.Settings) {
		settings = filepath.Base(p.Settings)
	}
	library = "diffusers"
	switch {
	case p.Name == tokenizerPart:
		files, err = p.copyFiles(dir)
		return files, "transformers", err
	case p.Name == schedulerPart:
		weightsFile, settings = "", "scheduler_config.json"
	case p.Class == singlefile.Class(singlefile.Text):
		weightsFile, library = "model.safetensors", "transformers"
	}
	text, err := p.ReadSettings()
	if err != nil {
		return nil, "", err
	}
	if err := atomicfile.WriteBytes(filepath.Join(dir, settings), text); err != nil {
		return nil, "", err
	}
	if weightsFile == "" {
		return []string{settings}, library, nil
	}
	return []string{settings, weightsFile}, library, p.writeWeights(filepath.Join(dir, weightsFile))
}

func (p *Part) writeWeights(file string) error {
	sd, err := p.named()
	if err != nil {
		return err
	}
	defer sd.Close()
	return atomicfile.Write(file, func(w io.Writer) error {
		return weights.WriteSafetensors(w, sd, map[string]string{"format": "pt"})
	})
}

// copyFiles copies the files of a tokenizer.
func (p *Part) copyFiles(dir string) (files []string, err error) {
	for _, name := range []string{"vocab.json", "merges.txt", "special_tokens_map.json", "tokenizer_config.json", "added_tokens.json", "tokenizer.json"} {
		raw, err := regular.ReadFile(filepath.Join(p.Path, name), maxTokenizerFile)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, &Error{Path: p.Path, Reason: fmt.Sprintf("%s cannot be read", name), Err: err}
		}
		if err := atomicfile.WriteBytes(filepath.Join(dir, name), raw); err != nil {
			return nil, err
		}
		files = append(files, name)
	}
	return files, nil
}
