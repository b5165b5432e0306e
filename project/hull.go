package project

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/internal/hull"
	"github.com/go-pcd/pcd/tensor"
)

// Hull is the convex hull of a few samples, the exemplars. Convex combinations
// are hardly ever float32 vectors, so that membership includes their rounding: a
// sample belongs to the set when its distance from the hull is at most
//
//	band = 2^-23 max ‖e_i‖ + 2^-149 √d,
//
// twice the most by which the rounding of a point of the hull can miss. The
// violation is the distance less the band. See docs/adr/0007.
//
// The projection is exact: the weights come from the inner products with the
// exemplars, by an active set. Where exemplars depend on each other affinely, the
// weights are not unique; the point is.
//
// Source: PCD, the convex-hull constraint of the image-pair experiment.
type Hull struct {
	shape  tensor.Shape
	points *hull.Polytope
}

const hullName = "convex hull"

// NewHull returns the hull of the rows of exemplars.
func NewHull(exemplars tensor.Batch) (*Hull, error) {
	if exemplars.N < 1 {
		return nil, &ParameterError{Set: hullName, Name: "number of exemplars", Value: 0, Want: "at least 1"}
	}
	if err := exemplars.CheckFinite(); err != nil {
		return nil, fmt.Errorf("project: %s: exemplar %w", hullName, err)
	}
	return &Hull{append(tensor.Shape(nil), exemplars.Shape...), hull.New(exemplars)}, nil
}

// Exemplars returns the number of exemplars, the length of the weights of a
// sample.
func (h *Hull) Exemplars() int { return h.points.M }

// Check implements [Set].
func (h *Hull) Check(shape tensor.Shape) error { return checkSize(hullName, shape, h.points.D) }

// Violation implements [Set]. The distance is that to the point that the weights
// give, an upper bound whatever the weights are.
func (h *Hull) Violation(dst []float64, x tensor.Batch) { violations(h, dst, x) }

// Project implements [Projector]. It reads the exemplars twice, whatever the number
// of rows: for the inner products and for the combinations.
func (h *Hull) Project(ctx context.Context, dst, x tensor.Batch) (Report, error) {
	if err := CheckCall(ctx, h, dst, x); err != nil {
		return Report{}, err
	}
	p := h.points
	s := p.Scratch()
	defer p.Put(s)
	s.Begin(x.N, p.M)
	p.Multiply(s, x)
	for k := range s.Rows {
		r := &s.Rows[k]
		r.Iterations = s.Weigh(s.Weights[k*p.M : (k+1)*p.M])
		r.Near = !p.SurelyOutside(s.QP, r.Square)
	}
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	p.CombineFar(s, dst, x)
	var total Report
	for k := range s.Rows {
		r := &s.Rows[k]
		if r.Near {
			copy(s.QP.Weight, s.Weights[k*p.M:])
			r.Distance, r.Missed = p.CombineRow(s, x.Sample(k))
			if r.Distance > p.Band {
				copy(dst.Sample(k), s.Rounded)
			} else {
				copy(dst.Sample(k), x.Sample(k))
			}
		}
		total = total.Merge(h.report(r))
	}
	return total, nil
}

// report judges a row. The distance of the result is measured from the point of the
// hull that it is the rounding of.
func (h *Hull) report(o *hull.Row) Report {
	before := o.Distance - h.points.Band
	if before <= 0 {
		return Report{Samples: 1, ViolationBefore: before, ViolationAfter: before}
	}
	r := Report{
		Samples: 1, Moved: 1, Iterations: o.Iterations, MaxIterations: o.Iterations,
		ViolationBefore: before, ViolationAfter: o.Missed - h.points.Band,
	}
	if !(r.ViolationAfter <= 0) {
		r.Status = IterationLimit
	}
	return r
}

// ProjectExact implements [Exact].
func (h *Hull) ProjectExact(dst, x []float64, _ tensor.Shape, _ int) {
	h.points.Nearest(dst, x)
}

// Weights writes the convex weights of the projections of the rows of x to dst,
// Exemplars numbers per row. It returns a [tensor.NonFiniteError] for input that
// is not finite.
func (h *Hull) Weights(dst []float64, x tensor.Batch) error {
	if err := h.Check(x.Shape); err != nil {
		return err
	}
	if err := x.CheckFinite(); err != nil {
		return err
	}
	p := h.points
	s := p.Scratch()
	defer p.Put(s)
	s.Begin(x.N, p.M)
	p.Multiply(s, x)
	for k := range x.N {
		s.Weigh(s.Weights[k*p.M : (k+1)*p.M])
	}
	copy(dst, s.Weights)
	return nil
}

func (h *Hull) excess(x tensor.Batch, k int) float64 {
	s := h.points.Scratch()
	defer h.points.Put(s)
	h.points.MultiplyRow(s, x.Sample(k))
	s.QP.Solve()
	distance, _ := h.points.CombineRow(s, x.Sample(k))
	return distance - h.points.Band
}
