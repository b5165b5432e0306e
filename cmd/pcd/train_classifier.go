package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/experiment/attributes"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/terminal"
	"github.com/go-pcd/pcd/latent"
)

func classifierTraining() *trainEntry {
	return &trainEntry{
		verb: "image train-classifier", use: "train-classifier", short: "Train what couples or judges pairs of images, on labels of your own", args: cobra.NoArgs,
		long: `Trains a classifier of age and gender on pictures with labels, so that "pcd pair" can
couple the images of your own model:

  classifier  of its latents, which couples images
  judge       of pictures, which says what they show
  guide       of pictures, which couples them in SyncDiffusion

"pcd pair --model DIR" finds them as folders of these names in DIR: write them there.

Unless told otherwise, it takes 2000 steps of 32 pictures, at a rate of 0.001 at most.

--images is a folder of PNG or JPEG files, which are brought to the size of the model's images.
--labels is a CSV file with a header: the column file, a path below that folder; age, in
years, or age_group, one of 0-2, 3-6, 7-9, 10-14, 15-19, 20-29, 30-39, 40-49, 50-69 and
70-120; and gender, male or female. A column may be missing, and cells may be empty.
` + trainHelp + `
The directory receives the checkpoint, the metrics as JSON lines, the loss curve,
config.json, model.safetensors and how often the classifier is right about pictures held
out (accuracy.json). Latents are encoded once, and kept in the folder latents.

`,
		example: `  pcd image train-classifier --model models/sd15 --images faces \
    --labels faces.csv -o models/sd15/classifier
  pcd image train-classifier --part judge --model models/sd15 --images faces \
    --labels faces.csv -o models/sd15/judge`,
		dir: "directory of the classifier (required)", own: "the part's own",
		flags: classifierFlags,
	}
}

// classifierSteps are the optimiser steps of a classifier, unless others are asked for.
const classifierSteps = 2000

// classifierFlags adds the flags of a classifier.
func classifierFlags(f *pflag.FlagSet) prepareTraining {
	var model, images, labels, part string
	r := attributes.DefaultRecipe(attributes.Classifier, 0)
	f.StringVar(&part, "part", string(r.Part), strings.Join(attributes.Names(), ", "))
	f.StringVar(&model, "model", "", "folder or file of the model (required)")
	f.StringVar(&images, "images", "", "folder of pictures (required)")
	f.StringVar(&labels, "labels", "", "CSV file of labels (required)")
	number(f, &r.Width, attributes.RecipeWidth)
	number(f, &r.Noisy, attributes.RecipeNoisy)
	number(f, &r.HeldOut, attributes.RecipeHeldOut)
	return func(ctx context.Context, _ []string, o trainOptions, m *manifest.Manifest, stderr io.Writer) (*preparedTraining, error) {
		for _, v := range [][2]string{{"output", o.dir}, {"model", model}, {"images", images}, {"labels", labels}} {
			if v[1] == "" {
				return nil, usageError{fmt.Errorf("--%s is missing", v[0])}
			}
		}
		own := attributes.DefaultRecipe(attributes.Part(part), classifierSteps)
		if f.Changed("steps") {
			own = attributes.DefaultRecipe(attributes.Part(part), o.steps)
		}
		own.Width, own.Noisy, own.HeldOut = r.Width, r.Noisy, r.HeldOut
		own.Train.Batch, own.Train.Rate = cmp.Or(o.batch, own.Train.Batch), cmp.Or(o.rate, own.Train.Rate)
		if f.Changed("seed") {
			own.Train.Seed = o.seed
		}
		if err := errors.Join(own.Check(), checkOutputDir(o.dir)); err != nil {
			return nil, err
		}
		return prepareClassifier(ctx, own, classifierPaths{model, images, labels}, o.dir, m, stderr)
	}
}

// classifierPaths are what a classifier learns from.
type classifierPaths struct{ model, images, labels string }

// prepareClassifier opens the training of a classifier.
func prepareClassifier(ctx context.Context, r attributes.Recipe, p classifierPaths, dir string, record *manifest.Manifest, stderr io.Writer) (*preparedTraining, error) {
	m, err := latent.Open(p.model)
	if err != nil {
		return nil, err
	}
	height, width := m.Size()
	album, err := attributes.ReadAlbum(ctx, p.images, p.labels, height, width, r.HeldOut, newProgress(stderr, "reading pictures"))
	var label *attributes.LabelError
	if errors.As(err, &label) {
		return nil, usageError{err}
	}
	if err != nil {
		return nil, err
	}
	w, err := attributes.New(ctx, dir, r, m, album, newProgress(stderr, "encoding pictures"))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(recordCodec(record, p.model), record.InputFile("labels", p.labels)); err != nil {
		return nil, err
	}
	record.Seed, record.Settings = r.Train.Seed, classifierSettings{r, album.Identity()}
	return &preparedTraining{
		Training: w.Training, dir: dir, title: "Training of the " + string(r.Part), steps: r.Train.Steps, more: []string{"config.json", accuracyName},
		summary: trainSummary{Part: string(r.Part)}, reportFile: accuracyName,
		report: func(ctx context.Context, s *trainSummary) (err error) {
			s.Accuracy, err = w.Judge(ctx)
			return err
		},
	}, nil
}

// classifierSettings are what the manifest says of a classifier.
type classifierSettings struct {
	attributes.Recipe
	Pictures string `json:"pictures"` // which, by their digest as they are learned from
}

// recordCodec records what a classifier takes of a model: its autoencoder. The rest of a folder
// may be the classifier itself.
func recordCodec(record *manifest.Manifest, model string) error {
	vae := filepath.Join(model, "vae")
	if _, err := os.Stat(vae); err != nil {
		return record.InputFile("model", model) // one file
	}
	return record.InputFile("vae", vae)
}

// accuracyName is the file of how often a classifier is right.
const accuracyName = "accuracy.json"

// printAccuracy says how often a classifier is right.
func printAccuracy(w io.Writer, s trainSummary) {
	var t terminal.Fields
	for _, a := range s.Accuracy {
		if a.Images == 0 {
			t.Add(a.Head, "no picture held out has a label")
			continue
		}
		t.Add(a.Head, "right about %.1f %% of %s held out; the most common answer alone, %.1f %%", 100*a.Right, plural.Of(a.Images, "picture"), 100*a.Common)
	}
	_ = printFields(w, &t)
}
