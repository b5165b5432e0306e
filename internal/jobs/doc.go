// Package jobs says what long work of a service is: a command of the program with the files
// that it reads, its state, and the files that it has written. Package queue runs it.
//
// # Memory and files
//
// Everything that belongs to a job lies in one folder of a [Store]. Names that come from
// requests are opened inside that folder only, and links in them lead nowhere.
//
// # Errors
//
// What is wrong with a job is a [SpecError]; one that there is not, a [NotFoundError]; a
// store or a queue that is full, a [FullError].
package jobs
