package tokenizer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-pcd/pcd/internal/tokenizer"
)

// alphabet are the letters of the bytes in the order of the published vocabulary:
// visible ones first.
func alphabet() []string {
	var visible, hidden []string
	for b := range 256 {
		if b >= 33 && b <= 126 || b >= 161 && b <= 172 || b >= 174 {
			visible = append(visible, string(rune(b)))
		} else {
			hidden = append(hidden, string(rune(256+len(hidden))))
		}
	}
	return append(visible, hidden...)
}

// files makes a vocabulary as the published one is made: letters, letters at the end of
// a word, what merges give, start and end.
func files(t testing.TB, merges ...string) fstest.MapFS {
	t.Helper()
	tokens := alphabet()
	for _, c := range alphabet() {
		tokens = append(tokens, c+"</w>")
	}
	for _, m := range merges {
		tokens = append(tokens, strings.ReplaceAll(m, " ", ""))
	}
	tokens = append(tokens, "<|startoftext|>", "<|endoftext|>")
	ids := map[string]int{}
	for i, token := range tokens {
		ids[token] = i
	}
	vocabulary, err := json.Marshal(ids)
	if err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{
		"vocab.json":              {Data: vocabulary},
		"merges.txt":              {Data: []byte("#version: 0.2\n" + strings.Join(merges, "\n") + "\n")},
		"special_tokens_map.json": {Data: []byte(`{"bos_token": {"content": "<|startoftext|>"}, "pad_token": "!"}`)},
	}
}

// sample are merges of a few words; "o w</w>" comes before "l o".
var sample = []string{"h e", "l l", "he ll", "hell o</w>", "o w</w>", "l o", "l ow</w>", "Ã ©</w>", "1 2", "! !</w>", "a a", "aa aa", "' s</w>", "t h", "th e</w>"}

func open(t testing.TB, files fs.FS) *tokenizer.Tokenizer {
	t.Helper()
	tok, err := tokenizer.OpenFS(files, "tiny")
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func TestTokens(t *testing.T) {
	tok := open(t, files(t, sample...))
	for text, want := range map[string]string{
		"":                        "",
		"  \t\n ":                 "",
		"hello":                   "hello</w>",
		"HeLLo  hello\u00a0":      "hello</w> hello</w>",
		"hell":                    "he l l</w>", // "l l" is inside of words only
		"hells":                   "hell s</w>",
		"low":                     "low</w>", // "o w</w>" first, then "l ow</w>"
		"é":                       "Ã©</w>",
		"e\u0301":                 "Ã©</w>", // composed first
		"it's":                    "i t</w> 's</w>",
		"'something":              "'s</w> o m e th i n g</w>",
		"12":                      "1</w> 2</w>", // digits stand alone
		"a1b":                     "a</w> 1</w> b</w>",
		"hello!":                  "hello</w> !",
		"!!":                      "! !", // registered: not the merge of both
		"?!?":                     "?</w> ! ?</w>",
		"aaaaa":                   "aaaa a</w>",
		"aaaaaaaa":                "aaaa aa a a</w>",
		"the <|endoftext|>hello":  "the</w> <|endoftext|> hello</w>",
		"<|STARTOFTEXT|><|endof":  "<|startoftext|> < |</w> e n d o f</w>",
		"-=hello":                 "- =</w> hello</w>",
		"½²":                      "Â ½</w> Â ²</w>",
		"\xff":                    "ï ¿ ½</w>", // is read as U+FFFD
		"İ":                       "i</w> Ì ĩ</w>",
		"hello\u2028hello\u3000!": "hello</w> hello</w> !",
	} {
		var ids []int
		for _, token := range strings.Fields(want) {
			id, ok := tok.ID(token)
			if !ok {
				t.Fatalf("%s is not in the vocabulary", token)
			}
			ids = append(ids, id)
		}
		if got := tok.Tokens(text); !slices.Equal(got, ids) {
			t.Errorf("Tokens(%q) = %v, want %v: %s", text, got, ids, want)
		}
	}
}

// A text is cut to its length between start and end, or padded with the token that the
// map of special tokens names.
func TestEncode(t *testing.T) {
	tok := open(t, files(t, sample...))
	start, _ := tok.ID("<|startoftext|>")
	end, _ := tok.ID("<|endoftext|>")
	word, _ := tok.ID("low</w>")
	for _, words := range []int{0, 1, 74, 75, 76, 200} {
		ids, total := tok.Encode(strings.Repeat("low ", words))
		if len(ids) != tok.Length() || total != words+2 {
			t.Fatalf("%d words: %d numbers, total %d", words, len(ids), total)
		}
		kept := min(words, tok.Length()-2)
		for i, id := range ids {
			want := 0 // "!"
			switch {
			case i == 0:
				want = start
			case i <= kept:
				want = word
			case i == kept+1:
				want = end
			}
			if id != want {
				t.Errorf("%d words: number %d is %d, want %d", words, i, id, want)
			}
		}
	}
}

// The configuration is believed where the map of special tokens says nothing.
func TestConfiguration(t *testing.T) {
	f := files(t, sample...)
	delete(f, "special_tokens_map.json")
	f["tokenizer_config.json"] = &fstest.MapFile{Data: []byte(`{"model_max_length": 8, "do_lower_case": false, "pad_token": null}`)}
	tok := open(t, f)
	end, _ := tok.ID("<|endoftext|>")
	ids, _ := tok.Encode("HELLO")
	if len(ids) != 8 || ids[7] != end {
		t.Errorf("ids %v, want 8, padded with %d", ids, end)
	}
	if id, _ := tok.ID("H"); ids[1] != id {
		t.Errorf("ids %v, want upper case kept", ids)
	}
	if got := tok.Tokens("!"); len(got) != 1 || got[0] == 0 {
		t.Errorf("Tokens(!) = %v: it is registered without being named", got)
	}
}

// Files that contradict each other are refused by name.
func TestRefused(t *testing.T) {
	for what, c := range map[string]struct {
		change  func(fstest.MapFS)
		path    string
		message string
	}{
		"no vocabulary":   {func(f fstest.MapFS) { delete(f, "vocab.json") }, "vocab.json", "cannot be read"},
		"no merges":       {func(f fstest.MapFS) { delete(f, "merges.txt") }, "merges.txt", "cannot be read"},
		"empty merges":    {put("merges.txt", "#version: 0.2\n"), "merges.txt", "belongs to its merges"},
		"foreign merges":  {put("merges.txt", "h e\nq q\n"), "merges.txt", "line 2"},
		"unknown token":   {put("merges.txt", "heh e\n"), "merges.txt", "heh"},
		"one token":       {put("merges.txt", "he\n"), "merges.txt", "two tokens"},
		"three tokens":    {put("merges.txt", "h e l\n"), "merges.txt", "two tokens"},
		"twice":           {put("merges.txt", "h e\nh e\n"), "merges.txt", "line 2"},
		"escape sequence": {put("merges.txt", "\x1b[2J \x1b\n"), "merges.txt", `\x1b`},
		"truncated":       {put("vocab.json", `{"a": 0, "b"`), "vocab.json", "no JSON"},
		"list":            {put("vocab.json", `["a"]`), "vocab.json", "no JSON"},
		"empty":           {put("vocab.json", `{}`), "vocab.json", "0 tokens"},
		"one number":      {put("vocab.json", `{"a": 0, "b": 0}`), "vocab.json", "each once"},
		"negative":        {put("vocab.json", `{"a": -1}`), "vocab.json", "each once"},
		"large":           {put("vocab.json", `{"a": 9007199254740993}`), "vocab.json", "each once"},
		"fraction":        {put("vocab.json", `{"a": 0.5}`), "vocab.json", "no JSON"},
		"no bytes":        {put("vocab.json", `{"a": 0}`), "vocab.json", "stands for byte"},
		"padding":         {put("special_tokens_map.json", `{"pad_token": "<pad>"}`), "vocab.json", "<pad>"},
		"length":          {put("tokenizer_config.json", `{"model_max_length": 1000000000}`), "tokenizer_config.json", "model_max_length"},
		"short":           {put("tokenizer_config.json", `{"model_max_length": 2}`), "tokenizer_config.json", "model_max_length"},
		"kind of name":    {put("tokenizer_config.json", `{"bos_token": 7}`), "tokenizer_config.json", "no JSON"},
		"folder":          {func(f fstest.MapFS) { f["vocab.json"] = &fstest.MapFile{Mode: fs.ModeDir} }, "vocab.json", "cannot be read"},
	} {
		f := files(t, sample...)
		c.change(f)
		_, err := tokenizer.OpenFS(f, "tiny")
		var refused *tokenizer.FileError
		if !errors.As(err, &refused) || refused.Path != filepath.Join("tiny", c.path) || !strings.Contains(err.Error(), c.message) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %q, want a *tokenizer.FileError of %s that says %q", what, err, c.path, c.message)
		}
		if absent := strings.HasPrefix(what, "no ") && what != "no bytes"; errors.Is(err, fs.ErrNotExist) != absent {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func put(file, content string) func(fstest.MapFS) {
	return func(f fstest.MapFS) { f[file] = &fstest.MapFile{Data: []byte(content)} }
}

// clip is a folder with the published tokenizer, which is not part of this repository.
var clip = flag.String("clip", os.Getenv("PCD_CLIP_TOKENIZER"), "folder with the tokenizer of Stable Diffusion 2.1")

// The published vocabulary gives the published numbers: testdata/tokens.json holds what
// the reference implementation made of twenty texts. Without the vocabulary the texts
// are only taken apart.
func TestPublishedVocabulary(t *testing.T) {
	data, err := os.ReadFile("testdata/tokens.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Prompt string
		IDs    []int `json:"sd21_ids77"`
		Total  int   `json:"sd21_untruncated_len"`
	}
	if err := json.Unmarshal(data, &cases); err != nil || len(cases) != 20 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	tok := open(t, files(t, sample...))
	if *clip != "" {
		if tok, err = tokenizer.Open(*clip); err != nil {
			t.Fatal(err)
		}
		if tok.Vocabulary() != 49408 {
			t.Errorf("%d tokens, want 49408", tok.Vocabulary())
		}
	}
	for _, c := range cases {
		ids, total := tok.Encode(c.Prompt)
		if *clip == "" {
			if len(ids) != len(c.IDs) || total < c.Total {
				t.Errorf("%q: %d tokens with few merges, want at least %d", c.Prompt, total, c.Total)
			}
			continue
		}
		if total != c.Total || !slices.Equal(ids, c.IDs) {
			t.Errorf("%q: %d tokens %v, want %d: %v", c.Prompt, total, ids, c.Total, c.IDs)
		}
	}
}

// Whatever the text, its tokens spell it: their bytes are those of the text without
// white space, in lower case.
func FuzzTokens(f *testing.F) {
	tok := open(f, files(f, sample...))
	spelling := make([]string, tok.Vocabulary())
	var vocabulary map[string]int
	if err := json.Unmarshal(files(f, sample...)["vocab.json"].Data, &vocabulary); err != nil {
		f.Fatal(err)
	}
	for token, id := range vocabulary {
		spelling[id] = strings.TrimSuffix(token, "</w>")
	}
	bytes := map[string]byte{}
	for b := range 256 {
		bytes[alphabetOf(byte(b))] = byte(b)
	}
	for _, seed := range []string{"hello!", "it's 12 o'clock", "aaaaaaaaaaaa", "<|endoftext|>", "\xff\xfe", "日本語 テスト", "İİ", strings.Repeat("!", 1000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got []byte
		for _, id := range tok.Tokens(text) {
			for _, r := range spelling[id] {
				if b, ok := bytes[string(r)]; ok {
					got = append(got, b)
				}
			}
		}
		if want := strings.Join(strings.Fields(lower(text)), ""); string(got) != want {
			t.Fatalf("the tokens of %q spell %q, want %q", text, got, want)
		}
	})
}

// lower is lower case, letter by letter.
func lower(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == 'İ' {
			b.WriteString("i\u0307")
			continue
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

// alphabetOf returns the letter of a byte.
func alphabetOf(b byte) string {
	if b >= 33 && b <= 126 || b >= 161 && b <= 172 || b >= 174 {
		return string(rune(b))
	}
	hidden := 0
	for c := range int(b) {
		if !(c >= 33 && c <= 126 || c >= 161 && c <= 172 || c >= 174) {
			hidden++
		}
	}
	return string(rune(256 + hidden))
}

// FuzzOpen reads any files.
// What a vocabulary must hold is ten kilobytes that every change would break, so most
// inputs are entries behind it, and only those that begin a file of their own replace it.
func FuzzOpen(f *testing.F) {
	whole := files(f)["vocab.json"].Data
	stem := string(whole[:len(whole)-1])
	f.Add([]byte(`"he":514`), []byte("#version: 0.2\nh e\n"), []byte(`{"pad_token":"!"}`))
	f.Add([]byte(`"ll</w>":-1,"he":1e9`), []byte("l l</w>\n"), []byte(`{"pad_token":{"content":"ll</w>"}}`))
	f.Add([]byte(`{"a":0}`), []byte(""), []byte("{}"))
	f.Fuzz(func(t *testing.T, entries, merges, special []byte) {
		vocabulary := entries
		if !bytes.HasPrefix(entries, []byte("{")) {
			vocabulary = []byte(stem + "," + string(entries) + "}")
		}
		tok, err := tokenizer.OpenFS(fstest.MapFS{
			"vocab.json": {Data: vocabulary}, "merges.txt": {Data: merges}, "special_tokens_map.json": {Data: special},
		}, "fuzz")
		var refused *tokenizer.FileError
		if err != nil && !errors.As(err, &refused) {
			t.Fatal(err)
		}
		if err == nil {
			tok.Encode("hello, it's 12!")
		}
	})
}

func ExampleOpen() {
	tok, err := tokenizer.Open("model/tokenizer")
	if err != nil {
		fmt.Println(errors.Is(err, fs.ErrNotExist)) // the vocabulary is not part of the program
		return
	}
	ids, total := tok.Encode("a photo of a cat")
	fmt.Println(ids[:total])
	// Output: true
}
