package attributes

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/encoded"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
	"github.com/go-pcd/pcd/weights"
)

// Part is what a classifier is for.
type Part string

// The parts, which are the folders that pairs of images look for beside a model.
const (
	Classifier Part = "classifier" // of latents: couples images
	Judge      Part = "judge"      // of pictures: says what they show
	Guide      Part = "guide"      // of pictures: couples them in SyncDiffusion
)

// Parts lists them.
var Parts = []Part{Classifier, Judge, Guide}

// Names lists the names of the parts.
func Names() (names []string) {
	for _, p := range Parts {
		names = append(names, string(p))
	}
	return names
}

// Recipe says how a classifier is trained.
type Recipe struct {
	Part    Part         `json:"part"`
	Width   int          `json:"width"`    // channels at the highest resolution; the published classifiers have 64
	HeldOut float64      `json:"held_out"` // share of the pictures that are not learned from
	Smooth  float64      `json:"smooth"`   // smoothing of the labels
	Noisy   int          `json:"noisy"`    // noisy copies of every latent that a classifier of latents also learns from
	Train   train.Config `json:"train"`
}

// DefaultRecipe returns the recipe of a part for a number of steps. What couples learns from
// smoothed labels, which keep its logits moderate; what judges does not: its probabilities are
// read as they are.
func DefaultRecipe(p Part, steps int) Recipe {
	r := Recipe{Part: p, Width: int(RecipeWidth.Default), HeldOut: RecipeHeldOut.Default, Smooth: 0.1, Train: train.Config{
		Steps: steps, Batch: 32, Rate: 1e-3, Seed: 1, Warmup: min(200, steps/10), Cosine: true, ClipNorm: 1,
		LogEvery: 25, ValidationEvery: 250, CheckpointEvery: 100,
	}}
	if p == Judge {
		r.Smooth = 0
	}
	return r
}

// Check returns what is wrong with the recipe by itself.
func (r Recipe) Check() error {
	if !slices.Contains(Parts, r.Part) {
		return &experiment.SpecError{Err: fmt.Errorf("part is %s, want one of %s", quote.Text(string(r.Part)), strings.Join(Names(), ", "))}
	}
	if r.Noisy != 0 && r.Part != Classifier {
		return &experiment.SpecError{Err: fmt.Errorf("%d noisy copies for a %s, want 0: it looks at pictures without noise", r.Noisy, r.Part)}
	}
	for _, v := range []struct {
		row   settings.Number
		value float64
	}{{RecipeWidth, float64(r.Width)}, {RecipeNoisy, float64(r.Noisy)}, {RecipeHeldOut, r.HeldOut}} {
		if !v.row.Allows(v.value) {
			return &train.ConfigError{Name: v.row.Name, Value: v.value, Low: v.row.Low, High: v.row.High}
		}
	}
	return nil
}

// Work is a prepared training with what is judged at its end.
type Work struct {
	*experiment.Training
	net  *nn.Classifier
	data train.Data // pictures or latents with their classes
	held int        // the last of them, that are not learned from
}

// New prepares the training of a classifier for a model on an album whose pictures have the size
// of the model's, in the folder dir. Latents are kept in the folder latents there. Progress may be
// nil.
func New(ctx context.Context, dir string, r Recipe, m *latent.Model, a *Album, progress func(done, total int)) (*Work, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	w := &Work{data: a, held: a.HeldOut()}
	channels, source := 3, a.Identity()
	if r.Part == Classifier {
		l, err := latentsOf(ctx, dir, m, a, progress)
		if err != nil {
			return nil, err
		}
		w.data, channels, source = l, l.Shape()[0], l.Identity()
		if r.Noisy > 0 {
			w.data = encoded.WithNoise(l, r.Noisy, m.Noise.Schedule, r.Train.Seed)
		}
	}
	c := nn.ClassifierConfig{InChannels: channels, Width: r.Width, Heads: a.Heads()}
	net, err := nn.NewClassifier(c)
	if err != nil {
		return nil, err
	}
	net.Init(noise.New(r.Train.Seed).Sub("init"))
	w.net = net
	trainer, err := train.New(train.CrossEntropy{Net: net, Data: w.data, Smoothing: r.Smooth}, r.Train)
	if err != nil {
		return nil, err
	}
	w.Training, err = experiment.NewTraining(dir, trainer, func(path string, _ []*nn.Param, steps int, loss float64) error {
		d := description{Recipe: r, Steps: steps, Loss: loss, Source: source}
		if err := atomicfile.WriteJSON(filepath.Join(dir, "config.json"), net.Config()); err != nil {
			return err
		}
		return modelfile.Save(path, "pcd.attributes", d, modelfile.State(net), weights.F32)
	})
	return w, err
}

// description says in the file of a classifier how it came about.
type description struct {
	Recipe Recipe  `json:"recipe"`
	Steps  int     `json:"steps"`
	Loss   float64 `json:"loss"`   // on pictures held out
	Source string  `json:"source"` // identity of the examples
}

// perFile is how many latents a file keeps: a minute of work with an autoencoder of full size.
const perFile = 32

// latentsOf encodes an album by the autoencoder of a model.
func latentsOf(ctx context.Context, dir string, m *latent.Model, a *Album, progress func(done, total int)) (*encoded.Latents, error) {
	net := m.Codec.Net
	if net == nil {
		return nil, &latent.SettingError{Where: m.Path, Name: "vae", Value: "a tiny autoencoder", Want: "a full one, such as that of the model that this one was distilled from: a classifier of its latents goes with both"}
	}
	e := encoded.Encoder{Net: net, Scale: net.Config().ScalingFactor, Dir: filepath.Join(dir, "latents"), Shard: perFile, Progress: progress}
	l, err := e.Encode(ctx, a)
	if err != nil {
		return nil, err
	}
	l.Tell(a.ConditionShape(), a.Condition)
	return l, nil
}

// Accuracy says how often a classifier is right about pictures held out.
type Accuracy struct {
	Head   string  `json:"head"`
	Right  float64 `json:"right"`  // share
	Common float64 `json:"common"` // share of the most common class: what is right without looking
	Images int     `json:"images"` // held out, with a label
}

// Judge asks the classifier, with its averaged weights, about the pictures held out.
func (w *Work) Judge(ctx context.Context) ([]Accuracy, error) {
	defer w.Trainer().UseAverage()()
	w.net.Refresh()
	heads := w.net.Config().Heads
	out := make([]Accuracy, len(heads))
	counts := make([][]int, len(heads))
	for h := range heads {
		out[h].Head, counts[h] = heads[h].Name, make([]int, len(heads[h].Classes))
	}
	shape, err := w.net.Output(w.data.Shape())
	if err != nil {
		return nil, err
	}
	x, logits, labels := tensor.New(1, w.data.Shape()...), tensor.New(1, shape...), make([]float32, len(heads))
	for i := w.data.Len() - w.held; i < w.data.Len(); i++ {
		w.data.Example(x.Data, labels, i)
		if err := w.net.Apply(ctx, logits, x); err != nil {
			return nil, err
		}
		for h := range heads {
			if labels[h] == unknown {
				continue
			}
			counts[h][int(labels[h])]++
			out[h].Images++
			from, to := w.net.Logits(h)
			if likeliest(logits.Data[from:to]) == int(labels[h]) {
				out[h].Right++
			}
		}
	}
	for h := range out {
		n := math.Max(1, float64(out[h].Images))
		out[h].Right, out[h].Common = out[h].Right/n, float64(slices.Max(counts[h]))/n
	}
	return out, nil
}

// likeliest returns the class of the largest logit.
func likeliest(logits []float32) (best int) {
	for i, v := range logits {
		if v > logits[best] {
			best = i
		}
	}
	return best
}
