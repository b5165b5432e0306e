// Package path solves the projection of a path onto a limit of its differences,
// exactly in float64, and rounds the solution to float32 so that the limit holds.
// It is the solver beneath the sets of package project, which check
// parameters and judge results.
//
// A [Linkage] is the problem seen as a mechanism; [Load] sets it up for one path.
// Its methods are one step each with another law of the links: Newton's method on
// the forces (dualnewton.go), an interior-point method where that fails
// (interior.go), on a chain that is eliminated from both ends (chain.go) or on a
// banded system (band.go). A [Group] does Newton's method for four planar paths at
// once, one per lane of a vector register. [Linkage.Round] and its kin move a
// solution to float32 points within the limit (lattice.go, pinned.go, follow.go).
//
// Nothing here allocates once its scratch has grown, and nothing keeps a reference
// to a path. Parameters are trusted: the sets have checked them.
package path
