package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// The files that hold tokens beside the vocabulary, and the one that current libraries write in
// place of vocabulary and merges.
const (
	addedFile = "added_tokens.json"
	wholeFile = "tokenizer.json"
)

// addition is a token that was given to a vocabulary after its merges were learned, such as the
// word of a textual inversion. It is split off wherever it stands in the text.
type addition struct {
	id      int
	content string
	file    string
}

// whole is a vocabulary with its merges in one file.
type whole struct {
	Added []struct {
		ID      int    `json:"id"`
		Content string `json:"content"`
	} `json:"added_tokens"`
	Model struct {
		Kind   string         `json:"type"`
		Tokens map[string]int `json:"vocab"`
		Merges []merged       `json:"merges"`
		End    string         `json:"end_of_word_suffix"`
	} `json:"model"`
}

// merged is a line of merges: one text, or two.
type merged string

// UnmarshalJSON implements [json.Unmarshaler].
func (m *merged) UnmarshalJSON(b []byte) error {
	var pair []string
	if json.Unmarshal(b, &pair) == nil {
		*m = merged(strings.Join(pair, " "))
		return nil
	}
	var line string
	err := json.Unmarshal(b, &line)
	*m = merged(line)
	return err
}

// mergesOfWhole is merges of the one file.
func (l loader) mergesOfWhole() error {
	for i, m := range l.whole.Model.Merges {
		if err := l.merge(string(m), i+1); err != nil {
			return err
		}
	}
	return l.haveMerges(wholeFile)
}

// readWhole reads the file of vocabulary and merges where there are no two files of them. It
// returns nil if there are.
func (l loader) readWhole() (*whole, error) {
	if _, err := fs.Stat(l.files, vocabularyFile); !errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if _, err := fs.Stat(l.files, wholeFile); err != nil {
		return nil, nil // vocab.json is what is missed then
	}
	var w whole
	if err := l.parse(wholeFile, false, &w); err != nil {
		return nil, err
	}
	if w.Model.Kind != "BPE" || w.Model.End != wordEnd {
		return nil, &FileError{Path: l.path(wholeFile), Reason: fmt.Sprintf("has a model of type %q whose words end in %q, want \"BPE\" and %q: the tokenizer of CLIP", w.Model.Kind, w.Model.End, wordEnd)}
	}
	return &w, nil
}

// additions lists the added tokens of the files, by number.
func (l loader) additions() ([]addition, error) {
	var all []addition
	names := map[string]int{}
	if err := l.parse(addedFile, true, &names); err != nil {
		return nil, err
	}
	for content, id := range names {
		all = append(all, addition{id, content, addedFile})
	}
	settings := struct {
		Added map[string]tokenName `json:"added_tokens_decoder"`
	}{}
	if err := l.parse(configFile, true, &settings); err != nil {
		return nil, err
	}
	for number, content := range settings.Added {
		id, err := strconv.Atoi(number)
		if err != nil {
			return nil, &FileError{Path: l.path(configFile), Token: string(content), Reason: "is added without a number"}
		}
		all = append(all, addition{id, string(content), configFile})
	}
	if l.whole != nil {
		for _, a := range l.whole.Added {
			all = append(all, addition{a.ID, a.Content, wholeFile})
		}
	}
	slices.SortFunc(all, func(a, b addition) int { return a.id - b.id })
	return all, nil
}

// add gives the vocabulary its added tokens.
func (l loader) add() error {
	all, err := l.additions()
	if err != nil {
		return err
	}
	for _, a := range all {
		id, known := l.t.ids[a.content]
		switch {
		case a.content == "" || known && id != a.id || !known && a.id != len(l.t.ids):
			want := len(l.t.ids)
			if known {
				want = id
			}
			return &FileError{Path: l.path(a.file), Token: a.content, Reason: fmt.Sprintf("is added with the number %d, want %d; take all files from one model", a.id, want)}
		case !known:
			l.t.ids[a.content] = a.id
		}
		text := a.content
		if l.t.lower {
			text = lowered(text)
		}
		if s := (special{text, a.id}); !slices.Contains(l.t.special, s) {
			l.t.special = append(l.t.special, s)
		}
	}
	return nil
}
