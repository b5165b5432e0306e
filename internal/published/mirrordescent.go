package published

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/internal/hull"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// MirrorDescentOptions are the knobs of [MirrorDescent].
type MirrorDescentOptions struct {
	LearningRate float64
	Iterations   int
}

// MirrorDescentImages is what the image-pair experiment ran.
var MirrorDescentImages = MirrorDescentOptions{LearningRate: 1e-5, Iterations: 10000}

// MirrorDescent is the projection onto a convex hull as published: entropic
// mirror descent on the weights from the uniform ones, for a fixed number of
// iterations,
//
//	log λ ← log λ − η 2(Gλ − b),  λ ← λ/Σλ.
//
// Its results are points of the hull, but not the nearest ones: members move.
// It is here to compare with; [project.Hull] is exact. Inner products are computed once
// and in float64, so that an iteration does not depend on the dimension.
//
// Source: PCD, appendix on convex-hull projection.
type MirrorDescent struct {
	set     *project.Hull
	points  *hull.Polytope
	options MirrorDescentOptions
}

// NewMirrorDescent returns the published iteration for the hull of the rows of
// exemplars.
func NewMirrorDescent(exemplars tensor.Batch, o MirrorDescentOptions) (*MirrorDescent, error) {
	const name = "mirror descent"
	if err := checkNumber(name, "learning rate", o.LearningRate, math.SmallestNonzeroFloat64, math.MaxFloat64, "a positive number"); err != nil {
		return nil, err
	}
	if o.Iterations < 1 {
		return nil, &project.ParameterError{Set: name, Name: "iterations", Value: float64(o.Iterations), Want: "at least 1"}
	}
	set, err := project.NewHull(exemplars)
	if err != nil {
		return nil, err
	}
	return &MirrorDescent{set, hull.New(exemplars), o}, nil
}

// Check implements [project.Set].
func (p *MirrorDescent) Check(shape tensor.Shape) error { return p.set.Check(shape) }

// Violation implements [project.Set].
func (p *MirrorDescent) Violation(dst []float64, x tensor.Batch) { p.set.Violation(dst, x) }

// Project implements [project.Projector] as far as the published iteration does. The
// status is Converged only when the weights are optimal to 1e-9 of the squared
// size of the exemplars.
func (p *MirrorDescent) Project(ctx context.Context, dst, x tensor.Batch) (project.Report, error) {
	if err := project.CheckCall(ctx, p.set, dst, x); err != nil {
		return project.Report{}, err
	}
	s := p.points.Scratch()
	defer p.points.Put(s)
	var total project.Report
	for k := range x.N {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		p.points.MultiplyRow(s, x.Sample(k))
		s.QP.Solve()
		distance, _ := p.points.CombineRow(s, x.Sample(k))
		slope := p.iterate(s.QP)
		_, missed := p.points.CombineRow(s, x.Sample(k))
		copy(dst.Sample(k), s.Rounded)
		r := project.Report{
			Samples: 1, Moved: 1, Iterations: p.options.Iterations, MaxIterations: p.options.Iterations,
			Residual: math.Sqrt(max(0, slope)), ViolationBefore: distance - p.points.Band,
		}
		r.ViolationAfter = missed - p.points.Band
		if r.ViolationAfter > 0 || slope > 1e-9*p.size() {
			r.Status = project.IterationLimit
		}
		total = total.Merge(r)
	}
	return total, nil
}

// Weights writes the weights that the iteration ends at to dst, Exemplars numbers
// per row of x.
func (p *MirrorDescent) Weights(dst []float64, x tensor.Batch) error {
	if err := p.Check(x.Shape); err != nil {
		return err
	}
	if err := x.CheckFinite(); err != nil {
		return err
	}
	s := p.points.Scratch()
	defer p.points.Put(s)
	for k := range x.N {
		p.points.MultiplyRow(s, x.Sample(k))
		p.iterate(s.QP)
		copy(dst[k*p.points.M:(k+1)*p.points.M], s.QP.Weight)
	}
	return nil
}

// size is the largest squared distance of an exemplar from the mean.
func (p *MirrorDescent) size() (s float64) {
	for i := range p.points.M {
		s = max(s, p.points.Gram[i*p.points.M+i])
	}
	return s
}

// iterate sets the weights from the inner products and returns the slope that is
// left, 0 at the optimum.
func (p *MirrorDescent) iterate(q *hull.QP) (slope float64) {
	logs, target := make([]float64, p.points.M), make([]float64, p.points.M)
	for i := range logs {
		q.Weight[i] = 1 / float64(p.points.M)
		logs[i] = math.Log(q.Weight[i])
	}
	for range p.options.Iterations {
		most := math.Inf(-1)
		for i := range logs {
			g := hull.Dot(q.Gram[i*p.points.M:(i+1)*p.points.M], q.Weight) - q.B[i]
			target[i] = logs[i] - 2*p.options.LearningRate*g
			most = max(most, target[i])
		}
		sum := 0.0
		for _, l := range target {
			sum += math.Exp(l - most)
		}
		norm := most + math.Log(sum)
		for i, l := range target {
			logs[i] = l - norm
			q.Weight[i] = math.Exp(logs[i])
		}
	}
	_, slope = q.Steepest()
	return slope
}
