package tokenizer_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-pcd/pcd/internal/tokenizer"
)

// wholeFile joins vocabulary and merges as current libraries write them: merges are pairs, or
// lines as in releases before.
func wholeFile(t *testing.T, f fstest.MapFS, pairs bool, added string) fstest.MapFS {
	t.Helper()
	var merges []any
	for _, m := range sample {
		if pairs {
			merges = append(merges, strings.Split(m, " "))
		} else {
			merges = append(merges, m)
		}
	}
	lines, err := json.Marshal(merges)
	if err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{
		"tokenizer.json": {Data: fmt.Appendf(nil, `{"version": "1.0", "added_tokens": [%s], "normalizer": {"type": "NFC"},
			"model": {"type": "BPE", "unk_token": "<|endoftext|>", "end_of_word_suffix": "</w>", "vocab": %s, "merges": %s}}`, added, f["vocab.json"].Data, lines)},
		"tokenizer_config.json": {Data: []byte(`{"bos_token": "<|startoftext|>", "pad_token": "!", "model_max_length": 77}`)},
	}
}

// A tokenizer in one file gives the numbers of the one in several.
func TestOneFile(t *testing.T) {
	f := files(t, sample...)
	several := open(t, f)
	for _, pairs := range []bool{false, true} {
		one := open(t, wholeFile(t, f, pairs, `{"id": 527, "content": "<|startoftext|>", "special": true}`))
		for _, text := range []string{"hello", "the low 12 !", "é's <|endoftext|> aaaa"} {
			a, _ := several.Encode(text)
			b, _ := one.Encode(text)
			if !slices.Equal(a, b) {
				t.Errorf("%q: %v of one file, %v of several", text, b, a)
			}
		}
	}
	for name, c := range map[string][2]string{
		"another model":   {`"type": "BPE"`, `"type": "WordPiece"`},
		"other words":     {`"end_of_word_suffix": "</w>"`, `"end_of_word_suffix": ""`},
		"foreign merges":  {`["h","e"]`, `["q","q"]`},
		"no merges":       {`"merges": [`, `"merges": [], "other": [`},
		"a lost letter":   {`"a":`, `"aaaaaaaa":`},
		"an added number": {`"id": 527`, `"id": 7`},
	} {
		whole := wholeFile(t, f, true, `{"id": 527, "content": "<|startoftext|>", "special": true}`)
		text := strings.Replace(string(whole["tokenizer.json"].Data), c[0], c[1], 1)
		if text == string(whole["tokenizer.json"].Data) {
			t.Fatalf("%s changes nothing", name)
		}
		whole["tokenizer.json"] = &fstest.MapFile{Data: []byte(text)}
		var refused *tokenizer.FileError
		if _, err := tokenizer.OpenFS(whole, "tiny"); !errors.As(err, &refused) || refused.Path != filepath.Join("tiny", "tokenizer.json") {
			t.Errorf("%s: %v, want a *tokenizer.FileError of tokenizer.json", name, err)
		}
	}
	if _, err := tokenizer.OpenFS(fstest.MapFS{}, "tiny"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "vocab.json") {
		t.Errorf("no file: %v", err)
	}
}

// Tokens that were added to a vocabulary are tokens, whichever file names them.
func TestAddedTokens(t *testing.T) {
	f := files(t, sample...)
	n := open(t, f).Vocabulary()
	settings := fmt.Sprintf(`{"added_tokens_decoder": {"0": {"content": "!"}, "%d": {"content": "<Cat-toy>"}, "%d": {"content": "<dog>"}}}`, n, n+1)
	for name, change := range map[string]func(fstest.MapFS){
		"added_tokens.json":     put("added_tokens.json", fmt.Sprintf(`{"<dog>": %d, "<Cat-toy>": %d}`, n+1, n)),
		"tokenizer_config.json": put("tokenizer_config.json", settings),
		"both": func(f fstest.MapFS) {
			put("added_tokens.json", fmt.Sprintf(`{"<dog>": %d, "<Cat-toy>": %d}`, n+1, n))(f)
			put("tokenizer_config.json", settings)(f)
		},
	} {
		g := files(t, sample...)
		change(g)
		tok := open(t, g)
		the, _ := tok.ID("the</w>")
		if got, want := tok.Tokens("the<cat-toy> <DOG>the"), []int{the, n, n + 1, the}; !slices.Equal(got, want) || tok.Vocabulary() != n+2 {
			t.Errorf("%s: %v of %d tokens, want %v of %d", name, got, tok.Vocabulary(), want, n+2)
		}
	}
	for name, change := range map[string]func(fstest.MapFS){
		"added_tokens.json":     put("added_tokens.json", fmt.Sprintf(`{"<dog>": %d}`, n+5)),
		"tokenizer_config.json": put("tokenizer_config.json", `{"added_tokens_decoder": {"7": {"content": "!"}}}`),
	} {
		g := files(t, sample...)
		change(g)
		var refused *tokenizer.FileError
		if _, err := tokenizer.OpenFS(g, "tiny"); !errors.As(err, &refused) || refused.Path != filepath.Join("tiny", name) {
			t.Errorf("%s: %v, want a *tokenizer.FileError of it", name, err)
		}
	}
	g := files(t, sample...)
	put("tokenizer_config.json", `{"model_max_length": 1000000000000000019884624838656}`)(g)
	if _, err := tokenizer.OpenFS(g, "tiny"); err == nil || !strings.Contains(err.Error(), "model_max_length is 1000000000000000019884624838656, want 3 to") {
		t.Errorf("a length without bound: %v", err)
	}
}

// Letters that a small vocabulary does not have at the end of a word are unknown there.
func TestUnknownEnds(t *testing.T) {
	f := files(t, sample...)
	n := open(t, f).Vocabulary()
	f["vocab.json"].Data = []byte(strings.Replace(string(f["vocab.json"].Data), `"z\u003c/w\u003e":`, `"\u003cunk\u003e":`, 1))
	put("special_tokens_map.json", `{"unk_token": "<unk>"}`)(f)
	tok := open(t, f)
	unknown, ok := tok.ID("<unk>")
	z, _ := tok.ID("z")
	if got, want := tok.Tokens("zz z"), []int{z, unknown, unknown}; !ok || tok.Vocabulary() != n || !slices.Equal(got, want) {
		t.Errorf("Tokens(zz z) = %v, want %v", got, want)
	}
	f["vocab.json"].Data = []byte(strings.Replace(string(f["vocab.json"].Data), `"z":`, `"zzzzzz":`, 1))
	if _, err := tokenizer.OpenFS(f, "tiny"); err == nil || !strings.Contains(err.Error(), "stands for byte 122") {
		t.Errorf("a byte without a token: %v", err)
	}
}
