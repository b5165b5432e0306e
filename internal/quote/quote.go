// Package quote makes text from files safe to print: names of tensors, classes and
// archive entries may hold escape sequences, line ends and invisible characters,
// which a terminal would obey.
package quote

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is how many bytes of a text are printed.
const longest = 200

// Text returns s as it is when all of it can be seen, and in quotes with escapes
// otherwise. Long text is cut.
func Text(s string) string {
	cut := ""
	if len(s) > longest {
		end := longest
		for end > longest-utf8.UTFMax && !utf8.RuneStart(s[end]) {
			end--
		}
		s, cut = s[:end], "…"
	}
	if s == "" || !visible(s) {
		return strconv.Quote(s) + cut
	}
	return s + cut
}

// Lines returns a message of several lines with escapes in the place of what cannot be
// seen. It is the last door before a terminal, for text that nobody quoted.
func Lines(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == '\n' || r == '\t' || r != utf8.RuneError && unicode.IsPrint(r) {
			b.WriteString(s[:size])
		} else {
			b.WriteString(strings.Trim(strconv.Quote(s[:size]), `"`))
		}
		s = s[size:]
	}
	return b.String()
}

func visible(s string) bool {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return false
			}
		}
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// List returns at most limit texts, each as [Text] writes it, separated by commas,
// and how many more there are.
func List(texts []string, limit int) string {
	var parts []string
	for _, s := range texts[:min(limit, len(texts))] {
		parts = append(parts, Text(s))
	}
	if more := len(texts) - limit; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}
