package project

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/tensor"
)

// rowSet is what a set has to know about row k of a batch; [projectRows] and
// [violations] turn it into a [Projector].
type rowSet interface {
	Set
	rowJudge
	// nearest writes the projection of a finite row that is not a member. dst may
	// be x.
	nearest(dst, x tensor.Batch, k int) outcome
}

// rowJudge is the part of a rowSet that decides on membership.
type rowJudge interface {
	Check(shape tensor.Shape) error
	// excess is Violation for one finite row.
	excess(x tensor.Batch, k int) float64
}

// sampleChecker is a rowSet whose parameters can be wrong for single samples,
// for instance because the set of that sample is empty.
type sampleChecker interface {
	checkSample(x tensor.Batch, k int) error
}

// outcome is the part of a [Report] that the solver of a row knows.
type outcome struct {
	status     Status
	iterations int
	residual   float64
}

// contextStride is the number of rows between two looks at the context.
const contextStride = 64

// projectRows projects row by row: members are copied, the others go through
// nearest and are judged by excess.
func projectRows(ctx context.Context, s rowSet, dst, x tensor.Batch) (Report, error) {
	if err := CheckCall(ctx, s, dst, x); err != nil {
		return Report{}, err
	}
	return projectChecked(ctx, s, dst, x)
}

// projectChecked is projectRows after [CheckCall].
func projectChecked(ctx context.Context, s rowSet, dst, x tensor.Batch) (Report, error) {
	var total Report
	for k := range x.N {
		if k%contextStride == 0 {
			if err := ctx.Err(); err != nil {
				return total, err
			}
		}
		total = total.Merge(projectRow(s, dst, x, k))
	}
	return total, nil
}

func projectRow(s rowSet, dst, x tensor.Batch, k int) Report {
	before := s.excess(x, k)
	if before <= 0 {
		return keepRow(dst, x, k, before)
	}
	dst.First = x.First
	return certified(s, dst, k, before, s.nearest(dst, x, k))
}

// keepRow copies a row that is a member.
func keepRow(dst, x tensor.Batch, k int, violation float64) Report {
	copy(dst.Sample(k), x.Sample(k))
	return Report{Samples: 1, ViolationBefore: violation, ViolationAfter: violation}
}

// certified judges the result in row k of dst, of a row whose violation was before.
func certified(s rowJudge, dst tensor.Batch, k int, before float64, o outcome) Report {
	after := inf
	if finite(dst.Sample(k)) {
		after = s.excess(dst, k)
	}
	if !(after <= 0) {
		o.status = max(o.status, IterationLimit)
	}
	return Report{
		Status: o.status, Samples: 1, Moved: 1,
		Iterations: o.iterations, MaxIterations: o.iterations, Residual: o.residual,
		ViolationBefore: before, ViolationAfter: after,
	}
}

// CheckCall returns the errors of Project that must come before its first write,
// for those who implement [Projector] or compare with the sets of this package: a
// done context, samples of a wrong shape, input that is not finite, and samples
// whose parameters are missing or cannot be met. It panics when dst does not have
// the shape of x.
func CheckCall(ctx context.Context, s Set, dst, x tensor.Batch) error {
	if !dst.SameAs(x) {
		panic(fmt.Sprintf("project: dst is %d samples of shape %v, x is %d of %v", dst.N, dst.Shape, x.N, x.Shape))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.Check(x.Shape); err != nil {
		return err
	}
	if err := x.CheckFinite(); err != nil {
		return err
	}
	c, ok := s.(sampleChecker)
	if !ok {
		return nil
	}
	for k := range x.N {
		if err := c.checkSample(x, k); err != nil {
			return err
		}
	}
	return nil
}

// violations implements Violation.
func violations(s rowJudge, dst []float64, x tensor.Batch) {
	for k := range x.N {
		if finite(x.Sample(k)) {
			dst[k] = s.excess(x, k)
		} else {
			dst[k] = inf
		}
	}
}

func finite(x []float32) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}
