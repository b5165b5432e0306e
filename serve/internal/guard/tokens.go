package guard

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-pcd/pcd/internal/regular"
)

// Tokens are the secrets of clients; nil asks for none.
type Tokens struct{ clients []client }

type client struct {
	name   string
	digest [sha256.Size]byte // of the token
}

// Bounds of a file of tokens. Sixteen characters at random cannot be guessed.
const (
	maxTokenFile = 1 << 20
	minToken     = 16
)

// TokenError says what is wrong with a file of tokens.
type TokenError struct {
	Path   string
	Line   int // from 1; 0 is the file
	Reason string
}

func (e *TokenError) Error() string { return fmt.Sprintf("serve: tokens %s, %s", e.Path, e.Where()) }

// Where says what is wrong, and in which line.
func (e *TokenError) Where() string {
	if e.Line == 0 {
		return "which " + e.Reason
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
}

// ReadTokens reads a file with the name of a client and its token on every line. Empty lines
// and those that begin with # are left out.
func ReadTokens(path string) (*Tokens, error) {
	text, err := regular.ReadFile(path, maxTokenFile)
	if err != nil {
		return nil, err
	}
	t, named := &Tokens{}, map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, maxTokenFile)
	for line := 1; lines.Scan(); line++ {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 0 || strings.HasPrefix(words[0], "#"):
			continue
		case len(words) != 2:
			return nil, &TokenError{path, line, "want the name of a client and its token"}
		case len(words[1]) < minToken:
			return nil, &TokenError{path, line, fmt.Sprintf("the token has %d characters, want at least %d", len(words[1]), minToken)}
		case named[words[0]]:
			return nil, &TokenError{path, line, fmt.Sprintf("%q has a token already", words[0])}
		}
		named[words[0]] = true
		t.clients = append(t.clients, client{words[0], sha256.Sum256([]byte(words[1]))})
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(t.clients) == 0 {
		return nil, &TokenError{Path: path, Reason: "has no token"}
	}
	return t, nil
}

// Client returns the name of the client whose token a request bears. It compares with all
// tokens, each in the same time, so that the time says nothing about them.
func (t *Tokens) Client(r *http.Request) (name string, ok bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	digest := sha256.Sum256([]byte(strings.TrimSpace(token)))
	for _, c := range t.clients {
		if subtle.ConstantTimeCompare(digest[:], c.digest[:]) == 1 {
			name, ok = c.name, true
		}
	}
	return name, ok && strings.EqualFold(scheme, "bearer")
}
