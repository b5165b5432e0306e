// Package plural counts things in words: 1 robot, 2 robots, 3 trajectories.
package plural

import (
	"strconv"
	"strings"
)

// Of returns a number with its noun, which is given in the singular.
func Of(n int, noun string) string { return strconv.Itoa(n) + " " + Noun(n, noun) }

// Noun returns a noun as it stands behind a number.
func Noun(n int, noun string) string {
	switch {
	case n == 1 || n == -1:
		return noun
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ay"):
		return strings.TrimSuffix(noun, "y") + "ies"
	case strings.HasSuffix(noun, "ch") || strings.HasSuffix(noun, "s") || strings.HasSuffix(noun, "x"):
		return noun + "es"
	}
	return noun + "s"
}

// Are returns a number with its noun and the verb: 1 cell is, 2 cells are.
func Are(n int, noun string) string {
	if n == 1 {
		return Of(n, noun) + " is"
	}
	return Of(n, noun) + " are"
}
