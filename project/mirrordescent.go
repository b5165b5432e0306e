package project

import (
	"context"
	"math"

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
// It is here to compare with; [Hull] is exact. Inner products are computed once
// and in float64, so that an iteration does not depend on the dimension.
//
// Source: PCD, appendix on convex-hull projection.
type MirrorDescent struct {
	hull    *Hull
	options MirrorDescentOptions
}

// NewMirrorDescent returns the published iteration for the hull of the rows of
// exemplars.
func NewMirrorDescent(exemplars tensor.Batch, o MirrorDescentOptions) (*MirrorDescent, error) {
	const set = "mirror descent"
	if err := checkNumber(set, "learning rate", o.LearningRate, math.SmallestNonzeroFloat64, math.MaxFloat64, "a positive number"); err != nil {
		return nil, err
	}
	if o.Iterations < 1 {
		return nil, &ParameterError{Set: set, Name: "iterations", Value: float64(o.Iterations), Want: "at least 1"}
	}
	h, err := NewHull(exemplars)
	if err != nil {
		return nil, err
	}
	return &MirrorDescent{h, o}, nil
}

// Check implements [Set].
func (p *MirrorDescent) Check(shape tensor.Shape) error { return p.hull.Check(shape) }

// Violation implements [Set].
func (p *MirrorDescent) Violation(dst []float64, x tensor.Batch) { p.hull.Violation(dst, x) }

// Project implements [Projector] as far as the published iteration does. The
// status is Converged only when the weights are optimal to 1e-9 of the squared
// size of the exemplars.
func (p *MirrorDescent) Project(ctx context.Context, dst, x tensor.Batch) (Report, error) {
	if err := checkRows(ctx, p.hull, dst, x); err != nil {
		return Report{}, err
	}
	s := p.hull.scratch()
	defer p.hull.pool.Put(s)
	var total Report
	for k := range x.N {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		p.hull.multiplyRow(s, x.Sample(k))
		s.qp.solve()
		distance, _ := p.hull.combineRow(s, x.Sample(k))
		slope := p.iterate(s.qp)
		_, missed := p.hull.combineRow(s, x.Sample(k))
		copy(dst.Sample(k), s.rounded)
		r := Report{
			Samples: 1, Moved: 1, Iterations: p.options.Iterations, MaxIterations: p.options.Iterations,
			Residual: math.Sqrt(max(0, slope)), ViolationBefore: distance - p.hull.band,
		}
		r.ViolationAfter = missed - p.hull.band
		if r.ViolationAfter > 0 || slope > 1e-9*p.size() {
			r.Status = IterationLimit
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
	s := p.hull.scratch()
	defer p.hull.pool.Put(s)
	for k := range x.N {
		p.hull.multiplyRow(s, x.Sample(k))
		p.iterate(s.qp)
		copy(dst[k*p.hull.m:(k+1)*p.hull.m], s.qp.weight)
	}
	return nil
}

// size is the largest squared distance of an exemplar from the mean.
func (p *MirrorDescent) size() (s float64) {
	for i := range p.hull.m {
		s = max(s, p.hull.gram[i*p.hull.m+i])
	}
	return s
}

// iterate sets the weights from the inner products and returns the slope that is
// left, 0 at the optimum.
func (p *MirrorDescent) iterate(q *gramQP) (slope float64) {
	logs := make([]float64, p.hull.m)
	for i := range logs {
		q.weight[i] = 1 / float64(p.hull.m)
		logs[i] = math.Log(q.weight[i])
	}
	for range p.options.Iterations {
		most := -inf
		for i := range logs {
			g := dot(q.gram[i*p.hull.m:(i+1)*p.hull.m], q.weight) - q.b[i]
			q.target[i] = logs[i] - 2*p.options.LearningRate*g
			most = max(most, q.target[i])
		}
		sum := 0.0
		for _, l := range q.target {
			sum += math.Exp(l - most)
		}
		norm := most + math.Log(sum)
		for i, l := range q.target {
			logs[i] = l - norm
			q.weight[i] = math.Exp(logs[i])
		}
	}
	_, slope = q.steepest()
	return slope
}
