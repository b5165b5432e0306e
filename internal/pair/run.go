package pair

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// setup is a request worked out: everything that a problem is made of.
type setup struct {
	Request
	Choices
	groups    [][]int
	shape     tensor.Shape   // of latents
	exemplars []tensor.Batch // latents by member; empty where there are none
	ensemble  latent.Ensemble
	encoding  float64 // seconds
	lost      int     // tokens of a member's prompt that did not fit, at most
}

// Do draws pairs. When the context is cancelled it returns the error of the context and
// no result: half-denoised latents are none.
func Do(ctx context.Context, r Request) (*Result, error) {
	s, err := Prepare(ctx, r)
	if err != nil {
		return nil, err
	}
	out, err := s.Draw(ctx, s.setup.First, s.setup.Pairs)
	if err != nil {
		return nil, err
	}
	return out, s.Finish(ctx, out)
}

// prepare checks a request and encodes its exemplars.
func prepare(ctx context.Context, r Request) (*setup, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	s := &setup{Request: r.withDefaults()}
	var err error
	if s.groups, err = s.Attribute.groups(len(s.Members)); err != nil {
		return nil, err
	}
	height, width := s.Model.Size()
	if s.shape, err = s.Model.Codec.Latent(height, width); err != nil {
		return nil, err
	}
	if err := s.Model.CheckRoom(s.Pairs*len(s.Members), 0, height, width); err != nil {
		return nil, err
	}
	if s.Method.Projected() || s.Method.traits().adapt != nil {
		if err := s.encode(ctx); err != nil {
			return nil, err
		}
	}
	s.Choices = s.Request.Choose(s.shape.Size(), s.exemplars)
	return s, s.settleNoise()
}

// settleNoise leaves the noise of every step as it is where it was not asked for otherwise and the
// sampler of the model has no other, as over schedules without a signal at their end.
func (s *setup) settleNoise() error {
	sampler := latent.Sampler{Steps: s.Steps, NoiseScale: s.Choices.NoiseScale}
	_, err := s.Model.Dynamics(sampler)
	if s.Request.NoiseScale != 0 || err == nil {
		return err
	}
	sampler.NoiseScale, s.Choices.NoiseScale = 1, 1
	_, err = s.Model.Dynamics(sampler)
	return err
}

// Problem returns what a request samples, a variable for each image, for those who change it
// before they sample it themselves.
func (r Request) Problem(ctx context.Context) (pcd.Problem, error) {
	s, err := prepare(ctx, r)
	if err != nil {
		return pcd.Problem{}, err
	}
	p, _, err := s.problem(ctx)
	return p, err
}

// encode encodes the exemplars of all members that have some.
func (s *setup) encode(ctx context.Context) error {
	defer lap(&s.encoding)()
	field := noise.New(s.Seed)
	s.exemplars = make([]tensor.Batch, len(s.Members))
	for i, m := range s.Members {
		if len(m.Exemplars) == 0 {
			continue
		}
		height, width := s.Model.Size() // of all images, whatever the member's own model was trained on
		z, err := encode(ctx, s.modelOf(i), m.Exemplars, height, width, s.SamplePosterior, field.Sub(m.label(i)))
		if err != nil {
			return err
		}
		if err := checkSpan(m.label(i), m.Exemplars, z); err != nil {
			return err
		}
		s.exemplars[i] = z
		s.report("encode", i+1, len(s.Members))
	}
	return nil
}

// problem returns what is sampled, with the hulls of members that are projected.
func (s *setup) problem(ctx context.Context) (p pcd.Problem, hulls []*project.Hull, err error) {
	t := s.Method.traits()
	e := latent.Ensemble{Gamma: s.Choices.Gamma, Rotation: s.Rotation, AtEstimate: t.estimate}
	if e.Dynamics, err = s.Model.Dynamics(latent.Sampler{Steps: s.Steps, NoiseScale: s.Choices.NoiseScale}); err != nil {
		return p, nil, err
	}
	if t.coupled {
		e.Attribute, e.Groups = s.Model.Classifier.Net.Question(s.Attribute.question(s.Model.Classifier)), s.groups
	}
	selection, err := latent.ParseSelection(s.Timesteps, pcd.Timestep(e.Dynamics, e.Dynamics.Steps()-1))
	if err != nil {
		return p, nil, err
	}
	e.Project = latent.Projection{MirrorDescent: s.Choices.MirrorDescent, Steps: &selection}
	if err := errors.Join(s.reaches(selection, e.Dynamics), s.free(&e)); err != nil {
		return p, nil, err
	}
	for i := range s.Members {
		m, err := s.member(ctx, i)
		if err != nil {
			return p, nil, err
		}
		e.Members = append(e.Members, m)
	}
	if err := s.pushes(e); err != nil {
		return p, nil, err
	}
	s.ensemble = e
	if p, hulls, err = e.Problem(); err != nil || t.adapt == nil {
		return p, hulls, err
	}
	return p, hulls, t.adapt(ctx, s, &p)
}

// reaches returns an error for a selection that no step of a method that projects is in.
func (s *setup) reaches(selected latent.Selection, d pcd.Dynamics) error {
	nearest := pcd.Timestep(d, 0)
	for i := range d.Steps() {
		t := pcd.Timestep(d, i)
		if selected.Contains(t) || !s.Method.Projected() {
			return nil
		}
		if max(t-selected.From, selected.From-t) < max(nearest-selected.From, selected.From-nearest) {
			nearest = t
		}
	}
	return &latent.SettingError{Name: "timesteps", Value: s.Timesteps,
		Want: fmt.Sprintf("a range with some of the %d that are visited, such as %d", d.Steps(), nearest)}
}

// pushes returns an error for a method that couples where no step's state has a signal, as that of a
// single step from zero terminal SNR: a push there is infinite. It names the number of steps that has one.
func (s *setup) pushes(e latent.Ensemble) error {
	finite := func(d pcd.Dynamics) bool {
		return !slices.ContainsFunc(e.Members, func(m latent.Member) bool {
			return d.Check(m.Model.Kind()) == nil && math.IsInf(d.Transition(0, m.Model.Kind()).PredictionRate, 0)
		})
	}
	if !s.Method.traits().coupled || finite(e.Dynamics) {
		return nil
	}
	want := "a method that does not couple, such as " + string(SDP)
	for more := e.Dynamics.Steps() + 1; more <= s.Model.Noise.Schedule.Len(); more++ {
		if d, err := s.Model.Dynamics(latent.Sampler{Steps: more, NoiseScale: s.Choices.NoiseScale}); err == nil && finite(d) {
			want = fmt.Sprintf("%d or more, or %s", more, want)
			break
		}
	}
	return &latent.SettingError{Name: "steps", Value: s.Steps, Want: want + ": the state that sampling begins at has no signal (rescale_betas_zero_snr), and no push is finite there"}
}

// free says how steps without a projection are taken, where others have one.
func (s *setup) free(e *latent.Ensemble) error {
	if !s.Method.Projected() || e.Project.Everywhere(e.Dynamics) {
		return nil
	}
	dynamics, err := s.Model.Dynamics(latent.Sampler{Steps: s.Steps})
	if err != nil {
		return err
	}
	ddpm, ok := dynamics.(pcd.DDPM)
	if !ok {
		return &latent.SettingError{Name: "timesteps", Value: s.Timesteps, Want: fmt.Sprintf("all: steps that are free are those of DDPM, and the model's schedule has them as %v", dynamics)}
	}
	s.Choices.FreeNoiseScale = 1
	s.Choices.FreeGamma = min(s.Choices.Gamma, FreeGamma*math.Sqrt(float64(s.shape.Size())))
	e.Free = &latent.Free{Dynamics: ddpm, Gamma: s.Choices.FreeGamma, Noise: noise.New(s.Seed).Sub("free steps")}
	return nil
}

// member returns a member with its model, told what the method tells it.
func (s *setup) member(ctx context.Context, i int) (latent.Member, error) {
	m := s.Members[i]
	c := latent.Conditions{}
	if s.Method.Prompted() {
		c = s.told(i)
	}
	model, err := s.denoiser(ctx, i, c)
	if err != nil {
		return latent.Member{}, err
	}
	out := latent.Member{Name: m.label(i), Model: model}
	if !s.Method.Projected() {
		return out, nil
	}
	out.Exemplars = s.exemplars[i]
	if s.Box > 0 {
		out.Bounds, err = box(s.Box, s.shape.Size())
	}
	return out, err
}

// denoiser returns the model of a member under conditions.
func (s *setup) denoiser(ctx context.Context, i int, c latent.Conditions) (denoise.Denoiser, error) {
	model, lost, err := s.modelOf(i).Denoiser(ctx, s.shape, c)
	s.lost = max(s.lost, lost)
	return model, err
}

// told returns what prompted methods tell the model of a member.
func (s *setup) told(i int) latent.Conditions {
	return latent.Conditions{Prompt: cmp.Or(s.Members[i].Prompt, s.Prompt), Guidance: s.Guidance}
}

// box returns the set of latents whose numbers lie in [-side, side].
func box(side float64, n int) ([]project.Projector, error) {
	lo, hi := make([]float64, n), make([]float64, n)
	for i := range lo {
		lo[i], hi[i] = -side, side
	}
	b, err := project.NewBox(lo, hi)
	return []project.Projector{b}, err
}

func (s *setup) report(stage string, done, total int) {
	if s.Progress != nil {
		s.Progress(stage, done, total)
	}
}

// lap returns a function that adds the time until it is called.
func lap(to *float64) func() {
	begin := time.Now()
	return func() { *to += time.Since(begin).Seconds() }
}
