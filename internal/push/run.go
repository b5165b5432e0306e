package push

import (
	"context"
	"fmt"
	"time"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// Run is what to do in the simulator.
type Run struct {
	Options
	// EpisodeSteps is the number of actions of an episode; 0 is the published 360.
	EpisodeSteps int
	// Progress is called after every call of the policy; it may be nil.
	Progress func(done, total int)
}

// publishedPairs is the number of pairs per condition of the published evaluation.
const publishedPairs = 100

// Start is a pair with the state that both its members start from.
type Start struct {
	Pair
	State pusht.State
}

// Starts returns the pairs 0 to n-1 of an initial condition.
func Starts(condition int, state pusht.State, n int) []Start {
	out := make([]Start, n)
	for k := range out {
		out[k] = Start{Pair{condition, k}, state}
	}
	return out
}

// Result is what pairs did in the simulator.
type Result struct {
	Pairs []Pair
	// Recording holds member 0 of every pair, then member 1 of every pair.
	Recording   *pusht.Recording
	Certificate Certificate
	Seconds     Seconds
	Status      pcd.Status
	// Projections reports, by member, on all its projections together.
	Projections [2]project.Report
}

// Seconds says where the time of a run went. Total is wall-clock time, the parts
// add up to it.
type Seconds struct {
	Network    float64 `json:"network"`
	VJP        float64 `json:"vjp"` // vector-Jacobian products, of PS methods
	Coupling   float64 `json:"coupling"`
	Projection float64 `json:"projection"`
	Physics    float64 `json:"physics"`
	Other      float64 `json:"other"`
	Total      float64 `json:"total"`
}

// Add adds the times of another run.
func (s *Seconds) Add(o Seconds) {
	s.Network += o.Network
	s.VJP += o.VJP
	s.Coupling += o.Coupling
	s.Projection += o.Projection
	s.Physics += o.Physics
	s.Other += o.Other
	s.Total += o.Total
}

// Do runs pairs to the end of their episodes. Every pair plans for both members
// together; each member sees its own world. A pair's run does not depend on the
// others, unless the settings say so.
//
// Members whose task is done stand still while planning goes on to the end, as in
// the published evaluation: its measures count those plans.
//
// When the context is cancelled it returns what has been done so far, with the
// error. An initial state outside the arena is a [*pusht.StateError].
func Do(ctx context.Context, m *Model, starts []Start, r Run) (*Result, error) {
	return DoMixed(ctx, [2]*Model{m, m}, starts, r)
}

// DoMixed is [Do] with a model for each member of a pair.
func DoMixed(ctx context.Context, models [2]*Model, starts []Start, r Run) (*Result, error) {
	p, err := NewMixedPolicy(models, r.Options)
	if err != nil {
		return nil, err
	}
	if len(starts) == 0 {
		return nil, &OptionError{"number of pairs", 0, "at least 1"}
	}
	e, err := newEpisodes(starts, r, models[0].Loaded != nil || models[1].Loaded != nil)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	err = e.run(ctx, p, r)
	out := e.result(p)
	out.Seconds.Total = time.Since(begin).Seconds()
	out.Seconds.Other = out.Seconds.Total - out.Seconds.Network - out.Seconds.VJP - out.Seconds.Coupling - out.Seconds.Projection - out.Seconds.Physics
	if err != nil {
		out.Certificate = Certificate{} // of whole episodes only
		out.Status = pcd.Failed
		if ctx.Err() != nil {
			out.Status = pcd.Interrupted
		}
	}
	return out, err
}

// episodes are the worlds of pairs and what was measured of them.
type episodes struct {
	pairs   []Pair
	worlds  *pusht.Vector
	steps   int
	seconds Seconds
	sampled int // calls of the policy

	projections [2]project.Report
}

func newEpisodes(starts []Start, r Run, sights bool) (*episodes, error) {
	n := len(starts)
	options := pusht.VectorOptions{EpisodeSteps: r.EpisodeSteps, Workers: r.Workers, Sights: sights}
	worlds, err := pusht.NewVector(2*n, options)
	if err != nil {
		return nil, err
	}
	e := &episodes{worlds: worlds, steps: r.EpisodeSteps}
	if e.steps == 0 {
		e.steps = pusht.EpisodeSteps
	}
	states := make([]pusht.State, 2*n)
	var seeds []uint32
	if r.Settings.Residue {
		seeds = make([]uint32, 2*n)
	}
	for i := range states {
		s := starts[i%n]
		states[i] = s.State
		if seeds != nil {
			seeds[i] = uint32(pusht.FirstEnvironmentSeed + i/n*publishedPairs + s.Number)
		}
	}
	for _, s := range starts {
		e.pairs = append(e.pairs, s.Pair)
	}
	return e, worlds.Reset(states, seeds)
}

// run lets the policy act until the episodes end.
func (e *episodes) run(ctx context.Context, p *Policy, r Run) error {
	n, calls := len(e.pairs), (e.steps+pusht.ActionSteps-1)/pusht.ActionSteps
	src := newPairNoise(r.Seed, e.pairs)
	seen := tensor.New(2*n, pusht.ObservationSteps, pusht.ObservationSize)
	actions := make([]float32, 2*n*pusht.ActionSteps*2)
	for call := range calls {
		e.worlds.Observe(seen.Data)
		members := [2]view{{Batch: seen.Rows(0, n)}, {Batch: seen.Rows(n, 2*n)}}
		members[1].First = 0
		if p.looks() {
			sights := e.worlds.Sights(p.needsPictures())
			members[0].sights, members[1].sights = sights[:n], sights[n:]
		}
		plan, err := p.predict(ctx, members, src.after(call*p.draws()))
		if err != nil {
			return fmt.Errorf("push: call %d of the policy: %w", call, err)
		}
		e.count(plan)
		for m := range members {
			for k := range n {
				copy(actions[(m*n+k)*pusht.ActionSteps*2:], executed(plan.Actions[m].Sample(k)))
			}
		}
		begin := time.Now()
		if err := e.worlds.Execute(actions); err != nil {
			return err
		}
		e.seconds.Physics += time.Since(begin).Seconds()
		if r.Progress != nil {
			r.Progress(call+1, calls)
		}
	}
	return nil
}

// executed returns the part of a plan that is executed: it begins with the action
// of the present step.
func executed(plan []float32) []float32 {
	const first = pusht.ObservationSteps - 1
	return plan[2*first : 2*(first+pusht.ActionSteps)]
}

// count enters the times and projections of a call.
func (e *episodes) count(plan *Prediction) {
	s := plan.Sampled.Seconds
	d := s.Divided()
	vjp := d.Model * plan.VJP
	e.seconds.Add(Seconds{Network: d.Model - vjp, VJP: vjp, Coupling: d.Coupling, Projection: d.Projection})
	for m, r := range plan.Sampled.Projections {
		e.projections[m] = e.projections[m].Merge(r)
	}
	e.sampled++
}

func (e *episodes) result(p *Policy) *Result {
	out := &Result{Pairs: e.pairs, Recording: e.worlds.Recording(), Seconds: e.seconds, Projections: e.projections}
	out.Certificate = certify(out, [2]dataset.Linear{p.models[0].Action, p.models[1].Action}, p.options)
	return out
}
