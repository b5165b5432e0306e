package plan

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// contactFree is the set of a [separation.World] as a constraint of the samples of a
// team, in the normalised units of its models, so that they can be projected on it while
// they are drawn. A sample is a member if its paths are certified in the units of the
// task, between the ends that are given. The projection is that of
// [separation.World.Repair]; a sample for which it finds no member ends where it fails
// least, and the report has the status [project.IterationLimit].
type contactFree struct {
	team  Team
	world *separation.Set // that certifies, in the units of the task
	// inner has step limits that leave room for the rounding on the way back to
	// normalised units, and is no weaker than the limits of single robots there.
	inner *separation.World
}

var _ project.Joint = (*contactFree)(nil)

const contactFreeName = "freedom from contact in continuous time"

func (t Team) newContactFree() (*contactFree, error) {
	world, err := t.World()
	if err != nil {
		return nil, err
	}
	inner := *world
	inner.Robots = slices.Clone(world.Robots)
	for i, r := range t.Robots {
		half, scale := r.Model.HalfRange(), t.frame().Scale
		body := &inner.Robots[i]
		body.Unit = [2]float64{half[0] * scale, half[1] * scale}
		if !math.IsInf(r.Limit, 1) {
			body.Step = max(t.stepLimit(r)-t.slack(r.Model), math.SmallestNonzeroFloat64)
		}
	}
	return &contactFree{t, &separation.Set{World: *world}, &inner}, nil
}

// checkSeparation returns an error for settings that projections on separation do not
// go with.
func (s Settings) checkSeparation(t Team) error {
	n := s.SeparationSteps
	switch {
	case n == 0:
		return nil
	case !s.PinGoal || !s.ExactProjection || !s.FreeRange:
		return &TeamError{Reason: fmt.Sprintf("%d steps of separation with settings %q, want held goals, exact projections and a free range, as in the preset default", n, s.Name)}
	case len(t.Robots) == 0 || t.Robots[0].Model == nil:
		return nil // which is refused for itself
	}
	noise, err := s.respaced(t.Robots[0].Model.schedule)
	if err == nil && (n < 0 || n > noise.Len()) {
		err = &TeamError{Reason: fmt.Sprintf("%d steps of separation, want 0 to the %d denoising steps", n, noise.Len())}
	}
	return err
}

// Check implements [project.Joint].
func (s *contactFree) Check(shapes []tensor.Shape) error {
	return s.world.Check(shapes)
}

// Violation implements [project.Joint], in the units of [separation.Set].
func (s *contactFree) Violation(dst []float64, x []tensor.Batch) {
	s.world.Violation(dst, s.inTask(x))
	for k := range dst {
		for _, b := range rows(x, k) {
			if b.CheckFinite() != nil {
				dst[k] = math.Inf(1)
			}
		}
	}
}

// Project implements [project.Joint].
func (s *contactFree) Project(ctx context.Context, dst, x []tensor.Batch) (project.Report, error) {
	for _, b := range x {
		if err := b.CheckFinite(); err != nil {
			return project.Report{}, err
		}
	}
	at := s.inTask(x)
	for i := range x {
		dst[i].CopyFrom(x[i])
	}
	var report project.Report
	for k := range x[0].N {
		r, err := s.projectTuple(ctx, dst, at, k)
		if err != nil {
			return report, err
		}
		report = report.Merge(r)
	}
	return report, nil
}

// projectTuple projects tuple k, given in the units of the task, and writes it to dst.
func (s *contactFree) projectTuple(ctx context.Context, dst, at []tensor.Batch, k int) (project.Report, error) {
	before := s.world.Judge(at, k).Violation(s.world.Margin)
	report := project.Report{Samples: 1, ViolationBefore: before, ViolationAfter: before}
	if before <= 0 {
		return report, nil
	}
	o, err := s.inner.Repair(ctx, at, at, k)
	if err != nil {
		return report, err
	}
	s.fromTask(dst, at, k)
	report.Moved, report.Iterations, report.MaxIterations = 1, o.Rounds, o.Rounds
	after := make([]float64, 1)
	s.Violation(after, rows(dst, k))
	if report.ViolationAfter = after[0]; after[0] > 0 {
		report.Status = project.IterationLimit
	}
	return report, nil
}

// inTask returns samples in the units of the task, with the ends that are given, as
// they are delivered.
func (s *contactFree) inTask(x []tensor.Batch) []tensor.Batch {
	out := make([]tensor.Batch, len(x))
	for i, r := range s.team.Robots {
		out[i] = x[i].Clone()
		r.Model.Limits.Unnormalize(out[i], out[i], dataset.ClipNone)
		s.team.toTask(out[i])
		s.team.restoreEnds(out[i], r)
	}
	return out
}

// fromTask writes the positions of tuple k between its ends to samples.
func (s *contactFree) fromTask(dst, at []tensor.Batch, k int) {
	for i, r := range s.team.Robots {
		path := s.team.way(at[i].Sample(k))
		for h := 1; h < len(path)-1; h++ {
			state := r.Model.state(path[h])
			copy(dst[i].Sample(k)[h*channels:][:2], state.Data[:2])
		}
	}
}

// rows returns tuple k.
func rows(x []tensor.Batch, k int) []tensor.Batch {
	out := make([]tensor.Batch, len(x))
	for i, b := range x {
		out[i] = b.Rows(k, k+1)
	}
	return out
}
