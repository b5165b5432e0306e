package project

import (
	"context"
	"fmt"

	solver "github.com/go-pcd/pcd/internal/path"
	"github.com/go-pcd/pcd/tensor"
)

// accelerationSet is what [NewAccelerationLimit] returns.
type accelerationSet struct {
	path
}

const accelerationName = "acceleration-limited path"

// NewAccelerationLimit returns the set of paths whose velocity changes by at most limit
// per step:
//
//	‖x_h − 2x_{h−1} + x_{h−2}‖ ≤ b,  h = 1..n,  x_0 = start,  x_{−1} = start − v,
//
// where v is the step that led to the start: 0, at rest, unless it is given.
//
// Its projector minimises Σ‖x_h − x̂_h‖² exactly in float64 and rounds point by
// point to float32, so that every step keeps the limit. What rounding takes from
// an acceleration adds up twice: the result can differ from the exact minimiser
// by about n²/2 units in the last place where a path accelerates all the way.
//
// The violation of a path is the largest excess of a second difference, in the
// units of x.
//
// limit is per step, in the units of x: acceleration times time step squared. velocity
// is the step that led to the start, of the same form as the start; without rows it is
// 0. Goals are not supported.
func NewAccelerationLimit(limit float64, p Path, velocity tensor.Batch) (Projector, error) {
	if p.Goal.N > 0 {
		return nil, &ParameterError{Set: accelerationName, Name: "number of goals", Value: float64(p.Goal.N), Want: "0: goals are not supported"}
	}
	checked, err := newPath(accelerationName, 2, limit, p)
	if err != nil {
		return nil, err
	}
	s := &accelerationSet{path: checked}
	if velocity.N > 0 {
		if s.velocity, err = newPerSample(accelerationName, "velocity", velocity); err != nil {
			return nil, err
		}
		if velocity.Size() != s.dims {
			return nil, &sizeError{Set: accelerationName + ": velocity", Shape: velocity.Shape, Want: s.dims}
		}
	}
	return s, nil
}

// Violation implements [Set].
func (s *accelerationSet) Violation(dst []float64, x tensor.Batch) { violations(s, dst, x) }

// Project implements [Projector]. A given velocity that float32 cannot keep up
// within the limit is an [InfeasibleError].
func (s *accelerationSet) Project(ctx context.Context, dst, x tensor.Batch) (Report, error) {
	return projectRows(ctx, s, dst, x)
}

func (s *accelerationSet) excess(x tensor.Batch, k int) float64 {
	v := s.view(x, k)
	return v.LargestTurn(s.initial(x.First+k)) - s.limit
}

func (s *accelerationSet) checkSample(x tensor.Batch, k int) error {
	sample := x.First + k
	if err := s.start.check(sample); err != nil {
		return err
	}
	if !s.velocity.given() {
		return nil
	}
	if err := s.velocity.check(sample); err != nil {
		return err
	}
	if s.excess(x, k) <= 0 {
		return nil
	}
	w := tensor.Batch{N: 1, Shape: x.Shape, First: sample, Data: make([]float32, x.Size())}
	if h := s.coast(w, 0); h > 0 {
		return &InfeasibleError{
			Set: accelerationName, Sample: sample, Violation: s.excess(w, 0),
			Reason: fmt.Sprintf("at waypoint %d float32 does not resolve the limit of %.3g", h, s.limit),
		}
	}
	return nil
}

func (s *accelerationSet) nearest(dst, x tensor.Batch, k int) outcome {
	m, solved := s.solve(dst, x, k, nil)
	defer s.pool.Put(m)
	o := outcomeOf(solved)
	v := s.view(dst, k)
	if !m.Follow(&v) {
		s.coast(dst, k)
		o.status = IterationLimit
	}
	return o
}

// coast writes the path without acceleration to row k of dst. It returns 0, or
// the first waypoint that float32 does not resolve.
func (s *accelerationSet) coast(dst tensor.Batch, k int) int {
	v := s.view(dst, k)
	return solver.Coast(&v, s.initial(dst.First+k), s.limit)
}
