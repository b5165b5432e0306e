package planner

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/memory"
)

// What a request may ask for, so that it cannot take all memory or overflow.
const (
	// maxTrajectories bounds samples times robots: a gigabyte of states while they are
	// sampled.
	maxTrajectories = 1 << 18
	// maxPairs bounds pairs of episodes, whose recordings are larger than a trajectory.
	maxPairs = 1 << 13
)

// What a robot's part of a joint sample, and a pair of episodes, take at their peak, as
// measured.
const (
	trajectoryBytes = 4 << 10
	pairBytes       = 256 << 10
)

// room refuses a number that a limit on the memory of the process has no room for.
func room(field string, n, each int, what string) error {
	if err := memory.Check(float64(n), float64(each), fmt.Sprintf("%d %s", n, what)); err != nil {
		return &RequestError{Field: field, Value: n, Err: err}
	}
	return nil
}

// tooMany refuses a number of joint samples.
func tooMany(field string, n, robots int) error {
	return &RequestError{Field: field, Value: n, Reason: fmt.Sprintf("want at most %d for so many robots: draw others with another seed", maxTrajectories/robots)}
}
