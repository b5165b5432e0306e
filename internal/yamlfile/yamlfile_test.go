package yamlfile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/yamlfile"
)

type part struct {
	Size  []float64 `yaml:"size"`
	Count int       `yaml:"count"`
}

type file struct {
	Name  string  `yaml:"name"`
	Speed float64 `yaml:"speed"`
	Parts []part  `yaml:"parts"`
}

func decode(text string, strict bool) (f file, err error) {
	err = yamlfile.Decode(strings.NewReader(text), &f, yamlfile.Options{MaxBytes: 64 << 10, Strict: strict})
	return f, err
}

func TestDecode(t *testing.T) {
	text := "# a > b |c\nname: 'x # ]]] | y'\nspeed: 1.5 # m/s, not [[[[[[[[[[[[[[[[[[[\nparts:\n- size: [1, 2]\n  count: 3\n- {size: [4], count: 5}\n"
	for name, text := range map[string]string{"plain": text, "with a byte-order mark": "\xef\xbb\xbf" + text, "with other line ends": strings.ReplaceAll(text, "\n", "\r\n")} {
		f, err := decode(text, true)
		if err != nil || f.Name != "x # ]]] | y" || f.Speed != 1.5 || len(f.Parts) != 2 || f.Parts[0].Size[1] != 2 || f.Parts[1].Count != 5 {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
	if f, err := decode("name: a\nother: 1\n", false); err != nil || f.Name != "a" {
		t.Errorf("an unknown key: %+v, %v", f, err)
	}
}

// Every text that takes memory or time out of proportion is refused with its line.
func TestRefusals(t *testing.T) {
	deep := strings.Repeat
	for name, c := range map[string]struct {
		text string
		line int
		want string
	}{
		"anchor":                      {"speed: 1\nname: &a x\n", 2, "anchors (&)"},
		"alias":                       {"name: *a\n", 1, "aliases (*)"},
		"aliases of aliases":          {"parts: &a [{size: [1]}]\nname: &b [*a, *a, *a]\n", 1, "anchors"},
		"merge key":                   {"name: x\n<<: {speed: 1}\n", 2, "merge keys"},
		"merge key in brackets":       {"parts: [{<<: {count: 1}}]\n", 1, "merge keys"},
		"brackets":                    {"parts: " + deep("[", 30000), 1, "nested"},
		"brackets behind a comment":   {"# " + deep("]", 20000) + "\nparts: " + deep("[", 20000), 2, "nested"},
		"brackets behind a string":    {"name: '" + deep("]", 20000) + "'\nparts: " + deep("[", 20000), 2, "nested"},
		"brackets of both kinds":      {deep("[{a: ", 5000), 1, "nested"},
		"sequences in one line":       {deep("- ", 20000), 1, "nested"},
		"keys in one line":            {deep("? ", 20000), 1, "nested"},
		"mappings, line by line":      {steps(200), 17, "nested"},
		"literal text":                {"name: |\n" + deep("\n  ", 20000), 1, "quotes"},
		"folded text":                 {"speed: 1\nname: >-\n" + deep("\n  ", 20000), 2, "quotes"},
		"folded text with a comment":  {"name: > # text\n" + deep("\n  ", 20000), 1, "quotes"},
		"literal text in a sequence":  {"- |2+\n" + deep("\r  ", 20000), 1, "quotes"},
		"literal text after a string": {"'x'|\r" + deep("\n  ", 20000), 1, "quotes"},
		"too large":                   {deep("# padding\n", 7000), 0, "64 KiB"},
		"no UTF-8":                    {"name: x\nspeed: \xff\n", 2, "UTF-8"},
		"NUL":                         {"name: \x00\n", 1, "UTF-8"},
		"UTF-16":                      {"\xff\xfen\x00a\x00", 0, "UTF-16"},
		"a set for a list":            {"parts: !!set {a, b}\n", 0, "tags (!)"},
		"two documents":               {"name: a\n---\nname: b\n", 0, "one document"},
		"unknown key":                 {"speeed: 1\n", 1, `did you mean "speed"?`},
		"quite unknown key":           {"colour: 1\n", 1, "the keys are name, speed, parts, size, count"},
		"key of a part":               {"count: 1\n", 1, `key "count" does not belong here: it is one of "parts"`},
		"key of the file":             {"parts: [{speed: 1}]\n", 1, `key "speed" does not belong here: it is one of the whole file`},
		"text for a number":           {"speed: fast\n", 1, `"fast" is text, want a number`},
		"number out of range":         {"parts: [{count: 99999999999999999999}]\n", 1, "whole number"},
	} {
		_, err := decode(c.text, true)
		var broken *yamlfile.Error
		if !errors.As(err, &broken) || broken.Line != c.line || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.200v, want line %d, %q", name, err, c.line, c.want)
		}
	}
	if _, err := decode(" \n# nothing\n", true); !errors.Is(err, yamlfile.ErrEmpty) {
		t.Errorf("without content: %v, want ErrEmpty", err)
	}
}

// steps returns mappings each of which lies in the one before.
func steps(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		"name: a\nspeed: 1\nparts:\n- size: [1, 2]\n", "a: &x [*x, *x]\n", "<<: {a: 1}\n", "# ]]]\n[[[[", "a: |\n \n\n", "- - - ? ? a", "\xef\xbb\xbfname: x", "name: \"\\x00\"",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, strict := range []bool{true, false} {
			_, err := decode(text, strict)
			var broken *yamlfile.Error
			if err != nil && !errors.As(err, &broken) {
				t.Errorf("%T: %v, want an Error", err, err)
			}
		}
	})
}
