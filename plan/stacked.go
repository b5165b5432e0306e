package plan

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// stacked projects the robots of a team in one batch with the published
// iteration, which stops for all of them at once: the rows of robot i are the
// rows i·n to (i+1)·n of the batch, as in the reference.
type stacked struct {
	robots []*published.ADMM // for checks and violations
	limit  float64
	starts []tensor.Batch
}

// newStacked returns the projector for robots with one limit per step.
func (t Team) newStacked() (*stacked, error) {
	s := &stacked{limit: t.Robots[0].Limit * t.Step}
	for _, r := range t.Robots {
		if r.Limit != t.Robots[0].Limit {
			return nil, &LimitError{Robot: r.Name, Limit: r.Limit, Want: "the limit of the other robots, because the published projection has only one"}
		}
		start := position(r.Model.state(r.Start))
		p, err := published.NewADMM(s.limit, project.Path{Start: start, Skip: 1}, published.ADMMNav2D)
		if err != nil {
			return nil, err
		}
		s.robots, s.starts = append(s.robots, p), append(s.starts, start)
	}
	return s, nil
}

// Check implements [project.Joint].
func (s *stacked) Check(shapes []tensor.Shape) error {
	for i, shape := range shapes {
		if err := s.robots[i].Check(shape); err != nil {
			return err
		}
	}
	return nil
}

// Violation implements [project.Joint]: that of the worst robot.
func (s *stacked) Violation(dst []float64, x []tensor.Batch) {
	v := make([]float64, len(dst))
	for k := range dst {
		dst[k] = math.Inf(-1)
	}
	for i, b := range x {
		s.robots[i].Violation(v, b)
		for k := range dst {
			dst[k] = max(dst[k], v[k])
		}
	}
}

// Project implements [project.Joint].
func (s *stacked) Project(ctx context.Context, dst, x []tensor.Batch) (project.Report, error) {
	n, size := x[0].N, x[0].Size()
	all := tensor.New(n*len(x), x[0].Shape...)
	starts := tensor.New(n*len(x), s.starts[0].Shape...)
	for i, b := range x {
		copy(all.Data[i*n*size:], b.Data)
		for k := range n {
			copy(starts.Sample(i*n+k), s.starts[i].Data)
		}
	}
	p, err := published.NewADMM(s.limit, project.Path{Start: starts, Skip: 1}, published.ADMMNav2D)
	if err != nil {
		return project.Report{}, err
	}
	report, err := p.Project(ctx, all, all)
	for i := range dst {
		dst[i].CopyFrom(all.Rows(i*n, (i+1)*n))
	}
	return report, err
}
