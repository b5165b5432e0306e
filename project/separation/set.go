package separation

import (
	"context"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// Set is the joint paths of a world that satisfy all of its constraints: a
// [project.Joint] with one variable per robot.
//
// Its violation is that of the worst constraint: by how much a gap in continuous
// time falls short of the margin, in the units of the paths, or a step or its change
// exceeds its limit, in Unit. Its projection is [World.Repair]: a member near by, and
// the same one whatever the other tuples are, but not always the nearest one, because
// the set is not convex. Where none was found the report has the status
// [project.IterationLimit].
type Set struct{ World }

var _ project.Joint = (*Set)(nil)

const setName = "separation in continuous time"

// Check implements [project.Joint].
func (s *Set) Check(shapes []tensor.Shape) error {
	if len(shapes) != len(s.Robots) {
		return &WorldError{"paths", "number of variables", float64(len(shapes)), fmt.Sprintf("%d, one per robot", len(s.Robots))}
	}
	for _, shape := range shapes {
		if len(shape) != 2 || shape[0] < 3 || shape[1] < 2 || shape[0] != shapes[0][0] {
			return &project.ShapeError{Set: setName, Shape: shape, Want: "[waypoint, channel] with 3 or more waypoints, as many as the others, and 2 or more channels"}
		}
	}
	return s.World.Check(shapes[0][0])
}

// Violation implements [project.Joint].
func (s *Set) Violation(dst []float64, x []tensor.Batch) {
	for k := range dst {
		dst[k] = math.Inf(1)
		if finite(x, k) {
			dst[k] = s.Judge(x, k).Violation(s.Margin)
		}
	}
}

func finite(x []tensor.Batch, k int) bool {
	for _, b := range x {
		if b.Rows(k, k+1).CheckFinite() != nil {
			return false
		}
	}
	return true
}

// Project implements [project.Joint]. Robots that begin or end in contact, and goals
// out of reach, are a [project.InfeasibleError].
func (s *Set) Project(ctx context.Context, dst, x []tensor.Batch) (project.Report, error) {
	if err := s.refuse(ctx, x); err != nil {
		return project.Report{}, err
	}
	var report project.Report
	for k := range x[0].N {
		before := s.Judge(x, k).Violation(s.Margin)
		out, err := s.Repair(ctx, dst, x, k)
		if err != nil {
			return report, err
		}
		r := project.Report{Samples: 1, Iterations: out.Rounds, MaxIterations: out.Rounds, ViolationBefore: before}
		r.ViolationAfter = s.Judge(dst, k).Violation(s.Margin)
		if before > 0 {
			r.Moved = 1
		}
		if r.ViolationAfter > 0 {
			r.Status = project.IterationLimit
		}
		report = report.Merge(r)
	}
	return report, nil
}

// refuse returns the error for input that has no projection, before anything is
// written.
func (s *Set) refuse(ctx context.Context, x []tensor.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	shapes := make([]tensor.Shape, len(x))
	for i, b := range x {
		shapes[i] = b.Shape
	}
	if err := s.Check(shapes); err != nil {
		return err
	}
	for _, b := range x {
		if err := b.CheckFinite(); err != nil {
			return fmt.Errorf("separation: %w", err)
		}
	}
	for k := range x[0].N {
		if err := s.checkEnds(x, k); err != nil {
			return err
		}
	}
	return nil
}

// checkEnds returns an error when joint path k begins or ends where its robots may
// not be, or where a robot cannot get in time.
func (s *Set) checkEnds(x []tensor.Batch, k int) error {
	counted := s.read(x, k)
	p := s.delivered(counted)
	last := p.waypoints - 1
	for _, h := range []int{0, last} {
		ends := newPaths(p.bodies, 2)
		for i := range p.bodies {
			at := p.at(i, h)
			for c, v := range [2]float64{at.X, at.Y} {
				copy(ends.row(i, c), []float64{v, v})
			}
		}
		v := newVerdict()
		s.judgeObstacles(&v, ends)
		s.judgeBorder(&v, ends)
		s.judgeBodies(&v, ends, 0)
		if e := v.Violation(s.Margin); e > 0 {
			m := v[v.Worst(s.Margin)]
			return &project.InfeasibleError{Set: setName, Sample: x[0].First + k, Violation: e,
				Reason: fmt.Sprintf("robot %d begins or ends too near to %v %d: move it", m.Robot, v.Worst(s.Margin), m.Other)}
		}
	}
	return s.checkReach(counted, x[0].First+k)
}
