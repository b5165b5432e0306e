package nav2d

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/tensor"
)

// UnknownNameError says that something was asked for by a name that does not
// exist, and which names do.
type UnknownNameError struct {
	Kind    string // "map" or "pattern"
	Name    string
	Known   []string
	Nearest string // the known name that looks most alike, "" if none does
}

func (e *UnknownNameError) Error() string {
	hint := ""
	if e.Nearest != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", e.Nearest)
	}
	return fmt.Sprintf("nav2d: no %s %q%s; there are %s", e.Kind, e.Name, hint, strings.Join(e.Known, ", "))
}

func unknownName(kind, name string, known []string) error {
	return &UnknownNameError{Kind: kind, Name: name, Known: known, Nearest: mostAlike(name, known)}
}

// ShapeError says that a cost was given variables that are not one trajectory.
type ShapeError struct {
	What string
	Got  []tensor.Shape
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("nav2d: %s takes one variable of shape [waypoints, 2 or more channels], got %v", e.What, e.Got)
}

// OptionError says that an option or a count is negative.
type OptionError struct {
	Name  string
	Value int
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("nav2d: %s is %d, want 0 or more", e.Name, e.Value)
}

// mostAlike returns the known word with the smallest edit distance to word, or
// "" when more than a third of it would have to change.
func mostAlike(word string, known []string) string {
	best, least := "", len(word)/3+1
	for _, k := range slices.Sorted(slices.Values(known)) {
		if d := editDistance(strings.ToLower(word), k); d <= least && (best == "" || d < least) {
			best, least = k, d
		}
	}
	return best
}

// editDistance is the number of insertions, deletions and substitutions between
// two words (Levenshtein 1965).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}
