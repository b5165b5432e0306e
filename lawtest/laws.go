package lawtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// feasible: every row of the result is a member in float32, and the report tells
// the truth.
func feasible(s *ProjectorSuite) error {
	x := s.inputs()
	if err := s.Projector.Check(s.Shape); err != nil {
		return fmt.Errorf("Check(%v) = %w", s.Shape, err)
	}
	out, r, err := s.project(x)
	if err != nil {
		return err
	}
	if err := out.CheckFinite(); err != nil {
		return err
	}
	before, after := make([]float64, x.N), make([]float64, x.N)
	s.Projector.Violation(before, x)
	s.Projector.Violation(after, out)
	moved := 0
	for k := range x.N {
		if after[k] > 0 {
			return fmt.Errorf("sample %d violates the set by %g; %+v", x.First+k, after[k], r)
		}
		if before[k] > 0 {
			moved++
		}
	}
	if r.Samples != x.N || r.Moved != moved || r.ViolationAfter > 0 {
		return fmt.Errorf("report %+v, want %d samples, %d moved and no violation", r, x.N, moved)
	}
	if r.Status == project.Infeasible {
		return fmt.Errorf("status %v of a feasible result", r.Status)
	}
	return nil
}

// idempotent: projecting twice changes nothing.
func idempotent(s *ProjectorSuite) error {
	once, _, err := s.project(s.inputs())
	if err != nil {
		return err
	}
	once.First = s.First
	twice, r, err := s.project(once)
	if err != nil {
		return err
	}
	if r.Moved != 0 {
		return fmt.Errorf("%d members moved", r.Moved)
	}
	return difference("projected twice", twice, once)
}

// identity: members are returned bit for bit.
func identity(s *ProjectorSuite) error {
	x := s.inputs()
	out, _, err := s.project(x)
	if err != nil {
		return err
	}
	v := make([]float64, x.N)
	s.Projector.Violation(v, x)
	for k := range x.N {
		if v[k] <= 0 {
			if err := difference("member", out.Rows(k, k+1), x.Rows(k, k+1)); err != nil {
				return err
			}
		}
	}
	return nil
}

// untouched: x is not written when dst is other memory.
func untouched(s *ProjectorSuite) error {
	x := s.inputs()
	before := x.Clone()
	if _, _, err := s.project(x); err != nil {
		return err
	}
	return difference("input after Project", x, before)
}

// inPlace: dst may be x.
func inPlace(s *ProjectorSuite) error {
	x := s.inputs()
	want, _, err := s.project(x)
	if err != nil {
		return err
	}
	if _, err := s.Projector.Project(context.Background(), x, x); err != nil {
		return fmt.Errorf("in-place Project: %w", err)
	}
	return difference("projected in place", x, want)
}

// rowsIndependent: a row does not depend on the others, on their number or on
// what was projected before.
func rowsIndependent(s *ProjectorSuite) error {
	x := s.inputs()
	want, _, err := s.project(x)
	if err != nil {
		return err
	}
	for _, size := range []int{1, 7} {
		for hi := x.N; hi > 0; hi -= size { // backwards, to change the order too
			lo := max(0, hi-size)
			got, _, err := s.project(x.Rows(lo, hi))
			if err != nil {
				return err
			}
			if err := difference(fmt.Sprintf("in batches of %d", size), got, want.Rows(lo, hi)); err != nil {
				return err
			}
		}
	}
	return nil
}

// concurrent: calls may run at the same time.
func concurrent(s *ProjectorSuite) error {
	x := s.inputs()
	want, _, err := s.project(x)
	if err != nil {
		return err
	}
	const callers = 4
	errs := make([]error, callers)
	var wg sync.WaitGroup
	for c := range callers {
		mine := x.Clone() // what writes its input is found by another law
		wg.Go(func() {
			for range 3 {
				got, _, err := s.project(mine)
				errs[c] = errors.Join(errs[c], err, difference("at the same time", got, want))
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// nonFinite: NaN and infinities are typed errors that name sample and element, and
// nothing is written.
func nonFinite(s *ProjectorSuite) error {
	for i, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		x := s.inputs()
		k, at := (2*i+1)%x.N, i%x.Size()
		x.Sample(k)[at] = float32(bad)
		dst := s.batch()
		for j := range dst.Data {
			dst.Data[j] = 42
		}
		before := dst.Clone()
		_, err := s.Projector.Project(context.Background(), dst, x)
		var nf *tensor.NonFiniteError
		if !errors.As(err, &nf) || nf.Sample != x.First+k || nf.Index != at {
			return fmt.Errorf("projection with %v in sample %d, element %d = %v, want a *tensor.NonFiniteError that says so", bad, x.First+k, at, err)
		}
		if err := difference("dst after an error", dst, before); err != nil {
			return err
		}
		v := make([]float64, x.N)
		s.Projector.Violation(v, x)
		if !math.IsInf(v[k], 1) {
			return fmt.Errorf("violation with %v = %v, want +Inf", bad, v[k])
		}
	}
	return nil
}

// cancelled: a cancelled context stops the projection.
func cancelled(s *ProjectorSuite) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := s.Projector.Project(ctx, s.batch(), s.inputs())
	if !errors.Is(err, context.Canceled) {
		return fmt.Errorf("projection with a cancelled context = %v, want %v", err, context.Canceled)
	}
	return nil
}

// reportsAddUp: the reports of the parts of a batch merge to that of the batch.
func reportsAddUp(s *ProjectorSuite) error {
	x := s.inputs()
	_, want, err := s.project(x)
	if err != nil {
		return err
	}
	_, first, err := s.project(x.Rows(0, x.N/3))
	if err != nil {
		return err
	}
	_, second, err := s.project(x.Rows(x.N/3, x.N))
	if err != nil {
		return err
	}
	if got := first.Merge(second); got != want {
		return fmt.Errorf("merged report %+v, want %+v", got, want)
	}
	return nil
}
