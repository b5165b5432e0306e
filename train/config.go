package train

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/internal/epochs"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/noise"
)

// Config says how to train, whatever the objective. Only Steps must be set.
type Config struct {
	Steps int    `json:"steps"`           // optimiser steps
	Batch int    `json:"batch,omitempty"` // examples per step; 0 is 128
	Seed  uint64 `json:"seed"`            // of examples, noise levels and noise

	Rate        float64 `json:"rate,omitempty"`         // learning rate; 0 is 3e-4
	Warmup      int     `json:"warmup,omitempty"`       // steps over which the rate rises from 0
	Cosine      bool    `json:"cosine,omitempty"`       // let the rate fall to 0 as a half cosine
	Beta1       float64 `json:"beta1,omitempty"`        // 0 is 0.9
	Beta2       float64 `json:"beta2,omitempty"`        // 0 is 0.999
	Epsilon     float64 `json:"epsilon,omitempty"`      // 0 is 1e-8
	WeightDecay float64 `json:"weight_decay,omitempty"` // decoupled (AdamW)
	ClipNorm    float64 `json:"clip_norm,omitempty"`    // largest global norm of a gradient; 0 does not clip

	EMA EMA `json:"ema"`

	Validation      float64 `json:"validation,omitempty"`       // share of the examples held out
	ValidationEvery int     `json:"validation_every,omitempty"` // steps between validation losses; 0 is 1000
	LogEvery        int     `json:"log_every,omitempty"`        // steps between metrics; 0 is 100
	CheckpointEvery int     `json:"checkpoint_every,omitempty"` // steps between checkpoints, unless ten minutes are less; 0 is 1000
}

// EMA is an exponential moving average of the weights. The zero value is the
// average of the diffusion-policy papers.
type EMA struct {
	// Decay is a constant decay; 0 uses the warm-up 1 - (1+n)^-Power instead, with
	// n the updates so far, at most Max.
	Decay float64 `json:"decay,omitempty"`
	Every int     `json:"every,omitempty"` // steps between updates; 0 is 1
	Start int     `json:"start,omitempty"` // before this step the average is the weights themselves
	Power float64 `json:"power,omitempty"` // 0 is 0.75
	Max   float64 `json:"max,omitempty"`   // 0 is 0.9999
}

func (c Config) withDefaults() Config {
	setDefault(&c.Batch, 128)
	setDefault(&c.Rate, 3e-4)
	setDefault(&c.Beta1, 0.9)
	setDefault(&c.Beta2, 0.999)
	setDefault(&c.Epsilon, 1e-8)
	setDefault(&c.EMA.Every, 1)
	setDefault(&c.EMA.Power, 0.75)
	setDefault(&c.EMA.Max, 0.9999)
	setDefault(&c.ValidationEvery, 1000)
	setDefault(&c.LogEvery, 100)
	setDefault(&c.CheckpointEvery, 1000)
	return c
}

func setDefault[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// check returns an error that names the first setting that makes no training.
func (c Config) check() error {
	for _, s := range []struct {
		name     string
		value    float64
		low, top float64
	}{
		{settings.TrainSteps.Name, float64(c.Steps), settings.TrainSteps.Low, settings.TrainSteps.High},
		{settings.TrainBatch.Name, float64(c.Batch), settings.TrainBatch.Low, settings.TrainBatch.High},
		{settings.TrainRate.Name, c.Rate, math.SmallestNonzeroFloat64, settings.TrainRate.High},
		{"warmup", float64(c.Warmup), 0, float64(c.Steps)},
		{"beta1", c.Beta1, 0, 1 - 1e-9},
		{"beta2", c.Beta2, 0, 1 - 1e-9},
		{"epsilon", c.Epsilon, math.SmallestNonzeroFloat64, 1},
		{"weight decay", c.WeightDecay, 0, 1e3},
		{"clip norm", c.ClipNorm, 0, math.MaxFloat64},
		{"EMA decay", c.EMA.Decay, 0, 1 - 1e-12},
		{"EMA interval", float64(c.EMA.Every), 1, math.MaxInt32},
		{"EMA start", float64(c.EMA.Start), 0, math.MaxInt32},
		{"EMA power", c.EMA.Power, 0, 10},
		{"EMA maximum", c.EMA.Max, 0, 1 - 1e-12},
		{"validation share", c.Validation, settings.TrainHeldOut.Low, settings.TrainHeldOut.High},
		{"validation interval", float64(c.ValidationEvery), 1, math.MaxInt32},
		{"log interval", float64(c.LogEvery), 1, math.MaxInt32},
		{"checkpoint interval", float64(c.CheckpointEvery), 1, math.MaxInt32},
	} {
		if err := inRange(s.name, s.value, s.low, s.top); err != nil {
			return err
		}
	}
	return nil
}

// inRange returns a [ConfigError] for a number outside of a range, or NaN.
func inRange(name string, value, low, high float64) error {
	if value >= low && value <= high {
		return nil
	}
	return &ConfigError{Name: name, Value: value, Low: low, High: high}
}

// ConfigError says which setting is out of range.
type ConfigError struct {
	Name      string
	Value     float64
	Low, High float64
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("train: %s is %g, want a number from %g to %g", e.Name, e.Value, e.Low, e.High)
}

// field returns the random field of a training with these settings. Objectives
// address it by the number of the step, never by a stream.
func (c Config) field() noise.Field { return noise.New(c.Seed).Sub("train") }

// newOrder returns the order of the examples of a training.
func newOrder(c Config, d epochs.Numbered) (*epochs.Order, error) {
	if divided, ok := d.(epochs.Divided); ok && c.Validation != 0 {
		return nil, &ConfigError{Name: fmt.Sprintf("validation share of data that hold out %d examples themselves", divided.HeldOut()), Value: c.Validation}
	}
	o, err := epochs.New(c.field(), d, c.Validation)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	return o, nil
}
