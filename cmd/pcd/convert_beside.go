package main

import (
	"fmt"
	"path"
	"path/filepath"
	"reflect"

	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
)

// beside lists what of a model belongs beside the file that was made of it: settings that are others
// than those that follow from the file where it lies now, and the tokenizer.
func (o convertImage) beside(f *modelfile.Folder) (names []string, err error) {
	file, err := modelfile.OpenSingle(o.out, filepath.Dir(o.out))
	if err != nil {
		return nil, err
	}
	for i := range f.Parts {
		part := &f.Parts[i]
		alone, missing := file.Part(part.Name)
		if part.Name == "tokenizer" && missing != nil {
			names = append(names, part.Name)
			continue
		}
		if missing != nil || part.Name == "tokenizer" {
			continue
		}
		of, err := settingsMean(part)
		if err != nil {
			return nil, err
		}
		than, err := settingsMean(alone)
		if err != nil || !reflect.DeepEqual(of, than) { // what follows from shapes may make no network
			names = append(names, path.Join(part.Name, settingsName(part.Name)))
		}
	}
	return names, nil
}

// settingsName is the file of the settings of a part.
func settingsName(part string) string {
	if part == "scheduler" {
		return "scheduler_config.json"
	}
	return "config.json"
}

// settingsMean returns what the settings of a part say, whatever their words.
func settingsMean(p *modelfile.Part) (any, error) {
	raw, err := p.ReadSettings()
	if err != nil {
		return nil, err
	}
	switch p.Name {
	case "unet":
		return nn.ParseConfig[nn.UNet2DConfig](raw)
	case "vae":
		c, err := nn.ParseConfig[nn.AutoencoderConfig](raw)
		c.SampleSize = 0 // the size of images is that of the denoising network
		return c, err
	case "text_encoder":
		return nn.ParseConfig[nn.CLIPTextConfig](raw)
	}
	n, err := latent.ParseNoise(raw)
	if err != nil {
		return nil, err
	}
	const steps = 10 // enough for every sampler
	said := fmt.Sprint(n.Prediction, n.Offset, n.Final)
	for _, method := range append(latent.Methods(), latent.Published) {
		d, err := (&latent.Model{Noise: n}).Dynamics(latent.Sampler{Steps: steps, Method: method})
		said += fmt.Sprintln(d, err) // what is not sampled is said, too
	}
	return said, nil
}
