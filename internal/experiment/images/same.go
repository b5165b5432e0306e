package images

import (
	"fmt"
	"slices"
)

// Same says that both images of a pair are between the same exemplars: a row in which only
// the coupling can tell the two apart.
type Same string

// Which exemplars both images have: those of the first, or of the second.
const (
	OwnExemplars Same = "" // each has its own, as published
	SameA        Same = "a"
	SameB        Same = "b"
)

// member returns whose exemplars image k has.
func (s Same) member(k int) int {
	switch s {
	case SameA:
		return 0
	case SameB:
		return 1
	}
	return k
}

// check returns an error for another word.
func (s Same) check() error {
	if slices.Contains([]Same{OwnExemplars, SameA, SameB}, s) {
		return nil
	}
	return fmt.Errorf("--same is %.40q, want a or b", string(s))
}

// note is what follows the name of a method in tables.
func (s Same) note() string {
	if s == OwnExemplars {
		return ""
	}
	return fmt.Sprintf(", both of %s", string(s))
}
