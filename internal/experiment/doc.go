// Package experiment is the evaluation that all experiments share. An [Experiment]
// is a value: what its specs, cells and results are, how a cell is computed and how
// results are shown.
//
// [Experiment.Evaluate] computes the cells of a spec into a folder, one file each. It
// goes on with what is there, and refuses what was made with another model or other
// settings. A [Shard] is its part for one process; any number may share a folder.
// [Experiment.Pack] moves results into an archive, which is read like a folder.
// [Experiment.Report] puts results beside the published ones by [Column]s,
// [Experiment.Draw] draws them on a [Grid], [Experiment.Missing] says what is not
// there. Manifests in the folder say who ran what, where and on which inputs.
//
// Results of one table are in memory together, some hundred kilobytes for a cell.
// Mistakes of the caller are [SpecError]s, results of something else
// [MismatchError]s, files that hold no result [FileError]s.
package experiment
