package push

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/samplers"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Numbers of the published evaluation.
const (
	// SpeedStep is the time between two actions in the units of speed limits, though
	// an action lasts a tenth of a second.
	SpeedStep = 0.01
	// barrierOffset keeps the log barrier finite.
	barrierOffset = 0.1
	// acceptBelow is the cost below which the reference code accepts a step of a PS
	// method unguided.
	acceptBelow = 1e-8
	// limitMargin is how much below the limit a step is planned, in normalised units,
	// so that its rounding to pixels in float32 keeps the limit.
	limitMargin = 2e-6
)

// PublishedLimits are the speed limits of the published tables, in normalised
// units per hundredth of a second.
var PublishedLimits = []float64{6.2, 8.4, 10.7}

// Options say how to sample pairs.
type Options struct {
	Method   Method
	Gamma    float64  // coupling strength; 0 is no coupling. See [Settings.Gamma]
	VMax     float64  // speed limit of methods that project, see [PublishedLimits]
	Settings Settings // of one of the presets, see [SettingsByName]
	Respacing
	Seed    uint64
	Workers int // goroutines; 0 is one per processor
}

// OptionError says which option cannot be used.
type OptionError struct {
	Option string
	Value  any
	Want   string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("push: %s is %v, want %s", e.Option, e.Value, e.Want)
}

func (o Options) check() error {
	switch {
	case math.IsNaN(o.Gamma) || math.IsInf(o.Gamma, 0):
		return &OptionError{"gamma", o.Gamma, "a finite number"}
	case o.Method.Projected() && !(o.VMax*SpeedStep > limitMargin && o.VMax < math.MaxFloat32):
		return &OptionError{"speed limit", o.VMax, fmt.Sprintf("more than %.2g normalised units per hundredth of a second, such as 8.4", limitMargin/SpeedStep)}
	}
	if _, err := ParseMethod(string(o.Method)); err != nil {
		return err
	}
	return CheckSampler(o.Respacing, o.Settings)
}

// CheckSampler returns an [OptionError] for a sampler that does not exist, or does not go with the
// settings.
func CheckSampler(r Respacing, s Settings) error {
	switch {
	case r.published():
		return nil
	case samplers.Check(r.Sampler) != nil:
		return &OptionError{"sampler", quote.Text(r.Sampler), "one of " + strings.Join(Samplers(), ", ")}
	case s.ForwardNoise:
		return &OptionError{"sampler", r.Sampler, "ddpm under the preset " + s.Name + ", which has noise of its own at every step"}
	case r.Adjacent:
		return &OptionError{"sampler", r.Sampler, "ddpm beside adjacent steps, which remove the noise of one timestep each"}
	}
	return nil
}

// Policy plans for pairs of agents, with one model or with one for each member.
type Policy struct {
	models   [2]*Model
	options  Options
	schedule *schedule.Schedule
	dynamics pcd.Dynamics
	scale    pcd.Scale
}

// NewPolicy checks the options. Both members of a pair have the same model.
func NewPolicy(m *Model, o Options) (*Policy, error) { return NewMixedPolicy([2]*Model{m, m}, o) }

// NewMixedPolicy is [NewPolicy] with a model for each member. They share the noise levels of the
// one that has fewer; the other is asked at the nearest of its own.
func NewMixedPolicy(models [2]*Model, o Options) (*Policy, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	scale, err := o.Settings.ScaleOf(o.Method).sampler(o.published())
	if err != nil {
		return nil, err
	}
	if models[0].clip() != models[1].clip() {
		return nil, &ModelError{Path: models[0].Name, Reason: fmt.Sprintf("limits the estimate of the actions to %g, its partner to %g: they cannot be paired", models[0].clip(), models[1].clip())}
	}
	s, err := sharedSchedule(models)
	if err != nil {
		return nil, err
	}
	if s, err = o.Respacing.of(s); err != nil {
		return nil, err
	}
	clip := models[0].clip()
	if o.Settings.FreeEstimate {
		clip = 0
	}
	d, err := o.Respacing.dynamics(s, clip, o.Settings.ForwardNoise)
	if err != nil {
		return nil, err
	}
	p := &Policy{models: models, options: o, schedule: s, dynamics: d, scale: scale}
	if first := d.Steps() - 1; p.cost() != nil && p.window().From > first {
		return nil, &OptionError{"method", o.Method, fmt.Sprintf("one that does not couple, or more steps: the coupling acts from timestep %d on, and the first of %s is timestep %d",
			o.Settings.GuideFrom, plural.Of(d.Steps(), "step"), pcd.Timestep(d, first))}
	}
	return p, nil
}

// draws returns how many draws of noise a call uses.
func (p *Policy) draws() int { return 1 + p.dynamics.Steps() }

// Prediction is what a policy plans for pairs.
type Prediction struct {
	Actions [2]tensor.Batch // [pairs, 16, 2] of each member, px
	Sampled *pcd.Result     // in normalised units
	VJP     float64         // share of vector-Jacobian products in the time of the model
}

// Predict plans for pairs: observations[member] is [pairs, 2, 20] in pixels, oldest
// first. src gives the noise of sample k of variable member.
func (p *Policy) Predict(ctx context.Context, observations [2]tensor.Batch, src noise.Source) (*Prediction, error) {
	return p.predict(ctx, [2]view{{Batch: observations[0]}, {Batch: observations[1]}}, src)
}

// Problem returns the sampling problem of a call, in normalised units, for members that see
// observations as in [Policy.Predict].
func (p *Policy) Problem(ctx context.Context, observations [2]tensor.Batch) (pcd.Problem, error) {
	problem, _, err := p.problem(ctx, [2]view{{Batch: observations[0]}, {Batch: observations[1]}})
	return problem, err
}

// view is what one member of every pair sees.
type view struct {
	tensor.Batch
	sights [][pusht.ObservationSteps]pusht.Sight // for policies that others have trained
}

// predict is Predict for members that may see more.
func (p *Policy) predict(ctx context.Context, observations [2]view, src noise.Source) (*Prediction, error) {
	for _, o := range observations {
		if want := (tensor.Shape{pusht.ObservationSteps, pusht.ObservationSize}); !o.Shape.Equal(want) || o.N != observations[0].N {
			panic(fmt.Sprintf("push: observations of %d pairs of shape %v, want %d of shape %v", o.N, o.Shape, observations[0].N, want))
		}
	}
	problem, calls, err := p.problem(ctx, observations)
	if err != nil {
		return nil, err
	}
	o := pcd.Options{Samples: observations[0].N, Noise: src, Workers: p.options.Workers}
	if p.options.Settings.PublishedProjection {
		o.ChunkSize = o.Samples // the published iteration stops for a batch at once
	}
	res, err := pcd.Sample(ctx, problem, o)
	if err != nil {
		return nil, err
	}
	out := &Prediction{Sampled: res, VJP: calls.productShare()}
	for m, x := range res.Samples {
		out.Actions[m] = x.Clone()
		p.models[m].Action.Unnormalize(out.Actions[m], x)
	}
	return out, nil
}

// problem returns the sampling problem of a call: one variable per member.
func (p *Policy) problem(ctx context.Context, observations [2]view) (pcd.Problem, *calls, error) {
	s := p.options.Settings
	out, calls := pcd.Problem{Dynamics: p.dynamics}, &calls{}
	for m, o := range observations {
		v, err := p.variable(ctx, m, o, calls)
		if err != nil {
			return out, nil, err
		}
		v.Name = fmt.Sprintf("member %d", m)
		out.Variables = append(out.Variables, v)
	}
	if c := p.cost(); c != nil {
		coupling := pcd.Coupling{Name: "pair", Cost: c, Strength: p.options.Gamma, Scale: p.scale, Window: p.window()}
		if p.options.Method.Posterior() {
			coupling.At = pcd.AtEstimate
		}
		if coupling.At == pcd.AtEstimate && s.EarlyAccept && coupling.Window.From > 0 {
			rule := acceptance{problem: out, cost: c, window: coupling.Window, workers: p.options.Workers, verdict: pcd.Unguided}
			if s.SkipProjection {
				rule.verdict = pcd.Untouched
			}
			out.Accept = rule
		}
		out.Couplings = append(out.Couplings, coupling)
	}
	return out, calls, nil
}

// window returns the steps at which the coupling acts.
func (p *Policy) window() (w pcd.Window) {
	for w.From < p.dynamics.Steps() && pcd.Timestep(p.dynamics, w.From) < p.options.Settings.GuideFrom {
		w.From++
	}
	return w
}

// cost returns the coupling cost of the method, nil for none.
func (p *Policy) cost() cost.Cost {
	switch p.options.Method.Coupling() {
	case Determinantal:
		if p.options.Settings.LogCosine {
			return cost.LogCosine{}
		}
		return cost.DPP{}
	case LogBarrier:
		return cost.LogBarrier{Alpha: barrierOffset}
	}
	return nil
}

// variable returns the actions of one member of every pair. Under projection the
// first action is the present place of the agent and the others keep the limit
// from there on.
func (p *Policy) variable(ctx context.Context, m int, seen view, calls *calls) (pcd.Variable, error) {
	bound, err := p.models[m].bind(ctx, seen)
	if err != nil {
		return pcd.Variable{}, err
	}
	own, err := p.models[m].Schedule()
	if err != nil {
		return pcd.Variable{}, err
	}
	v := pcd.Variable{Model: calls.time(atLevels(bound, own, p.schedule))}
	if !p.options.Method.Projected() {
		return v, nil
	}
	start := tensor.New(seen.N, 2)
	for k := range start.N {
		copy(start.Sample(k), seen.Sample(k)[conditionSize-2:])
	}
	p.models[m].Action.Normalize(start, start)
	v.Conditions = []pcd.Condition{{Values: start, Window: pcd.Window{To: p.dynamics.Steps()}}}
	v.Project, err = p.projector(start)
	return v, err
}

// projector returns the projection onto the speed limit.
func (p *Policy) projector(start tensor.Batch) (project.Projector, error) {
	limit, path := p.options.VMax*SpeedStep, project.Path{Start: start, Skip: 1}
	if p.options.Settings.PublishedProjection {
		return published.NewADMM(limit, path, published.ADMMPushT)
	}
	return project.NewSpeedLimit(limit-limitMargin, path)
}
