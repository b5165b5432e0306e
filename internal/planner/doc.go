// Package planner turns requests into results: a task with its settings is checked,
// run, judged, summarised and shown. The command line and services share it.
//
// A request is plain values, of which a nil one is left to the task: [PlanRequest] for a
// team of robots, [PushRequest] for pairs of manipulation, [PairRequest] for pairs of
// images, [ToyRequest] for the two blocks, [GenerateRequest] for images. It becomes a [Task], which is checked before anything is computed and then run
// by [Do]: a [Watch] follows its progress, a [Folder] receives its files, and it returns
// an [Outcome] with a summary, the arrays and settings behind it, and pictures.
//
// # Unfinished runs
//
// A run that was interrupted or failed has no outcome: half-denoised samples look
// like plans and are none. Its error says how far it got.
//
// # Errors
//
// A request that cannot be met is refused before any compute, with a [RequestError]
// or a typed error of the package that found out. [ClassOf] says in one word what an
// error means for the caller.
package planner
