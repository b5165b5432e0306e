package plan

import "github.com/go-pcd/pcd/plan/internal/mmd"

// What the methods that search say of themselves.
type (
	// SearchOptions bound the methods that search, and watch them.
	SearchOptions = mmd.Options
	// SearchReport says how a search went.
	SearchReport = mmd.Report
	// SearchStatus says how a search ended.
	SearchStatus = mmd.Status
	// SearchError says how a search ended that did not find paths without conflict.
	SearchError = mmd.Error
)

// The ways to end. All give paths of all robots but NoPath, and Cancelled and
// Broken when they come early; the paths are without conflict when it is Solved.
const (
	Searching      = mmd.Searching // not yet
	Solved         = mmd.Solved
	Conflicting    = mmd.Conflicting // prioritised planning left conflicts
	TimeLimit      = mmd.TimeLimit
	ExpansionLimit = mmd.ExpansionLimit
	MemoryLimit    = mmd.MemoryLimit
	Exhausted      = mmd.Exhausted // nothing is left to expand
	NoPath         = mmd.NoPath    // a robot finds no path among the obstacles by itself
	Cancelled      = mmd.Cancelled
	Broken         = mmd.Broken // a plan returned an error
)

// DefaultTimeLimit is the published limit of a search.
const DefaultTimeLimit = mmd.DefaultTimeLimit

// mmdTeam returns what searches by constraints see of a team.
func (t Team) mmdTeam() (out mmd.Team) {
	for _, r := range t.Robots {
		out = append(out, mmd.Robot{Name: r.Name, Radius: r.Radius})
	}
	return out
}

// mmd returns how a method searches.
func (t traits) mmd() mmd.Method {
	return mmd.Method{ByPriority: t.search == byPriority, Soft: t.soft, Warm: t.warm}
}
