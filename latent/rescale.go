package latent

import (
	"context"

	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// weighted is a projection onto a hull that tells the weights of its results.
type weighted interface {
	project.Projector
	Weights(dst []float64, x tensor.Batch) error
}

// rescaled stretches projected latents to the weighted mean of the lengths of the
// exemplars, as a published option does: encoded images lie near a sphere, and means of
// them inside it. The results are not members of the hull.
type rescaled struct {
	project.Projector
	weights weighted
	lengths []float64 // of the exemplars
}

// shortest is the length below which a latent is not stretched. Source: the published
// option.
const shortest = 1e-8

// Project implements [project.Projector] but for membership, which it gives up.
func (r rescaled) Project(ctx context.Context, dst, x tensor.Batch) (project.Report, error) {
	m := len(r.lengths)
	weights := make([]float64, x.N*m)
	if err := r.weights.Weights(weights, x); err != nil {
		return project.Report{}, err
	}
	report, err := r.Projector.Project(ctx, dst, x)
	if err != nil {
		return report, err
	}
	now := lengths(dst)
	for k := range dst.N {
		want := 0.0
		for i, l := range r.lengths {
			want += weights[k*m+i] * l
		}
		factor := want / max(now[k], shortest)
		for j, v := range dst.Sample(k) {
			dst.Sample(k)[j] = float32(float64(v) * factor)
		}
	}
	violation := make([]float64, dst.N)
	r.Violation(violation, dst)
	for _, v := range violation {
		report.ViolationAfter = max(report.ViolationAfter, v)
	}
	if report.ViolationAfter > 0 {
		report.Status = project.IterationLimit
	}
	return report, nil
}
