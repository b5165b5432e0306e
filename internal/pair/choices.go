package pair

import (
	"cmp"
	"math"

	"github.com/go-pcd/pcd/internal/metric"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/tensor"
)

// The published settings, and what carries them to latents of other sizes. See
// docs/adr/0031-image-pairs.md.
const (
	// PublishedGamma is the strength of the published runs, for latents of
	// PublishedDimension numbers.
	PublishedGamma     = 450.0
	PublishedDimension = 4 * 64 * 64
	// FreeGamma is the strength per √d of methods that do not project, whose published
	// one is not stated: the push then only has to be felt, not to win against the
	// projection.
	FreeGamma = 0.2
	// NoisePerChord is the factor of the noise under projection, per length of the
	// chords between exemplars. Below a fifth images collapse to one, beyond a half the
	// noise of the last steps undoes the coupling.
	NoisePerChord = 0.4
	// SyncWeight is the weight of SyncDiffusion's gradient. A raw gradient scales with the
	// networks that it goes through, so that the published 1.3 is of its own networks, and
	// this one of the model that ships; see docs/adr/0033-image-baselines.md.
	SyncWeight = 10.0
	// rateOfChord is the learning rate of mirror descent times the squared longest
	// chord; the iteration is stable below 4.
	rateOfChord = 0.25
)

// Choices are the numbers that a request leaves to rules.
type Choices struct {
	Gamma      float64 `json:"gamma"`
	NoiseScale float64 `json:"noise_scale"`
	// FreeGamma and FreeNoiseScale are of steps without a projection, beside others with one.
	FreeGamma      float64               `json:"free_gamma,omitempty"`
	FreeNoiseScale float64               `json:"free_noise_scale,omitempty"`
	SyncWeight     float64               `json:"sync_weight,omitempty"` // of SyncDiffusion
	Control        float64               `json:"control,omitempty"`     // of ControlNet-XS
	MirrorDescent  *latent.MirrorDescent `json:"mirror_descent,omitempty"`
	Chords         []float64             `json:"chords,omitempty"` // mean length of each member's
}

// Choose returns the numbers that the request stands for: those that it gives, and in
// the place of zeros those of the rules, for latents of a dimension and exemplars.
//
//	γ = 450/√16384 · √d   projected;  0.2 √d otherwise
//	k = 0.4 L             projected, with L the smaller mean chord;  1 otherwise
//	η = 0.25 / max L²     mirror descent
//
// What acts on an image is γ/√d and k/L. Source: spec of the image experiment, rescaling
// rules; k/L was chosen on a seed that no table uses.
func (r Request) Choose(dimension int, exemplars []tensor.Batch) Choices {
	t := r.Method.traits()
	c := Choices{Gamma: r.Gamma, NoiseScale: r.NoiseScale}
	if t.guided {
		c.SyncWeight = cmp.Or(r.SyncWeight, SyncWeight)
	}
	if t.steered {
		c.Control = cmp.Or(r.Control, published.ControlScale)
	}
	longest, shortest := 0.0, math.Inf(1)
	for _, e := range exemplars {
		if e.N < 2 {
			continue
		}
		all := chords(e)
		length, _ := metric.Moments(all)
		c.Chords = append(c.Chords, length)
		for _, l := range all {
			longest = max(longest, l)
		}
		shortest = min(shortest, length)
	}
	if c.Gamma == 0 && t.coupled {
		c.Gamma = FreeGamma * math.Sqrt(float64(dimension))
		if t.projected {
			c.Gamma = PublishedGamma * math.Sqrt(float64(dimension)/PublishedDimension)
		}
	}
	if c.NoiseScale == 0 {
		c.NoiseScale = 1
		if t.projected {
			c.NoiseScale = NoisePerChord * shortest
		}
	}
	if r.MirrorDescent != nil && t.projected {
		o := *r.MirrorDescent
		if o.Iterations == 0 {
			o.Iterations = published.MirrorDescentImages.Iterations
		}
		if o.LearningRate == 0 {
			o.LearningRate = rateOfChord / (longest * longest)
		}
		c.MirrorDescent = &o
	}
	return c
}

// chords returns the distances between all exemplars.
func chords(e tensor.Batch) (all []float64) {
	for i := range e.N {
		for j := range i {
			sum := 0.0
			for k, v := range e.Sample(i) {
				d := float64(v) - float64(e.Sample(j)[k])
				sum += d * d
			}
			all = append(all, math.Sqrt(sum))
		}
	}
	return all
}
