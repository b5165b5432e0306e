package jobs

import (
	"context"
	"fmt"
	"time"
)

// Spec is what is asked for.
type Spec struct {
	Command []string // words of the command line, without the name of the program
	Files   []File   // that lie in the folder in which the command runs
	Inputs  []Input  // results of other jobs, which lie there too
	Key     string   // the same owner and key is the same job, unless that has failed or is cancelled; "" is a new one
}

// File is a file that comes with a job.
type File struct {
	Name    string
	Content []byte
}

// Input is the folder with the results of a finished job, under a name of its own, or under [OutName] a copy of
// them, with which the command goes on as with its own.
type Input struct{ Name, Job string }

// State says how far a job is.
type State string

// The states. The last three are final.
const (
	Waiting   State = "waiting"
	Running   State = "running"
	Done      State = "done"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Final reports whether a job stays in a state.
func (s State) Final() bool { return s == Done || s == Failed || s == Cancelled }

// Progress is how far a stage of a job is.
type Progress struct {
	Stage string `json:"stage"`
	Done  int    `json:"done"`
	Total int    `json:"total"`
}

// Job is long work and its state.
type Job struct {
	ID       string
	Command  []string
	State    State
	Progress Progress
	Attempts int       // times that it was begun, more than 1 when it was taken over
	Created  time.Time // and the next two are zero where that has not happened
	Started  time.Time
	Ended    time.Time
	ExitCode int    // of the command, once it has ended
	Message  string // what it said last, when it failed
}

// Service runs jobs. An owner sees its own jobs only.
type Service interface {
	// Submit returns a new job, or that of before with the same key, unless that has failed or is cancelled.
	Submit(ctx context.Context, owner string, s Spec) (*Job, error)
	Get(ctx context.Context, owner, id string) (*Job, error)
	// List returns the newest jobs first, at most a number of them, from behind a job on; ""
	// is from the newest on.
	List(ctx context.Context, owner, behind string, most int) ([]*Job, error)
	// Cancel ends a job, at once where it waits and soon where it runs.
	Cancel(ctx context.Context, owner, id string) (*Job, error)
	// Results opens what a job has printed and written. Of one that has not ended, it is what
	// there is so far.
	Results(ctx context.Context, owner, id string) (*Results, error)
}

// SpecError says what is wrong with a job that is asked for.
type SpecError struct {
	Field  string // "command", "files", "inputs" or "key"
	Value  string
	Reason string
}

func (e *SpecError) Error() string {
	return fmt.Sprintf("jobs: %s is %q, %s", e.Field, e.Value, e.Reason)
}

// NotFoundError says that an owner has no such job, or a job no such file.
type NotFoundError struct{ What, Name string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("jobs: no %s %q", e.What, e.Name) }

// FullError says that there is no room for more.
type FullError struct {
	What      string
	Have, Max int64
}

func (e *FullError) Error() string {
	return fmt.Sprintf("jobs: %s: %d of at most %d", e.What, e.Have, e.Max)
}

// DiskFullError says that the file system of the store has no room for more.
type DiskFullError struct{ Err error }

func (e *DiskFullError) Error() string { return "jobs: the disk of the store is full" }

func (e *DiskFullError) Unwrap() error { return e.Err }
