package pair

import (
	"cmp"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/latent"
)

// Request says which pairs to draw. Model, Members and Method must be set.
type Request struct {
	Model   *Model
	Members []Member // the images of a pair: 2, or more
	Method  Method
	Pairs   int // 0 is 1
	First   int // number of the first pair; pair 17 of a seed is always the same
	Seed    uint64
	Steps   int // of sampling; 0 is the published 100

	// Gamma is the strength of the coupling: the length of its push against the predicted
	// noise, per σ. NoiseScale multiplies the noise of every step. Zeros stand for the
	// rules of [Request.Choose]. Where only some steps are projected, both are of those:
	// see Timesteps.
	Gamma      float64
	NoiseScale float64
	// Attribute is what is to differ; empty is [Age]. Rotation compares group a of the
	// first image with group a - Rotation of the second.
	Attribute Attribute
	Rotation  int

	// MirrorDescent, if not nil, is the published iteration in the place of the exact
	// projection; its zeros stand for the rules.
	MirrorDescent *latent.MirrorDescent
	// Timesteps are those after which latents are projected, see
	// [latent.ParseSelection]; empty is all. Steps without a projection are the model's
	// own, with noise of scale 1 and at most the push of methods that do not project, and
	// begin at projected latents that the forward process has noised: see [latent.Free].
	Timesteps string
	// Box, if positive, also keeps every number of a latent within [-Box, Box].
	Box float64
	// SamplePosterior draws the latents of exemplars from their posteriors, as the
	// published runs do, instead of taking the means.
	SamplePosterior bool

	// SyncWeight is the weight of SyncDiffusion's gradient at the first step, and Control
	// how much the adapter of ControlNet-XS counts; zeros stand for the rules. SyncTogether
	// moves all images instead of those beside the anchor.
	SyncWeight   float64
	SyncTogether bool
	Control      float64

	// Prompt is what prompted methods tell the models, unless a member has its own, and
	// Guidance how far it is exaggerated; 0 is that of the method: as published for the
	// baselines, otherwise 1, the prompt alone, which is what the published code computes.
	Prompt   string
	Guidance float64

	// Frames is how many steps are kept with their latents, spread evenly, the last one
	// included.
	Frames int
	// Undecoded leaves latents as they are: nothing is decoded or judged.
	Undecoded bool
	// Progress is called after every step, and as images are encoded or decoded.
	Progress func(stage string, done, total int)
}

// Member is one image of every pair.
type Member struct {
	Name      string
	Exemplars []Exemplar // span the hull; read by methods that project
	Model     *Model     // nil is that of the request
	Prompt    string     // empty is that of the request
}

// Limits of a request.
const (
	maxPairs  = 1 << 20
	maxFrames = 1 << 10
)

// withDefaults fills in what is not set.
func (r Request) withDefaults() Request {
	if r.Pairs == 0 {
		r.Pairs = 1
	}
	if r.Attribute == "" {
		r.Attribute = Age
	}
	if r.Guidance == 0 {
		r.Guidance = cmp.Or(r.Method.traits().guidance, 1)
	}
	return r
}

// Check returns what is wrong with a request by itself, before anything is computed.
func (r Request) Check() error {
	r = r.withDefaults()
	if _, err := ParseMethod(string(r.Method)); err != nil {
		return err
	}
	if _, err := ParseAttribute(string(r.Attribute)); err != nil {
		return err
	}
	if err := r.checkNumbers(); err != nil {
		return err
	}
	if _, err := r.Attribute.groups(len(r.Members)); err != nil {
		return err
	}
	if r.MirrorDescent != nil && r.Box > 0 {
		return &latent.SettingError{Name: "box", Value: r.Box, Want: "none with mirror descent, which knows hulls only: use the exact projection"}
	}
	for i, m := range r.Members {
		if t := r.Method.traits(); t.projected || t.steered || len(m.Exemplars) > 0 {
			if err := checkExemplars(m.label(i), m.Exemplars); err != nil {
				return err
			}
		}
	}
	return r.checkParts()
}

// checkNumbers returns an error for numbers out of range.
func (r Request) checkNumbers() error {
	for _, s := range []struct {
		name      string
		value     float64
		low, high float64
	}{
		{"variables", float64(len(r.Members)), 2, math.Inf(1)},
		{"pairs", float64(r.Pairs), 1, maxPairs}, {"first pair", float64(r.First), 0, math.MaxInt32},
		{"steps", float64(r.Steps), 0, math.MaxInt32}, {"frames", float64(r.Frames), 0, maxFrames},
		{"gamma", r.Gamma, 0, settings.Gamma.High}, {"sync weight", r.SyncWeight, 0, settings.SyncWeight.High}, {"control", r.Control, 0, settings.Control.High}, {"noise scale", r.NoiseScale, 0, settings.NoiseScale.High},
		{"guidance", r.Guidance, settings.Guidance.Low, settings.Guidance.High}, {"box", r.Box, 0, math.MaxFloat32},
	} {
		if s.value >= s.low && s.value <= s.high {
			continue
		}
		want := fmt.Sprintf("%g to %g", s.low, s.high)
		if math.IsInf(s.high, 1) {
			want = fmt.Sprintf("at least %g", s.low)
		}
		return &latent.SettingError{Name: s.name, Value: s.value, Want: want}
	}
	return nil
}

// checkParts returns a [NeedsError] for what the models lack.
func (r Request) checkParts() error {
	t := r.Method.traits()
	for i := range r.Members {
		m := r.modelOf(i)
		if t.prompted && t.adapt == nil && m.Text == nil { // baselines do without
			return &NeedsError{Method: r.Method, What: "a model that listens to text", Remedy: "it wants the parts text_encoder and tokenizer"}
		}
	}
	for i := range r.Members {
		if err := r.Model.Shares(r.modelOf(i).Model); err != nil {
			return fmt.Errorf("pair: the model of %s does not share latents and noise with the first model, which is --model or, without it, the one that ships, or --model-a where neither of two has its latents: %w", r.Members[i].label(i), err)
		}
		if t.steered && r.modelOf(i).Control == nil {
			return &NeedsError{Method: r.Method, What: "an adapter of the denoising network",
				Remedy: "it wants the part controlnet in the folder of the model: pcd train images adapter trains one, and pcd image assemble takes it along"}
		}
	}
	switch {
	case t.coupled:
		return r.checkAnswers(r.Model.Classifier, "a classifier of latents", "it wants the part classifier in the folder of the model: pcd image train-classifier trains one")
	case t.guided:
		return r.checkAnswers(r.Model.Guide, "a classifier of pictures that is not the judge",
			"it wants the part guide in the folder of the model: pcd train images guide trains one, and pcd image assemble takes it along")
	}
	return nil
}

// checkAnswers returns a [NeedsError] unless a classifier answers the question of the
// request.
func (r Request) checkAnswers(c *latent.Classifier, what, remedy string) error {
	if c == nil {
		return &NeedsError{Method: r.Method, What: what, Remedy: remedy}
	}
	if r.Attribute.question(c) < 0 {
		return &NeedsError{Method: r.Method, What: fmt.Sprintf("%s with the head %s", what, attributes[r.Attribute])}
	}
	return nil
}

// modelOf returns the model of a member.
func (r Request) modelOf(i int) *Model {
	if m := r.Members[i].Model; m != nil {
		return m
	}
	return r.Model
}

// label is the name of a member, or its number.
func (m Member) label(i int) string {
	if m.Name != "" {
		return m.Name
	}
	return fmt.Sprintf("member %d", i+1)
}
