package project

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/tensor"
)

// Set is a closed constraint set. It is the judge of a [Projector]: Violation is
// written without the projector's arithmetic.
type Set interface {
	// Violation writes to dst[k] by how much row k of x leaves the set, in the
	// units of the constraint; 0 or less means that the row is a member. It is
	// computed in float64 from the stored float32 values and is +Inf for rows
	// that are not finite. A set with parameters per sample finds them by the
	// sample number x.First+k.
	Violation(dst []float64, x tensor.Batch)
	// Check returns an error when samples of this shape cannot be members.
	Check(shape tensor.Shape) error
}

// Projector maps samples to the nearest point of a set.
//
// Laws, checked by package lawtest: every row of the result is a member in
// float32, judged by Violation; members are returned unchanged, bit for bit;
// projecting twice changes nothing; on convex sets the map is non-expansive and
// optimal; rows are independent; calls may run concurrently with different dst.
type Projector interface {
	Set
	// Project writes the projection of every row of x to dst, which has the shape
	// of x and may be x. It returns a [tensor.NonFiniteError] for input that is
	// not finite and an [InfeasibleError] for an empty set, both before it writes
	// anything.
	Project(ctx context.Context, dst, x tensor.Batch) (Report, error)
}

// Joint is the constraint set of several variables together, with its projector:
// row k of all batches is tuple k. The laws are those of [Set] and [Projector],
// with tuples for rows: package lawtest checks them too.
type Joint interface {
	// Violation writes to dst[k] by how much tuple k leaves the set; see [Set].
	Violation(dst []float64, x []tensor.Batch)
	// Check returns an error when variables of these shapes cannot form members.
	Check(shapes []tensor.Shape) error
	// Project writes the projection of every tuple of x to dst, which may be x. It
	// returns a [tensor.NonFiniteError] for input that is not finite, before it
	// writes anything.
	Project(ctx context.Context, dst, x []tensor.Batch) (Report, error)
}

// Report says what a projection did. Reports of parts of a batch add up with
// [Report.Merge].
type Report struct {
	Status          Status
	Samples         int     // rows seen
	Moved           int     // rows that were not members
	Iterations      int     // iterations summed over the rows
	MaxIterations   int     // most iterations of a row
	Residual        float64 // worst optimality residual over the rows, in the units of x; 0 for closed forms
	ViolationBefore float64 // worst violation of the input
	ViolationAfter  float64 // worst violation of the output, in float32; at most 0
}

// Status is the outcome of a projection: the worst one over its rows.
type Status int

// The outcomes, from best to worst.
const (
	Converged      Status = iota // feasible and optimal within tolerance
	IterationLimit               // stopped before it was both; ViolationAfter says whether it is feasible
	Infeasible                   // no feasible point exists
)

var statusNames = [...]string{"converged", "iteration limit", "infeasible"}

// String returns the name of the status.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusNames[s]
}

// Merge adds the report of other rows to r.
func (r Report) Merge(o Report) Report {
	if r.Samples == 0 {
		return o
	}
	if o.Samples == 0 {
		return r
	}
	return Report{
		Status:          max(r.Status, o.Status),
		Samples:         r.Samples + o.Samples,
		Moved:           r.Moved + o.Moved,
		Iterations:      r.Iterations + o.Iterations,
		MaxIterations:   max(r.MaxIterations, o.MaxIterations),
		Residual:        max(r.Residual, o.Residual),
		ViolationBefore: max(r.ViolationBefore, o.ViolationBefore),
		ViolationAfter:  max(r.ViolationAfter, o.ViolationAfter),
	}
}

// WarmStarter is a [Projector] that can start from where it stopped for the same
// sample, for instance at the denoising step before.
type WarmStarter interface {
	Projector
	// MemorySize returns how many numbers a sample of this shape remembers.
	MemorySize(shape tensor.Shape) int
	// ProjectFrom is Project that starts from memory and leaves its own state
	// there: MemorySize numbers per row, all zero for a cold start. Memory changes
	// the number of iterations, and the result only within the tolerance of the
	// projector.
	ProjectFrom(ctx context.Context, dst, x tensor.Batch, memory []float64) (Report, error)
}
