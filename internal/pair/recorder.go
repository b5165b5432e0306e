package pair

import (
	"math"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// recorder is the observer of a run: it keeps the weights of every step, judges them,
// and keeps the latents of some steps.
type recorder struct {
	*setup
	first, pairs int
	dynamics     pcd.Dynamics
	hulls        []*project.Hull
	weights      [][]float32 // by member
	judged       judgement
	frames       []Frame
	steps        []StepSeconds
	before       pcd.Seconds
	watching     float64 // seconds in the recorder itself
}

func newRecorder(s *setup, first, pairs int, p pcd.Problem, hulls []*project.Hull) *recorder {
	r := &recorder{setup: s, first: first, pairs: pairs, dynamics: p.Dynamics, hulls: hulls, weights: make([][]float32, len(s.Members))}
	r.judged.box = s.Box
	for i, h := range hulls {
		if h != nil {
			r.weights[i] = make([]float32, p.Dynamics.Steps()*pairs*h.Exemplars())
		}
	}
	return r
}

// Step implements [pcd.Observer].
func (r *recorder) Step(info pcd.StepInfo) error {
	r.clock(info.Seconds)
	defer lap(&r.watching)()
	keep := r.keeps(info.Done, info.Total)
	var frame []tensor.Batch
	for i, h := range r.hulls {
		if h == nil && !keep {
			continue
		}
		x := info.Samples(i)
		if keep {
			frame = append(frame, x)
		}
		if h != nil {
			if err := r.weigh(i, h, x, info); err != nil {
				return err
			}
		}
	}
	if keep {
		r.frames = append(r.frames, Frame{info.Done - 1, pcd.Timestep(r.dynamics, info.Step), frame})
	}
	r.report("denoise", info.Done, info.Total)
	return nil
}

// weigh enters the weights of a member after a step, and judges them.
func (r *recorder) weigh(i int, h *project.Hull, x tensor.Batch, info pcd.StepInfo) error {
	m := h.Exemplars()
	dst := r.weights[i][(info.Done-1)*x.N*m : info.Done*x.N*m]
	if !r.ensemble.Project.Steps.Contains(pcd.Timestep(r.dynamics, info.Step)) {
		for k := range dst {
			dst[k] = float32(math.NaN())
		}
		return nil
	}
	w := make([]float64, x.N*m)
	if err := h.Weights(w, x); err != nil {
		return err
	}
	for k := range x.N {
		store(dst[k*m:(k+1)*m], w[k*m:(k+1)*m])
	}
	r.judged.judge(i, r.Members[i].label(i), x, r.exemplars[i], dst, info.Done-1)
	return nil
}

// keeps reports whether the latents after a number of steps are kept: frame k of n is
// that of the step that finishes the share k/n of all.
func (s *setup) keeps(done, total int) bool {
	n := min(s.Frames, total)
	return n > 0 && done*n/total > (done-1)*n/total
}

// without returns the times of sampling without those of the recorder.
func (r *recorder) without(s pcd.Seconds) pcd.Seconds {
	s.Total -= r.watching
	return s
}

// clock enters where the time since the last step went.
func (r *recorder) clock(now pcd.Seconds) {
	now = r.without(now)
	d := pcd.Seconds{
		Model: now.Model - r.before.Model, Coupling: now.Coupling - r.before.Coupling, Projection: now.Projection - r.before.Projection,
		Other: now.Other - r.before.Other, Total: now.Total - r.before.Total,
	}.Divided()
	r.before = now
	r.steps = append(r.steps, StepSeconds{Network: d.Model, Coupling: d.Coupling, Projection: d.Projection, Other: d.Other, Total: d.Total})
}

// result returns what was drawn; the latents are left out without samples.
func (r *recorder) result(sampled *pcd.Result) *Result {
	out := &Result{Request: r.Request, Choices: r.setup.Choices, Groups: r.groups, Frames: r.frames, Certificate: r.judged.certificate(), StepSeconds: r.steps}
	out.Request.First, out.Request.Pairs = r.first, r.pairs
	for i := range r.Members {
		d := Drawn{Name: r.Members[i].label(i), Weights: r.weights[i]}
		if sampled != nil {
			d.Latents = sampled.Samples[i]
		}
		if r.hulls[i] != nil {
			d.Exemplars = r.exemplars[i]
		}
		out.Members = append(out.Members, d)
	}
	for i := r.dynamics.Steps() - 1; i >= 0; i-- {
		out.Timesteps = append(out.Timesteps, pcd.Timestep(r.dynamics, i))
	}
	return out
}
