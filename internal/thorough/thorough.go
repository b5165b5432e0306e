// Package thorough is for tests that compute for long: they have a part of their cases,
// unless the flag -thorough asks for all of them. Packages whose tests import it know the
// flag; .ci/run finds them, and those of their tests that call it, by its name.
package thorough

import (
	"flag"
	"testing"
)

var all = flag.Bool("thorough", false, "all cases of tests that compute for long")

// Asked says whether all cases are asked for. Flags must have been parsed.
func Asked() bool { return *all }

// Test skips a test that is left to those who ask for all: what it is about, other tests of
// its package see in less.
func Test(t testing.TB) {
	t.Helper()
	if !*all {
		t.Skip("computes for long: -thorough")
	}
}

// Part returns all cases if they are asked for, and else the first few.
func Part[T any](cases []T, few int) []T {
	if *all {
		return cases
	}
	return cases[:min(few, len(cases))]
}

// Named returns all cases if they are asked for, and else those of some names. It panics for a name that
// none has: a test without cases would prove nothing.
func Named[T any](cases map[string]T, names ...string) map[string]T {
	if *all {
		return cases
	}
	few := map[string]T{}
	for _, name := range names {
		c, ok := cases[name]
		if !ok {
			panic("thorough: there is no case " + name)
		}
		few[name] = c
	}
	return few
}

// Cases returns how many of something a test has: many if they are asked for, and else few.
func Cases(few, many int) int {
	if *all {
		return many
	}
	return few
}
