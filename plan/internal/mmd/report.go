package mmd

import (
	"fmt"
	"time"
)

// Options bound the methods that search, and watch them.
type Options struct {
	// TimeLimit ends a search after the expansion in which it passes; 0 is
	// [DefaultTimeLimit], a negative one never passes.
	TimeLimit time.Duration
	// Expansions ends a search after as many expansions, on a fast machine as on a
	// slow one; 0 is no limit.
	Expansions int
	// Progress is called after every plan of a robot. It may be nil.
	Progress func(Report)
	// Now tells the time; nil is [time.Now].
	Now func() time.Time
	// Memory bounds the nodes, in bytes; 0 is no bound.
	Memory int64
}

// DefaultTimeLimit is the published limit of a search.
const DefaultTimeLimit = time.Minute

// Report says how a search went.
type Report struct {
	Status    Status `json:"status"`
	Robot     string `json:"robot,omitempty"` // without a path, for NoPath
	Expanded  int    `json:"expanded"`        // nodes
	Abandoned int    `json:"abandoned"`       // of them before both robots had a path
	Plans     int    `json:"plans"`           // of single robots, the first ones included
	// Conflicts counts the waypoints at which two robots are too close, summed over
	// pairs, in the paths that the search holds.
	Conflicts int     `json:"conflicts"`
	Seconds   float64 `json:"seconds"`
}

// Status says how a search ended.
type Status string

// The ways to end. All give paths of all robots but NoPath, and Cancelled and
// Broken when they come early; the paths are without conflict when it is Solved.
const (
	Searching      Status = "searching" // not yet
	Solved         Status = "solved"
	Conflicting    Status = "conflicting" // prioritised planning left conflicts
	TimeLimit      Status = "time limit"
	ExpansionLimit Status = "expansion limit"
	MemoryLimit    Status = "memory limit"
	Exhausted      Status = "exhausted" // nothing is left to expand
	NoPath         Status = "no path"   // a robot finds no path among the obstacles by itself
	Cancelled      Status = "cancelled"
	Broken         Status = "broken" // a plan returned an error
)

// Err returns a [Error] unless the search is solved.
func (r Report) Err() error {
	if r.Status == Solved {
		return nil
	}
	return &Error{Report: r}
}

// Error says how a search ended that did not find paths without conflict.
type Error struct{ Report Report }

func (e *Error) Error() string {
	r := e.Report
	if r.Status == NoPath {
		return fmt.Sprintf("plan: none of the paths of %s is free of obstacles", r.Robot)
	}
	return fmt.Sprintf("plan: the search ended (%s) with %d conflicts after %d expansions in %.3g s", r.Status, r.Conflicts, r.Expanded, r.Seconds)
}
