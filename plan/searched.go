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

// Ways to end. All give paths of all robots but NoPath, and those that break off early;
// the paths are without conflict when it is Solved. Others say themselves what they are.
const (
	Searching = mmd.Searching // not yet
	Solved    = mmd.Solved
	NoPath    = mmd.NoPath // a robot finds no path among the obstacles by itself
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
