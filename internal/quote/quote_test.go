package quote_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/go-pcd/pcd/internal/quote"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"downs.0.weight":               "downs.0.weight",
		"with a space":                 "with a space",
		"größe":                        "größe",
		"":                             `""`,
		"\x1b[2J":                      `"\x1b[2J"`,
		"two\nlines":                   `"two\nlines"`,
		"\u009b31m":                    `"\u009b31m"`,
		"abc\u202edef":                 `"abc\u202edef"`,
		"\xff":                         `"\xff"`,
		strings.Repeat("a", 300):       strings.Repeat("a", 200) + "…",
		strings.Repeat("ü", 150):       strings.Repeat("ü", 100) + "…",
		"x" + strings.Repeat("ü", 150): "x" + strings.Repeat("ü", 99) + "…",
	} {
		if got := quote.Text(in); got != want {
			t.Errorf("Text(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestList(t *testing.T) {
	names := []string{"a", "b\r", "c", "d"}
	if got := quote.List(names, 2); got != `a, "b\r", and 2 more` {
		t.Errorf("List = %s", got)
	}
	if got := quote.List(names, 4); got != `a, "b\r", c, d` {
		t.Errorf("List = %s", got)
	}
}

// Whatever the text, what is printed can be seen and is not long.
func FuzzText(f *testing.F) {
	f.Add("plain")
	f.Add("\x1b]0;title\a")
	f.Add(strings.Repeat("\xe2\x80", 150))
	f.Fuzz(func(t *testing.T, s string) {
		got := quote.Text(s)
		if !utf8.ValidString(got) || len(got) > 2+10*200+3 {
			t.Fatalf("Text(%q) = %q", s, got)
		}
		for _, r := range got {
			if !unicode.IsPrint(r) {
				t.Fatalf("Text(%q) prints %U", s, r)
			}
		}
	})
}

func TestLines(t *testing.T) {
	for in, want := range map[string]string{
		"pcd: two\n\tlines, \"größe\"": "pcd: two\n\tlines, \"größe\"",
		"\x1b[2J\u202e\xff\r.png":      `\x1b[2J\u202e\xff\r.png`,
		"":                             "",
	} {
		if got := quote.Lines(in); got != want {
			t.Errorf("Lines(%q) = %s, want %s", in, got, want)
		}
	}
}
