package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/project/separation"
)

// Preference says which of several safe plans is delivered.
type Preference string

// The preferences.
const (
	PreferPattern   Preference = "pattern"   // the motion pattern of the map, then samples as drawn, then the shortest ways; also when nothing is said
	PreferLength    Preference = "length"    // the shortest ways
	PreferClearance Preference = "clearance" // the largest smallest gap
	PreferTime      Preference = "time"      // robots arrive as early as repairs find; in any plan on curves they do along its ways
)

// ParsePreference returns a preference by its name; the error for an unknown one lists
// the known.
func ParsePreference(name string) (Preference, error) {
	switch p := Preference(name); p {
	case "", PreferPattern, PreferLength, PreferClearance, PreferTime:
		return p, nil
	}
	return "", fmt.Errorf("plan: unknown preference %q; the preferences are pattern, length, clearance, time", name)
}

// preferred returns the attempt to deliver: of those that are certified the one that
// is preferred, otherwise the one that fails least.
func preferred(attempts []*attempt, prefer Preference) *attempt {
	return slices.MinFunc(attempts, func(a, b *attempt) int {
		x, y := a.rank(prefer), b.rank(prefer)
		for i := range x {
			if x[i] != y[i] {
				return int(math.Copysign(1, x[i]-y[i]))
			}
		}
		return a.sample - b.sample
	})
}

// rank orders attempts: safe ones first, then by the preference.
func (a *attempt) rank(prefer Preference) [4]float64 {
	if !a.safe() {
		return [4]float64{1, a.outcome.Verdict.Violation(a.world.Margin)}
	}
	switch prefer {
	case PreferClearance:
		return [4]float64{0, -a.clearance(), a.length}
	case PreferTime:
		return [4]float64{0, a.arrival(), a.length}
	case PreferLength:
		return [4]float64{0, a.length}
	default:
		moved := 0.0
		if a.displacement > 0 {
			moved = 1
		}
		return [4]float64{0, -a.adherence(), moved, a.length}
	}
}

// clearance returns the smallest gap.
func (a *attempt) clearance() float64 {
	v := a.world.Judge(a.at, 0)
	return min(v[separation.Bodies].Value, v[separation.Obstacles].Value)
}

// yields reports whether a repaired sample may be preferred to a, which is safe as drawn:
// by the motion pattern only where a does not keep to it.
func (a *attempt) yields(prefer Preference) bool {
	if prefer == PreferPattern || prefer == "" {
		return a.team.Map.Pattern != nil && a.adherence() < float64(len(a.model))
	}
	return true
}

// adherence returns the sum over robots of how well they follow the motion pattern.
func (a *attempt) adherence() (sum float64) {
	if a.team.Map.Pattern == nil {
		return 0
	}
	for _, p := range a.paths(a.at) {
		sum += a.team.Map.Pattern.Adherence(p)
	}
	return sum
}

// arrival returns the sum over robots of the waypoint from which they stay at their
// goal, to a hundredth of their radius.
func (a *attempt) arrival() (sum float64) {
	for i, p := range a.paths(a.at) {
		last := len(p) - 1
		h := last
		for h > 0 && p[h-1].Dist(p[last]) < a.team.Robots[i].Radius/100 {
			h--
		}
		sum += float64(h)
	}
	return sum
}
