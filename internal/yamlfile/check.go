package yamlfile

import (
	"fmt"
	"regexp"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// blockScalar matches lines that may begin one: an indicator behind which only its
// options, blanks and a comment follow. Lines that are comments do not.
var (
	blockScalar = regexp.MustCompile(`[|>][-+0-9 \t]*(#.*)?$`)
	comment     = regexp.MustCompile(`^[ \t]*#`)
	lineEnd     = regexp.MustCompile(`\r\n|\r|\n`)
)

// checkBlocks refuses block scalars, before the tokens are told apart: that is what
// takes the time.
func checkBlocks(data []byte) error {
	for i, line := range lineEnd.Split(string(data), -1) {
		if comment.MatchString(line) {
			continue
		}
		if at := blockScalar.FindStringIndex(line); at != nil {
			return &Error{Line: i + 1, Column: at[0] + 1, Message: fmt.Sprintf("text over several lines behind %q is not read; write it in one line, in quotes", line[at[0]])}
		}
	}
	return nil
}

// refused are the kinds of tokens that are not read.
var refused = map[token.Type]string{
	token.AnchorType:   "anchors (&) are not read; write the value where it is used",
	token.AliasType:    "aliases (*) are not read; write the value where it is used, or put it in quotes",
	token.MergeKeyType: "merge keys (<<) are not read; write the keys where they are used",
	token.LiteralType:  "text over several lines behind | is not read",
	token.FoldedType:   "text over several lines behind > is not read",
}

// checkTokens refuses what [refused] lists and bounds the nesting.
func checkTokens(text string) error {
	var n nesting
	for _, t := range lexer.Tokenize(text) {
		if why := refused[t.Type]; why != "" {
			return at(t, why)
		}
		if n.add(t) > MaxDepth {
			return at(t, fmt.Sprintf("lists and mappings are nested more than %d deep", MaxDepth))
		}
	}
	return nil
}

func at(t *token.Token, message string) *Error {
	return &Error{Line: t.Position.Line, Column: t.Position.Column, Message: message}
}

// nesting follows how deep the tokens of a file lie. Within brackets it counts them;
// outside, a collection begins at a column further to the right than those around it.
type nesting struct {
	brackets int
	columns  []int // of the block collections that are open
	line     int
	starts   bool // whether the next token begins a collection: it follows "-" or "?"
}

// add enters a token and returns the depth at it.
func (n *nesting) add(t *token.Token) int {
	switch t.Type {
	case token.CommentType:
		return 0
	case token.SequenceStartType, token.MappingStartType:
		n.brackets++
	case token.SequenceEndType, token.MappingEndType:
		n.brackets = max(0, n.brackets-1)
	}
	first := t.Position.Line != n.line
	entry := t.Type == token.SequenceEntryType || t.Type == token.MappingKeyType
	if n.brackets == 0 && (first || entry || n.starts) {
		n.enter(t.Position.Column)
	}
	n.line, n.starts = t.Position.Line, entry
	return n.brackets + len(n.columns)
}

// enter closes the collections that lie further to the right, and opens one unless it
// is open.
func (n *nesting) enter(column int) {
	for len(n.columns) > 0 && n.columns[len(n.columns)-1] > column {
		n.columns = n.columns[:len(n.columns)-1]
	}
	if len(n.columns) == 0 || n.columns[len(n.columns)-1] < column {
		n.columns = append(n.columns, column)
	}
}
