// Package planner turns requests into results: a task with its settings is checked,
// run, judged, summarised and shown. The command line and services share it.
//
// [Plan] plans for several robots, [Push] runs pairs of manipulation. Both take a
// request of plain values, of which a nil one is left to the task, and a [Watch]
// that is told how far they are. Both return an [Outcome]: a summary, the arrays and
// settings behind it, and what pictures show. [Outcome.Save] writes them to a folder.
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
