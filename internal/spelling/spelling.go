// Package spelling reads words of which only some are known, and finds the one that was
// probably meant.
package spelling

import (
	"fmt"
	"slices"
	"strings"
)

// OneOf returns word as one of the known words of a kind. The error for another word
// lists them; it begins with the name of the package that asks.
func OneOf[T ~string](asks, kind, word string, known []T) (T, error) {
	if slices.Contains(known, T(word)) {
		return T(word), nil
	}
	var names []string
	for _, k := range known {
		names = append(names, string(k))
	}
	return "", fmt.Errorf("%s: unknown %s %q; the %ss are %s", asks, kind, word, kind, strings.Join(names, ", "))
}

// Nearest returns the known word with the smallest edit distance to word, or
// "" when more than a third of it would have to change.
func Nearest(word string, known []string) string {
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
