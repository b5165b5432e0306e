// Package recorded reads the folders of the published multi-robot data sets and models:
// [ImportTrajectories] the collision-free trajectories of a data set, [ReadModelArgs] how
// the model of a folder is built.
//
// A malformed file is a [dataset.FormatError], an array of another type or shape a
// [dataset.TypeError] or [dataset.ShapeError].
package recorded
