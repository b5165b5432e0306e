package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/regular"
)

// The files of a tokenizer.
const (
	vocabularyFile = "vocab.json"
	mergesFile     = "merges.txt"
	specialFile    = "special_tokens_map.json"
	configFile     = "tokenizer_config.json"
)

// Limits on what files may ask for; the published vocabulary has 49408 tokens in 1.1
// MB.
const (
	maxFile   = 8 << 20
	maxTokens = 1 << 20
	maxLength = 1 << 12
)

// FileError says what keeps files from being a tokenizer.
type FileError struct {
	Path   string
	Line   int    // from 1, or 0
	Token  string // the token concerned, or empty
	Reason string
	Err    error // cause, or nil
}

func (e *FileError) Error() string {
	s := "tokenizer: " + quote.Text(e.Path)
	if e.Line > 0 {
		s += fmt.Sprintf(": line %d", e.Line)
	}
	if e.Token != "" {
		s += fmt.Sprintf(": token %s", quote.Text(e.Token))
	}
	s += ": " + e.Reason
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// Open reads the tokenizer in a folder.
func Open(dir string) (*Tokenizer, error) { return OpenFS(regular.DirFS(dir), dir) }

// OpenFS reads the tokenizer at the root of a file system, which errors call name.
func OpenFS(files fs.FS, name string) (*Tokenizer, error) {
	l := loader{files: files, name: name, t: &Tokenizer{length: Length, lower: true}}
	var err error
	if l.whole, err = l.readWhole(); err != nil {
		return nil, err
	}
	for _, step := range []func() error{l.vocabulary, l.letters, l.merges, l.specials} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return l.t, nil
}

// loader fills a tokenizer from its files.
type loader struct {
	files fs.FS
	name  string
	t     *Tokenizer
	whole *whole // nil where vocabulary and merges are files of their own
}

// read returns a file. It returns nil for one that is absent and may be.
func (l loader) read(file string, optional bool) ([]byte, error) {
	data, err := regular.ReadFS(l.files, file, maxFile)
	if optional && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &FileError{Path: l.path(file), Reason: "cannot be read", Err: err}
	}
	return data, nil
}

// source is the file of the vocabulary.
func (l loader) source() string {
	if l.whole != nil {
		return wholeFile
	}
	return vocabularyFile
}

func (l loader) path(file string) string { return filepath.Join(l.name, file) }

// parse reads a JSON file; one that is optional may be missing.
func (l loader) parse(file string, optional bool, v any) error {
	data, err := l.read(file, optional)
	if err != nil || data == nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return &FileError{Path: l.path(file), Reason: "is no JSON of the kind that is expected", Err: err}
	}
	return nil
}

// vocabulary reads the numbers of the tokens, which must be those from 0 on.
func (l loader) vocabulary() error {
	if l.whole != nil {
		l.t.ids = l.whole.Model.Tokens
	} else if err := l.parse(vocabularyFile, false, &l.t.ids); err != nil {
		return err
	}
	n := len(l.t.ids)
	if n == 0 || n > maxTokens {
		return &FileError{Path: l.path(l.source()), Reason: fmt.Sprintf("has %d tokens, want 1 to %d", n, maxTokens)}
	}
	seen := make([]bool, n)
	for token, id := range l.t.ids {
		if id < 0 || id >= n || seen[id] {
			return &FileError{Path: l.path(l.source()), Token: token, Reason: fmt.Sprintf("has the number %d; the %d tokens have the numbers from 0 to %d, each once", id, n, n-1)}
		}
		seen[id] = true
	}
	return nil
}

// letters finds the tokens of single bytes. Vocabularies that were learned from few texts lack some at the
// end of a word, which are unknown then.
func (l loader) letters() error {
	for b, letter := range alphabet {
		var ok, okLast bool
		l.t.bytes[b], ok = l.t.ids[letter]
		if l.t.last[b], okLast = l.t.ids[letter+wordEnd]; !okLast {
			l.t.last[b] = missing
		}
		if !ok {
			return &FileError{Path: l.path(l.source()), Token: letter, Reason: fmt.Sprintf("is missing; it stands for byte %d", b)}
		}
	}
	return nil
}

// missing is in the place of a token that a vocabulary does not have.
const missing = -1

// merges reads which pairs of tokens are merged, the first line first. Every one makes
// a token of the vocabulary.
func (l loader) merges() error {
	l.t.ranks = map[[2]int]rank{}
	if l.whole != nil {
		return l.mergesOfWhole()
	}
	data, err := l.read(mergesFile, false)
	if err != nil {
		return err
	}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if number == 1 && strings.HasPrefix(line, "#version") || line == "" {
			continue
		}
		if err := l.merge(line, number); err != nil {
			return err
		}
	}
	return l.haveMerges(mergesFile)
}

func (l loader) haveMerges(file string) error {
	if len(l.t.ranks) == 0 {
		return &FileError{Path: l.path(file), Reason: "holds no merges; a vocabulary belongs to its merges"}
	}
	return nil
}

func (l loader) merge(line string, number int) error {
	bad := func(token, reason string) error {
		if l.whole != nil {
			return &FileError{Path: l.path(wholeFile), Token: token, Reason: fmt.Sprintf("in merge %d: %s", number, reason)}
		}
		return &FileError{Path: l.path(mergesFile), Line: number, Token: token, Reason: reason}
	}
	left, right, ok := strings.Cut(line, " ")
	if !ok || left == "" || right == "" || strings.Contains(right, " ") {
		return bad("", fmt.Sprintf("is %s, want two tokens with a space between them", quote.Text(line)))
	}
	var pair [2]int
	for i, token := range [...]string{left, right} {
		if pair[i], ok = l.t.ids[token]; !ok {
			return bad(token, "is not in the vocabulary; take both files from one model")
		}
	}
	id, ok := l.t.ids[left+right]
	if !ok {
		return bad(left+right, "is not in the vocabulary; take both files from one model")
	}
	if _, twice := l.t.ranks[pair]; twice {
		return bad("", "merges the same tokens as a line before")
	}
	l.t.ranks[pair] = rank{order: len(l.t.ranks), id: id}
	return nil
}

// specials reads which tokens start, end and pad a text. The map of special tokens
// goes before the configuration, which disagrees about padding in published models.
func (l loader) specials() error {
	names := tokenNames{Start: "<|startoftext|>", End: "<|endoftext|>"}
	names.Unknown, names.Pad = names.End, names.End
	settings := struct {
		Length json.Number `json:"model_max_length"`
		Lower  *bool       `json:"do_lower_case"`
	}{}
	for _, v := range []any{&names, &settings} {
		if err := l.parse(configFile, true, v); err != nil {
			return err
		}
	}
	if err := l.parse(specialFile, true, &names); err != nil {
		return err
	}
	if said := settings.Length; said != "" {
		n, err := strconv.Atoi(said.String())
		if err != nil || n < 3 || n > maxLength {
			return &FileError{Path: l.path(configFile), Reason: fmt.Sprintf("model_max_length is %s, want 3 to %d: the max_position_embeddings of the text encoder, 77 for most", said, maxLength)}
		}
		l.t.length = n
	}
	if settings.Lower != nil {
		l.t.lower = *settings.Lower
	}
	if err := l.add(); err != nil {
		return err
	}
	return l.register(names)
}

// register finds the numbers of the special tokens.
func (l loader) register(names tokenNames) error {
	var unknown int
	for _, s := range []struct {
		name tokenName
		id   *int
	}{{names.Start, &l.t.start}, {names.End, &l.t.end}, {names.Pad, &l.t.pad}, {names.Unknown, &unknown}} {
		id, ok := l.t.ids[string(s.name)]
		if !ok || s.name == "" {
			return &FileError{Path: l.path(l.source()), Token: string(s.name), Reason: "is a special token, but not in the vocabulary"}
		}
		*s.id = id
		if entry := (special{string(s.name), id}); !slices.Contains(l.t.special, entry) {
			l.t.special = append(l.t.special, entry)
		}
	}
	for b, id := range l.t.last {
		if id == missing {
			l.t.last[b] = unknown
		}
	}
	slices.SortStableFunc(l.t.special, func(a, b special) int { return len(b.text) - len(a.text) })
	return nil
}

// tokenNames are the special tokens.
type tokenNames struct {
	Start   tokenName `json:"bos_token"`
	End     tokenName `json:"eos_token"`
	Unknown tokenName `json:"unk_token"`
	Pad     tokenName `json:"pad_token"`
}

// tokenName is a token that files write as text, or as an object around it.
type tokenName string

// UnmarshalJSON implements [json.Unmarshaler].
func (n *tokenName) UnmarshalJSON(b []byte) error {
	var object struct {
		Content string `json:"content"`
	}
	if string(b) == "null" { // none of its own
		return nil
	}
	if len(b) > 0 && b[0] == '{' {
		err := json.Unmarshal(b, &object)
		*n = tokenName(object.Content)
		return err
	}
	var text string
	err := json.Unmarshal(b, &text)
	*n = tokenName(text)
	return err
}
