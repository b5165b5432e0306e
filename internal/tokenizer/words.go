package tokenizer

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// contractions are words of their own behind an apostrophe, in the order in which they
// are tried.
var contractions = [...]string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}

// split returns the pieces of a text between special tokens, each with the number of
// the token behind it; the last has none, -1. Of several that begin at one place the
// longest counts.
func (t *Tokenizer) split(text string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		places := make([]int, len(t.special)) // of the next occurrence of each
		for i := range places {
			places[i] = -1
		}
		begin := 0
		for {
			at, first := len(text), -1
			for i, s := range t.special {
				if places[i] < begin {
					places[i] = index(text, s.text, begin)
				}
				if places[i] < at {
					at, first = places[i], i
				}
			}
			if first < 0 {
				yield(text[begin:], -1)
				return
			}
			if !yield(text[begin:at], t.special[first].id) {
				return
			}
			begin = at + len(t.special[first].text)
		}
	}
}

// index returns where a part begins in a text, from a place on; the length of the text
// if it does not.
func index(text, part string, from int) int {
	if at := strings.Index(text[from:], part); at >= 0 {
		return from + at
	}
	return len(text)
}

// words returns the words of a text: contractions, runs of letters, single digits, and
// runs of anything else that is not white space.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			n, word := next(text)
			if word && !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// next returns the length of the word or white space that a text begins with.
func next(text string) (n int, word bool) {
	for _, c := range contractions {
		if strings.HasPrefix(text, c) {
			return len(c), true
		}
	}
	r, size := utf8.DecodeRuneInString(text)
	kind := kindOf(r)
	if kind == digit {
		return size, true
	}
	for n = size; n < len(text); n += size {
		r, size = utf8.DecodeRuneInString(text[n:])
		if kindOf(r) != kind {
			break
		}
	}
	return n, kind != space
}

// kind is what a word may consist of.
type kind int

const (
	space kind = iota
	letter
	digit
	other
)

func kindOf(r rune) kind {
	switch {
	case unicode.IsSpace(r):
		return space
	case unicode.IsLetter(r):
		return letter
	case unicode.IsNumber(r):
		return digit
	}
	return other
}
