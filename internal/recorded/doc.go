// Package recorded reads the folders of the published multi-robot data sets and models:
// [ImportTrajectories] the collision-free trajectories of a data set, [ReadModelArgs] how
// the model of a folder is built.
//
// A malformed file, and an array of another type or shape, is a [dataset.FormatError].
package recorded
