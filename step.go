package pcd

import (
	"context"
	"slices"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// step is one step of one chunk, with everything it computes on the way.
type step struct {
	*run
	*worker
	chunk
	i       int
	vars    []variable // in the problem's order
	verdict Verdict
}

// variable is what a step computes of one variable, for the rows of the chunk.
type variable struct {
	Variable
	transition Transition
	x          tensor.Batch     // the state before the step
	prediction tensor.Batch     // of the model at x
	pullback   denoise.Pullback // of the prediction, while a coupling needs it
	mean       tensor.Batch     // of the step, then moved by couplings
	estimate   tensor.Batch     // of the clean sample
	gradient   tensor.Batch     // of one coupling, where its cost is evaluated
	pulled     tensor.Batch     // that gradient at the estimate, pulled back to x
	guidance   tensor.Batch     // the sum that couplings subtract from the mean
	guided     bool             // guidance holds something
	keeps      []float32        // what this step keeps for later ones
	kept       [][]float32      // by earlier steps, newest first
	noise      tensor.Batch
	next       tensor.Batch // the state after the step
}

// worker is what a goroutine needs to move one chunk after the other, and what it counts.
type worker struct {
	buffers []variable       // for the rows of the largest chunk
	reports []project.Report // per variable
	joint   []project.Report // per constraint of several variables
	stopwatch
}

func newWorker(p Problem, rows int) *worker {
	w := &worker{reports: make([]project.Report, len(p.Variables)), joint: make([]project.Report, len(p.Constraints))}
	for _, v := range p.Variables {
		b := variable{Variable: v}
		for k, buffer := range b.temporary() {
			if k < 3 || len(p.Couplings) > 0 || p.Cadence.At == AtEstimate {
				*buffer = tensor.New(rows, v.shape()...)
			}
		}
		w.buffers = append(w.buffers, b)
	}
	return w
}

// temporary lists what is kept during a step only; couplings and projections of estimates need
// what follows the third.
func (v *variable) temporary() []*tensor.Batch {
	return []*tensor.Batch{&v.prediction, &v.mean, &v.noise, &v.estimate, &v.gradient, &v.pulled, &v.guidance}
}

// newStep prepares step i of a chunk in the buffers of a worker.
func (r *run) newStep(w *worker, c chunk, i int) *step {
	s := &step{run: r, worker: w, chunk: c, i: i, vars: slices.Clone(w.buffers)}
	for k := range s.vars {
		v := &s.vars[k]
		for _, b := range v.temporary() {
			if b.Data != nil {
				*b = b.Rows(0, c.hi-c.lo)
				b.First = r.opts.First + c.lo
			}
		}
		v.x, v.next = r.states[k].Rows(c.lo, c.hi), r.next[k].Rows(c.lo, c.hi)
		v.transition = r.problem.Dynamics.Transition(i, v.kind())
		v.keeps, v.kept = r.kept.of(k, c)
	}
	return s
}

// timestep returns what models and costs are told.
func (s *step) timestep() int { return s.vars[0].transition.Timestep }

// take moves the chunk by one step. The order is that of the paper: prediction, mean,
// coupling, noise, projection; where estimates are projected, that is before the noise.
func (s *step) take(ctx context.Context) error {
	return s.during(&s.spent.Other, func() error {
		for _, stage := range []func(context.Context) error{
			s.correct, s.predict, s.average, s.judge, s.couple, s.projectEstimates, s.draw, s.project, s.projectJointly, s.finish,
		} {
			if err := stage(ctx); err != nil {
				s.release()
				return err
			}
		}
		return nil
	})
}

// release gives back what a step that failed had kept of its predictions.
func (s *step) release() {
	for k := range s.vars {
		if p := s.vars[k].pullback; p != nil {
			p.Release()
		}
	}
}

// correct lets the corrector of the problem move the states.
func (s *step) correct(ctx context.Context) error {
	if s.problem.Before == nil {
		return nil
	}
	x := s.of(nil, func(v *variable) tensor.Batch { return v.x })
	return s.fail(-1, s.during(&s.spent.Coupling, func() error { return s.problem.Before.Correct(ctx, x, s.i, s.timestep()) }))
}

// predict evaluates the models, and keeps what a coupling of this step needs to be
// pulled back through them.
func (s *step) predict(ctx context.Context) error {
	return s.during(&s.spent.Model, func() error {
		return s.forVariables(ctx, len(s.vars), func(k int) error {
			v := &s.vars[k]
			if v.Model == nil {
				return nil
			}
			return s.fail(k, s.ask(ctx, k, v))
		})
	})
}

// ask evaluates the model of a variable.
func (s *step) ask(ctx context.Context, k int, v *variable) error {
	model, err := v.model()
	if err != nil {
		return err
	}
	if c := s.pullers[k]; c >= 0 && s.couplings[c].acts(s.i) {
		v.pullback, err = model.(denoise.Linearizer).Linearize(ctx, v.prediction, v.x, v.transition.Timestep)
		return err
	}
	return s.inBlocks(ctx, func(lo, hi int) error {
		return model.Predict(ctx, v.prediction.Rows(lo, hi), v.x.Rows(lo, hi), v.transition.Timestep)
	})
}

// forVariables calls f for every number below n, at once where all samples are one chunk that is not
// divided into blocks either, so that nothing else is shared by the goroutines.
func (s *step) forVariables(ctx context.Context, n int, f func(k int) error) error {
	workers := 1
	if len(s.chunks) == 1 && s.hi-s.lo <= s.block {
		workers = s.opts.Workers
	}
	return parallel.For(ctx, workers, n, func(_, k int) error { return f(k) })
}

// model returns the model at the timestep of the step.
func (v *variable) model() (denoise.Denoiser, error) {
	return denoise.At(v.Model, float64(v.transition.Timestep)+v.transition.Fraction)
}

// average writes the means; given variables stay where they are.
func (s *step) average(context.Context) error {
	for _, v := range s.vars {
		if v.Model == nil {
			v.mean.CopyFrom(v.x)
		} else {
			v.transition.WriteMean(v.mean.Data, v.x.Data, v.prediction.Data, v.kept...)
		}
	}
	return nil
}

// judge asks the acceptor about the step that the models alone make. One that is taken
// otherwise draws the same noise again.
func (s *step) judge(ctx context.Context) (err error) {
	if s.problem.Accept == nil {
		return nil
	}
	s.addNoise()
	next := s.of(nil, func(v *variable) tensor.Batch { return v.next })
	err = s.during(&s.spent.Coupling, func() (err error) {
		s.verdict, err = s.problem.Accept.Accept(ctx, next, s.i)
		return err
	})
	if s.verdict != Guided {
		s.run.accepted++ // there is one chunk
	}
	return s.fail(-1, err)
}

// draw subtracts the guidance from the means and adds the noise.
func (s *step) draw(ctx context.Context) error {
	for k := range s.vars {
		s.vars[k].keep()
		if v := s.vars[k]; v.guided {
			for j, g := range v.guidance.Data {
				v.mean.Data[j] -= g
			}
		}
	}
	if c := s.problem.BeforeNoise; c != nil {
		if err := c.Correct(ctx, s.of(nil, func(v *variable) tensor.Batch { return v.mean }), s.i, s.timestep()); err != nil {
			return s.fail(-1, err)
		}
	}
	s.addNoise()
	return nil
}

// addNoise writes means + noise to the next states; given variables stay.
func (s *step) addNoise() {
	for k, v := range s.vars {
		std := float32(v.transition.Std)
		if v.Model == nil {
			v.next.CopyFrom(v.x)
			continue
		}
		if std == 0 {
			v.next.CopyFrom(v.mean)
			continue
		}
		s.run.noise.Normal(v.noise.Data, v.noise.Size(), noise.Address{Variable: k, Sample: v.noise.First, Draw: 1 + s.done})
		for j, z := range v.noise.Data {
			v.next.Data[j] = v.mean.Data[j] + std*z
		}
	}
}

// projects reports whether the step projects its states on a set with a window.
func (s *step) projects(w Window) bool {
	c := s.problem.Cadence
	return c.projects(s.i) && (c.At == AtState || s.i == 0) && w.Contains(s.i) && s.verdict != Untouched && !s.vars[0].transition.Inner
}

// What is projected.
func nextOf(v *variable) tensor.Batch     { return v.next }
func estimateOf(v *variable) tensor.Batch { return v.estimate }

// project maps the next states to the sets of their variables.
func (s *step) project(ctx context.Context) error { return s.projectOwn(ctx, nextOf, s.projects) }

// projectJointly maps the next states to the sets of several variables.
func (s *step) projectJointly(ctx context.Context) error {
	return s.projectTogether(ctx, nextOf, s.projects)
}

// finish writes the conditions, and fails where a state is not finite.
func (s *step) finish(context.Context) error {
	for k, v := range s.vars {
		if v.Model == nil {
			continue
		}
		if s.verdict != Untouched {
			v.condition(v.next, s.i)
		}
		if err := v.next.CheckFinite(); err != nil {
			return s.fail(k, s.diverged(k, err))
		}
	}
	return nil
}

// of returns a quantity of the listed variables; nil is all.
func (s *step) of(variables []int, quantity func(v *variable) tensor.Batch) (all []tensor.Batch) {
	for _, k := range s.problem.arguments(variables) {
		all = append(all, quantity(&s.vars[k]))
	}
	return all
}

// inBlocks lets f evaluate a model on rows of the chunk: on all of them, or, where the chunk
// is the whole batch, on blocks shared by all goroutines.
func (s *step) inBlocks(ctx context.Context, f func(lo, hi int) error) error {
	n := s.hi - s.lo
	if n <= s.block {
		return f(0, n)
	}
	return parallel.For(ctx, s.opts.Workers, (n+s.block-1)/s.block, func(_, k int) error { return f(k*s.block, min((k+1)*s.block, n)) })
}
