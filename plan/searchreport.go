package plan

import (
	"fmt"
	"time"
)

// SearchOptions bound the methods that search, and watch them.
type SearchOptions struct {
	// TimeLimit ends a search after the expansion in which it passes; 0 is
	// [DefaultTimeLimit], a negative one never passes.
	TimeLimit time.Duration
	// Expansions ends a search after as many expansions, on a fast machine as on a
	// slow one; 0 is no limit.
	Expansions int
	// Progress is called after every plan of a robot. It may be nil.
	Progress func(SearchReport)
	// Now tells the time; nil is [time.Now].
	Now func() time.Time
}

// DefaultTimeLimit is the published limit of a search.
const DefaultTimeLimit = time.Minute

// SearchReport says how a search went.
type SearchReport struct {
	Status    SearchStatus `json:"status"`
	Robot     string       `json:"robot,omitempty"` // without a path, for NoPath
	Expanded  int          `json:"expanded"`        // nodes
	Abandoned int          `json:"abandoned"`       // of them before both robots had a path
	Plans     int          `json:"plans"`           // of single robots, the first ones included
	// Conflicts counts the waypoints at which two robots are too close, summed over
	// pairs, in the paths that the search holds.
	Conflicts int     `json:"conflicts"`
	Seconds   float64 `json:"seconds"`
}

// SearchStatus says how a search ended.
type SearchStatus string

// The ways to end. All give paths of all robots but NoPath, and Cancelled and
// Broken when they come early; the paths are without conflict when it is Solved.
const (
	Searching      SearchStatus = "searching" // not yet
	Solved         SearchStatus = "solved"
	Conflicting    SearchStatus = "conflicting" // prioritised planning left conflicts
	TimeLimit      SearchStatus = "time limit"
	ExpansionLimit SearchStatus = "expansion limit"
	MemoryLimit    SearchStatus = "memory limit"
	Exhausted      SearchStatus = "exhausted" // nothing is left to expand
	NoPath         SearchStatus = "no path"   // a robot finds no path among the obstacles by itself
	Cancelled      SearchStatus = "cancelled"
	Broken         SearchStatus = "broken" // a plan returned an error
)

// Err returns a [SearchError] unless the search is solved.
func (r SearchReport) Err() error {
	if r.Status == Solved {
		return nil
	}
	return &SearchError{Report: r}
}

// SearchError says how a search ended that did not find paths without conflict.
type SearchError struct{ Report SearchReport }

func (e *SearchError) Error() string {
	r := e.Report
	if r.Status == NoPath {
		return fmt.Sprintf("plan: none of the paths of %s is free of obstacles", r.Robot)
	}
	return fmt.Sprintf("plan: the search ended (%s) with %d conflicts after %d expansions in %.3g s", r.Status, r.Conflicts, r.Expanded, r.Seconds)
}
