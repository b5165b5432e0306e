package latent

import (
	"context"
	"slices"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// source gives the recorded noise.
func (l *loop) source() noise.Source { return recorded{l} }

type recorded struct{ *loop }

func (r recorded) Normal(dst []float32, size int, at noise.Address) {
	if at.Draw == 0 {
		copy(dst, r.io["in.prior"+number(at.Variable)].Data[at.Sample*size:])
		return
	}
	all := r.io["in.step_noise"]
	copy(dst, all.Data[((at.Draw-1)*2+at.Variable)*r.Pairs*size+at.Sample*size:][:len(dst)])
}

// record is what happened at every step, for both members.
type record struct {
	prediction [][2][]float32
	gradient   [][2][]float32
	before     [][2][]float32 // the projection
	after      [][2][]float32 // the step
	weights    [][2][]float64
	plain      map[int]weighted // projections without the stretching after them
	hull       [][2][]float32
}

func newRecord(l *loop, _ variant) *record {
	n := len(l.Timesteps)
	return &record{prediction: make([][2][]float32, n), gradient: make([][2][]float32, n), before: make([][2][]float32, n),
		after: make([][2][]float32, n), weights: make([][2][]float64, n), hull: make([][2][]float32, n), plain: map[int]weighted{}}
}

// recorder is a model that writes down what it predicts.
type recorder struct {
	denoise.Denoiser
	*record
	member int
}

func (r recorder) Predict(ctx context.Context, dst, x tensor.Batch, t int) error {
	err := r.Denoiser.Predict(ctx, dst, x, t)
	r.prediction[r.now(r.prediction, r.member)][r.member] = slices.Clone(dst.Data)
	return err
}

// now returns the first step that nothing is written for.
func (r *record) now(list [][2][]float32, member int) int {
	for i, v := range list {
		if v[member] == nil {
			return i
		}
	}
	return len(list) - 1
}

// watch puts recorders of gradients and projections into a problem.
func (r *record) watch(p *pcd.Problem) {
	for i := range p.Couplings {
		p.Couplings[i].Cost = costRecorder{p.Couplings[i].Cost, r}
	}
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Project != nil {
			r.plain[i], _ = v.Project.(weighted)
			if stretched, ok := v.Project.(rescaled); ok {
				r.plain[i] = stretched.weights
			}
			v.Project = projectRecorder{v.Project, r, i}
		}
	}
}

type costRecorder struct {
	cost.Cost
	*record
}

func (c costRecorder) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	err := c.Cost.Add(ctx, value, grad, x, weight)
	at := c.now(c.gradient, 0)
	for i, g := range grad {
		c.gradient[at][i] = slices.Clone(g.Data)
	}
	return err
}

type projectRecorder struct {
	project.Projector
	*record
	member int
}

func (p projectRecorder) Project(ctx context.Context, dst, x tensor.Batch) (project.Report, error) {
	at := p.now(p.after, p.member)
	p.before[at][p.member] = slices.Clone(x.Data)
	w := make([]float64, x.N*3)
	if err := p.plain[p.member].Weights(w, x); err != nil {
		return project.Report{}, err
	}
	p.weights[at][p.member] = w
	point := x.Clone()
	if _, err := p.plain[p.member].Project(ctx, point, x); err != nil {
		return project.Report{}, err
	}
	p.hull[at][p.member] = point.Data
	return p.Projector.Project(ctx, dst, x)
}

func (r *record) Step(info pcd.StepInfo) error {
	for i := range 2 {
		r.after[info.Done-1][i] = slices.Clone(info.Samples(i).Data)
	}
	return nil
}

// steps collects an array of every step and member, without those that are missing.
func (r *record) steps(of func(s, m int) []float32) [][]float32 {
	var out [][]float32
	for s := range r.after {
		for m := range 2 {
			out = append(out, of(s, m))
		}
	}
	return out
}
