package project

import (
	"context"
	"fmt"
	"math"
	"sync"

	solver "github.com/go-pcd/pcd/internal/path"
	"github.com/go-pcd/pcd/internal/told"
	"github.com/go-pcd/pcd/tensor"
)

// SpeedLimit is the set of paths whose waypoints are at most Limit apart:
//
//	‖x_1 − start‖ ≤ a,  ‖x_h − x_{h−1}‖ ≤ a,  and x_n = goal if it is pinned.
//
// Its projector returns the exact minimiser of Σ‖x_h − x̂_h‖², computed in
// float64, rounded to float32 so that every step keeps the limit. Rounding a step
// that is at its limit costs about one unit in the last place, and the point
// moves by at most that much per step before it.
//
// The violation of a path is the largest excess length of a step, or the distance
// of its last waypoint from the goal, in the units of x.
//
// Source: PCD, the velocity constraint of the navigation and PushT experiments;
// the method is described in docs/adr/0006.
type SpeedLimit struct {
	path
	groups sync.Pool // of *laneGroup
}

const speedLimitName = "speed-limited path"

// NewSpeedLimit returns the set for a limit per step in the units of x, speed
// times time step. A limit of 0 allows only to stay at the start.
func NewSpeedLimit(limit float64, p Path) (*SpeedLimit, error) {
	checked, err := newPath(speedLimitName, 1, limit, p)
	if err != nil {
		return nil, err
	}
	return &SpeedLimit{path: checked}, nil
}

// Violation implements [Set].
func (s *SpeedLimit) Violation(dst []float64, x tensor.Batch) { violations(s, dst, x) }

// Project implements [Projector]. A goal that is farther from the start than n
// steps of the limit is an [InfeasibleError] that says how much is missing; so
// is one so close to that distance that no float32 path was found.
func (s *SpeedLimit) Project(ctx context.Context, dst, x tensor.Batch) (Report, error) {
	if err := CheckCall(ctx, s, dst, x); err != nil {
		return Report{}, err
	}
	if s.vectorised() {
		return s.projectLanes(ctx, dst, x, nil)
	}
	return projectChecked(ctx, s, dst, x)
}

func (s *SpeedLimit) excess(x tensor.Batch, k int) float64 {
	v := s.view(x, k)
	e := math.Sqrt(v.LongestSquared()) - s.limit
	if goal := s.end(x.First + k); goal != nil {
		e = max(e, math.Sqrt(solver.SquaredDistance(v.Point(v.N), goal)))
	}
	return e
}

func (s *SpeedLimit) checkSample(x tensor.Batch, k int) error {
	sample := x.First + k
	if err := s.start.check(sample); err != nil {
		return err
	}
	if !s.goal.given() {
		return nil
	}
	if err := s.goal.check(sample); err != nil {
		return err
	}
	start, goal := s.start.at(sample), s.goal.at(sample)
	n := x.Shape[0] - s.skip
	apart, reach := math.Sqrt(solver.SquaredDistance(start, goal)), float64(n)*s.limit
	if apart > reach {
		long, short := told.Apart(apart, reach, 6)
		return &InfeasibleError{
			Set: speedLimitName, Sample: sample, Violation: apart - reach,
			Reason: fmt.Sprintf("the goal is %s from the start and %d steps of %s reach %s", long, n, told.Digits(s.limit, 6), short),
		}
	}
	if solver.Roomy(start, goal, n, s.limit) || s.excess(x, k) <= 0 {
		return nil
	}
	w := tensor.Batch{N: 1, Shape: x.Shape, First: sample, Data: make([]float32, x.Size())}
	v := s.view(w, 0)
	solver.Straight(&v, goal, s.limit)
	if e := s.excess(w, 0); e > 0 {
		return &InfeasibleError{
			Set: speedLimitName, Sample: sample, Violation: e,
			Reason: fmt.Sprintf("the goal can only be reached in a straight line, which float32 does not resolve: raise the limit by %.3g", e),
		}
	}
	return nil
}

func (s *SpeedLimit) nearest(dst, x tensor.Batch, k int) outcome {
	return s.nearestFrom(dst, x, k, nil)
}

// nearestFrom is nearest that starts from the forces in memory, unless they are
// all zero, and leaves its own there.
func (s *SpeedLimit) nearestFrom(dst, x tensor.Batch, k int, memory []float64) outcome {
	m, o := s.solve(dst, x, k, memory)
	defer s.pool.Put(m)
	v := s.view(dst, k)
	if goal := s.end(x.First + k); goal != nil {
		return outcomeOf(m.RoundPinned(&v, goal, o))
	}
	m.Round(&v)
	return outcomeOf(o)
}
