package tokenizer

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Length is how many tokens a text has after padding, unless its files say otherwise.
const Length = 77

// Tokenizer is the vocabulary of a text encoder. It may be used concurrently.
type Tokenizer struct {
	ids     map[string]int  // of tokens, in the alphabet of bytes
	ranks   map[[2]int]rank // of merges
	bytes   [256]int        // the token of each byte within a word
	last    [256]int        // the token of each byte at the end of a word
	special []special       // longest first

	start, end, pad int
	length          int
	lower           bool
}

// rank is a merge of two tokens: when it is done, and what it makes.
type rank struct{ order, id int }

// special is a token that is split off wherever it stands in the text.
type special struct {
	text string
	id   int
}

// Vocabulary returns the number of tokens.
func (t *Tokenizer) Vocabulary() int { return len(t.ids) }

// Length returns how many numbers [Tokenizer.Encode] returns.
func (t *Tokenizer) Length() int { return t.length }

// ID returns the number of a token as vocab.json writes it.
func (t *Tokenizer) ID(token string) (int, bool) {
	id, ok := t.ids[token]
	return id, ok
}

// Encode returns the tokens of a text between start and end, cut or padded to Length.
// total is how many there were before that.
func (t *Tokenizer) Encode(text string) (ids []int, total int) {
	tokens := t.Tokens(text)
	total = len(tokens) + 2
	ids = make([]int, 0, max(total, t.length))
	ids = append(ids, t.start)
	ids = append(ids, tokens[:min(len(tokens), t.length-2)]...)
	ids = append(ids, t.end)
	for len(ids) < t.length {
		ids = append(ids, t.pad)
	}
	return ids, total
}

// Tokens returns the tokens of a text without start, end and padding.
func (t *Tokenizer) Tokens(text string) []int {
	text = norm.NFC.String(text)
	if t.lower {
		text = lowered(text)
	}
	var ids []int
	for plain, id := range t.split(text) {
		for word := range words(plain) {
			ids = t.merge(ids, word)
		}
		if id >= 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// lowered returns a text in lower case, letter by letter: the case of a letter does not
// depend on its place in a word.
func lowered(text string) string {
	out := make([]rune, 0, len(text))
	for _, r := range text {
		if r == 'İ' { // the only letter that becomes two
			out = append(out, 'i', '\u0307')
			continue
		}
		out = append(out, unicode.ToLower(r))
	}
	return string(out)
}
