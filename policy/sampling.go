package policy

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/samplers"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Sampling says how actions are drawn. The zero value is what the folder says.
type Sampling struct {
	Scheduler string // see [Schedulers]; empty is the folder's
	Steps     int    // diffusion steps; 0 is the folder's
	Seed      uint64 // of the noise
	// Noise replaces the field of Seed when not nil. An [Actor] draws every plan from a field of its own that
	// follows from this one; another source is asked for the same addresses at every plan, and has to tell them apart
	// itself, see [Actor.Plans].
	Noise noise.Source
	First int // number of the first sample; see [pcd.Options.First]
}

// Schedule returns the noise schedule that the policy was trained with.
func (d Diffusion) Schedule() (*schedule.Schedule, error) {
	switch d.Beta {
	case "linear":
		return schedule.Linear(d.Steps, d.BetaStart, d.BetaEnd)
	case "scaled_linear":
		return schedule.ScaledLinear(d.Steps, d.BetaStart, d.BetaEnd)
	case "sigmoid":
		return schedule.Sigmoid(d.Steps, d.BetaStart, d.BetaEnd)
	}
	return schedule.SquaredCosine(d.Steps)
}

// Dynamics returns the chain that draws actions.
func (p *Policy) Dynamics(s Sampling) (pcd.Dynamics, error) {
	d := p.config.Diffusion
	if s.Steps == 0 {
		s.Steps = d.Inference
	}
	if s.Scheduler == "" {
		s.Scheduler = d.Scheduler
	}
	if s.Steps < 1 || s.Steps > d.Steps {
		return nil, &SamplingError{"number of diffusion steps", fmt.Sprint(s.Steps), fmt.Sprintf("1 to the %d of the training", d.Steps)}
	}
	table, err := d.Schedule()
	if err != nil {
		return nil, &SamplingError{"schedule", d.Beta, "one whose variances lie between 0 and 1: " + err.Error()}
	}
	// In full, too: the library bridges every step from rounded products.
	table, err = table.Leading(s.Steps, 0)
	if err != nil {
		return nil, err
	}
	switch name := strings.ToLower(s.Scheduler); name {
	case "ddpm":
		return pcd.DDPM{Schedule: table, Clip: d.Clip}, nil
	case "ddim":
		return pcd.DDIM{Schedule: table, Clip: d.Clip}, nil
	default:
		if err := samplers.Check(name); err != nil {
			return nil, &SamplingError{"scheduler", quote.Text(s.Scheduler), "one of " + strings.Join(Schedulers(), ", ")}
		}
		return samplers.New(name, table, d.Clip)
	}
}

// Schedulers lists the samplers of actions, whose names may be written in capitals: ddpm and
// ddim, of which folders name one, euler-ancestral, heun, which asks the network twice a step,
// and dpm++2m.
func Schedulers() []string { return samplers.Names() }

// Plan is what a policy would do next.
type Plan struct {
	// Actions of the whole horizon, [rows, horizon, numbers], in the units of the data set. The
	// first belong to observations of the past.
	Actions tensor.Batch
	// First and Count say which of them are executed.
	First, Count int
	Sampled      *pcd.Result // as they were drawn, normalised
}

// Executed returns the actions of a row that are executed, [Count, numbers].
func (p *Plan) Executed(row int) []float32 {
	width := p.Actions.Shape[1]
	return p.Actions.Sample(row)[p.First*width : (p.First+p.Count)*width]
}

// Plan draws the actions of samples: one for every row of the condition.
func (p *Policy) Plan(ctx context.Context, condition tensor.Batch, s Sampling) (*Plan, error) {
	return p.planRows(ctx, condition, condition.N, s)
}

// planRows draws n samples for the rows of a condition, or for its only one.
func (p *Policy) planRows(ctx context.Context, condition tensor.Batch, n int, s Sampling) (*Plan, error) {
	dynamics, err := p.Dynamics(s)
	if err != nil {
		return nil, err
	}
	condition.First = s.First
	model, err := p.Bind(condition)
	if err != nil {
		return nil, err
	}
	problem := pcd.Problem{Dynamics: dynamics, Variables: []pcd.Variable{{Name: "actions", Model: model}}}
	// The network shares every operation among its own goroutines: a batch is moved at once.
	res, err := pcd.Sample(ctx, problem, pcd.Options{Samples: n, First: s.First, Seed: s.Seed, Noise: s.Noise, Workers: 1, ChunkSize: n})
	if err != nil {
		return nil, err
	}
	out := &Plan{Sampled: res, First: p.config.ObservationSteps - 1, Count: p.config.ActionSteps}
	out.Actions = res.Samples[0].Clone()
	p.Unnormalize(out.Actions, out.Actions)
	return out, nil
}
