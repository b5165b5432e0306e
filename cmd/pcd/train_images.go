package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/experiment/portraits"
	"github.com/go-pcd/pcd/internal/manifest"
)

func imagesTraining() *trainEntry {
	return &trainEntry{
		use: "images PART", short: "Train a part of the image model", args: cobra.ExactArgs(1),
		long: `Trains a part of the model of portraits, which the program draws as they are needed:

  autoencoder  of pictures; comes first
  denoiser     of latents, told who is in the picture
  classifier   of latents, which couples pictures
  judge        of pictures, which evaluates them; needs no other part
  guide        of pictures, which couples them in SyncDiffusion; needs no other part
  adapter      of the denoiser, which draws along given edges by ControlNet-XS

A model is whole without the last two, which the baselines of image pairs need.
` + trainHelp + `
The directory receives a folder for every part, with the checkpoint, the metrics as
JSON lines, the loss curve, config.json and model.safetensors. Latents are encoded
once, and kept in the folder latents. "pcd image assemble" makes a model of the parts.
With --base, denoiser, classifier and adapter learn from the parts of a finished model.
A file of --recipe has settings by the names that the card.json of a model has for them,
such as {"latent": 8, "squares": 10, "train": {"batch": 4}}; flags go before it. With
--from, an autoencoder or a denoiser goes on from the weights of another one; of
autoencoders, that may have fewer channels of latents. With {"decoder_only": true} its
encoder stays, and with it the latents that the parts of --base learned from.

`,
		example: `  pcd train images autoencoder
  pcd train images denoiser
  pcd train images classifier
  pcd train images judge
  pcd train images guide
  pcd train images adapter
  pcd image assemble models/images -o models/portraits`,
		dir: "directory of all parts", defaultDir: filepath.Join("models", "images"),
		own:   "the part's own",
		flags: imagesFlags,
	}
}

// imagesFlags adds the flags of the image model. Each of those that all trainings have
// stands for the part's own unless it is given.
func imagesFlags(f *pflag.FlagSet) prepareTraining {
	var size, photos, held, noisy int
	var base, recipe, from string
	number(f, &size, portraits.RecipeSize)
	number(f, &photos, portraits.RecipePhotos)
	number(f, &held, portraits.RecipeHeldOut)
	number(f, &noisy, portraits.RecipeNoisy)
	f.StringVar(&base, "base", "", "folder of a model, whose parts stand in for those that were not trained")
	f.StringVar(&recipe, "recipe", "", "JSON file of settings in the place of the part's own")
	f.StringVar(&from, "from", "", "folder of an autoencoder or denoiser whose weights to start from (default: random ones)")
	return func(ctx context.Context, args []string, o trainOptions, m *manifest.Manifest, stderr io.Writer) (*preparedTraining, error) {
		part, err := portraits.ParsePart(args[0])
		if err != nil {
			return nil, usageError{err}
		}
		r := portraits.DefaultRecipe(part)
		if recipe != "" {
			if r, err = portraits.ReadRecipe(recipe, part); err != nil {
				return nil, err
			}
		}
		if r.From = from; from != "" && part != portraits.Autoencoder && part != portraits.Denoiser {
			return nil, usageError{fmt.Errorf("--from %s is for the autoencoder and the denoiser, the %s starts from random weights", from, part)}
		}
		for _, v := range []struct {
			name string
			from int
			to   *int
		}{{"size", size, &r.Size}, {"photos", photos, &r.Photos}, {"held-out", held, &r.HeldOut}, {"noisy", noisy, &r.Noisy}, {"steps", o.steps, &r.Train.Steps}, {"batch", o.batch, &r.Train.Batch}} {
			if f.Changed(v.name) {
				*v.to = v.from
			}
		}
		if f.Changed("rate") {
			r.Train.Rate = o.rate
		}
		if f.Changed("seed") {
			r.Train.Seed = o.seed
		}
		return prepareImages(ctx, r, o.dir, base, m, stderr)
	}
}

// prepareImages opens the training of a part.
func prepareImages(ctx context.Context, r portraits.Recipe, dir, base string, record *manifest.Manifest, stderr io.Writer) (*preparedTraining, error) {
	if err := checkOutputDir(dir); err != nil {
		return nil, err
	}
	t, err := portraits.NewTraining(ctx, dir, base, r, portraits.Progress(newProgress(stderr, "encoding portraits")))
	if err != nil {
		return nil, err
	}
	record.Seed, record.Settings = r.Train.Seed, r
	return &preparedTraining{
		Training: t, dir: r.Part.Dir(dir), title: "Training of the " + string(r.Part), steps: r.Train.Steps, more: []string{"config.json"},
		summary: trainSummary{Part: string(r.Part)},
	}, nil
}
