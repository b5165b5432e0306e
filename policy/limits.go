package policy

import (
	"fmt"
	"math"
)

// Limits are what no command may exceed, in the units of actions and per control step.
type Limits struct {
	// Min and Max bound every number of an action: the box of a tool, the range of a joint.
	Min []float64 `json:"min"`
	Max []float64 `json:"max"`
	// Groups are numbers whose speed and acceleration are lengths of vectors: x and y of a
	// tool in the plane. Numbers in no group are joints of their own. nil is none.
	Groups [][]int `json:"groups,omitempty"`
	// Speed is how far a command may be from the one before, for every group and then for
	// every other number; 0 is no limit. nil is none at all.
	Speed []float64 `json:"speed,omitempty"`
	// Acceleration is how far a step may be from the step before, likewise.
	Acceleration []float64 `json:"acceleration,omitempty"`
}

// LimitError says which limits make no sense.
type LimitError struct{ Limit, Got, Want string }

func (e *LimitError) Error() string {
	return fmt.Sprintf("policy: limits: %s is %s, want %s", e.Limit, e.Got, e.Want)
}

// StartError says that a robot cannot begin where it is.
type StartError struct {
	Number   int // of the command
	At       float64
	Min, Max float64
}

func (e *StartError) Error() string {
	return fmt.Sprintf("policy: the robot begins with %g at number %d, want %g to %g: bring it there, or widen the limits", e.At, e.Number, e.Min, e.Max)
}

func (l *Limits) size() int { return len(l.Min) }

// groups returns all groups: those given, then every other number by itself.
func (l *Limits) groups() ([][]int, error) {
	seen := make([]bool, l.size())
	var out [][]int
	for i, g := range l.Groups {
		for _, k := range g {
			if k < 0 || k >= l.size() || seen[k] {
				return nil, &LimitError{fmt.Sprintf("group %d", i), fmt.Sprint(g), fmt.Sprintf("numbers from 0 to %d, each in one group", l.size()-1)}
			}
			seen[k] = true
		}
		if len(g) == 0 {
			return nil, &LimitError{fmt.Sprintf("group %d", i), "empty", "one number or more"}
		}
		out = append(out, g)
	}
	for k := range seen {
		if !seen[k] {
			out = append(out, []int{k})
		}
	}
	return out, nil
}

// check returns the groups, or what is wrong.
func (l *Limits) check() ([][]int, error) {
	if l.size() == 0 || len(l.Max) != l.size() {
		return nil, &LimitError{"number of bounds", fmt.Sprintf("%d and %d", l.size(), len(l.Max)), "as many of both, at least one"}
	}
	for i, lo := range l.Min {
		if hi := l.Max[i]; !(lo < hi) || math.Abs(lo) > largestBound || math.Abs(hi) > largestBound {
			return nil, &LimitError{fmt.Sprintf("bound %d", i), fmt.Sprintf("%g to %g", lo, hi), fmt.Sprintf("finite numbers up to %g, the first smaller", largestBound)}
		}
	}
	groups, err := l.groups()
	if err != nil {
		return nil, err
	}
	for _, limit := range []struct {
		name   string
		values []float64
	}{{"speed", l.Speed}, {"acceleration", l.Acceleration}} {
		if limit.values != nil && len(limit.values) != len(groups) {
			return nil, &LimitError{"number of limits of " + limit.name, fmt.Sprint(len(limit.values)),
				fmt.Sprintf("%d: one for each group and for each other number", len(groups))}
		}
		for i, v := range limit.values {
			if !(v >= 0) || math.IsInf(v, 0) {
				return nil, &LimitError{fmt.Sprintf("%s %d", limit.name, i), fmt.Sprint(v), "a finite number from 0, which is none, on"}
			}
		}
	}
	return groups, nil
}

// largestBound keeps sums of commands exact.
const largestBound = 1e9
