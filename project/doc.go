// Package project maps samples to the nearest point of a constraint set and
// certifies that they are members.
//
// # Sets
//
//	Interval, Box, Ball, Singleton,      closed forms
//	HalfSpace, Affine, Simplex
//	SpeedLimit, AccelerationLimit        paths, by Newton's method on their forces
//	Hull                                 convex hull of a few exemplars, by an active set
//	Intersection                         Dykstra's algorithm over any of them
//	Block                                any of them on a part of the sample
//
// The solvers of paths and of hulls are internal/path and internal/hull. The iterations that
// PCD was published with are internal/published, for comparison: they are not certified.
//
// # Membership
//
// Samples are float32. A set is what its Violation accepts, evaluated in float64
// on the stored numbers, and every projector ends with a step that rounds its
// float64 solution so that it is accepted. Sets that float32 can hardly meet
// exactly, [NewAffine], [NewSimplex] and [Hull], include a band of rounding that their
// comments define; the others have no tolerance at all. A [Report] with the
// status Converged has no violation.
//
// # Memory
//
// dst comes first, has the shape of x and may be x. Nothing else is written, and
// projectors keep no reference to their arguments. Scratch memory is pooled:
// projecting onto paths, balls, half-spaces and hulls does not allocate once it
// is warm. Projectors may be used concurrently; they use one thread per call, so
// that callers split a batch with [tensor.Batch.Rows] and add the reports up with
// [Report.Merge].
//
// Parameters that belong to samples, such as where a path starts, are given as
// batches: one row for all samples, or one per sample, found by sample number.
//
// # Errors
//
// Constructors return a [ParameterError] or a [tensor.NonFiniteError] for
// parameters that a set cannot have. Project returns, before it writes anything, a
// [tensor.NonFiniteError] for input that is not finite, an [InfeasibleError] for
// a set without members, an error that names the first sample without parameters,
// and what Check says about the shape. Batches of different shapes for dst and x
// panic.
package project
