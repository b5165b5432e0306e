// Package published holds the projections that PCD was published with, to compare
// with: [ADMM] for speed-limited paths and [MirrorDescent] for convex hulls. They
// implement project.Projector as far as the published iterations go, and break its
// laws: members move, results may violate the set, and with ADMM a row depends on
// its batch. Their reports say so. The sets of package project are exact and
// certified. Beside them are the settings of the image pairs that were published with it.
//
// Memory and errors are those of package project, except that these iterations
// allocate their state in every call.
package published

import "github.com/go-pcd/pcd/project"

// checkNumber returns a [project.ParameterError] unless lo <= v <= hi; NaN is
// outside of everything.
func checkNumber(set, name string, v, lo, hi float64, want string) error {
	if v >= lo && v <= hi {
		return nil
	}
	return &project.ParameterError{Set: set, Name: name, Value: v, Want: want}
}
