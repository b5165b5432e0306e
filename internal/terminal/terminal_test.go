package terminal

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestFill(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		width int
		want  string
	}{
		"short":           {"a line", 20, "a line"},
		"broken":          {"one two three four", 9, "one two\nthree\nfour"},
		"joined":          {"one\ntwo\nthree\n", 20, "one two three\n"},
		"paragraphs":      {"one\n\ntwo\nthree", 20, "one\n\ntwo three"},
		"items":           {"names\n  sd   one two\n       three\n  pcd  four", 14, "names\n  sd   one two\n       three\n  pcd  four"},
		"items broken":    {"  sd   one two three four", 14, "  sd   one two\n       three\n       four"},
		"single items":    {"see\n  pcd plan\n  pcd push\nor not", 20, "see\n  pcd plan\n  pcd push\nor not"},
		"a long word":     {"see https://example.org/a/b now", 10, "see\nhttps://example.org/a/b\nnow"},
		"no break":        {"one 2 mm three", 8, "one 2 mm\nthree"},
		"held together":   {"one 2" + noBreak + "mm", 6, "one\n2 mm"},
		"width, no bytes": {"é é é é", 7, "é é é é"},
		"wide letters":    {"機器人 機器人", 8, "機器人\n機器人"},
		"percent":         {"one 100 % two", 7, "one\n100 %\ntwo"},
		"deviation":       {"one 1 ± 2 two", 7, "one\n1 ± 2\ntwo"},
		"empty":           {"", 20, ""},
	} {
		if got := Fill(c.text, c.width); got != c.want {
			t.Errorf("%s: Fill(%q, %d) = %q, want %q", name, c.text, c.width, got, c.want)
		}
	}
}

// FuzzFill fills any text: nothing but spaces changes, and only words run over.
func FuzzFill(f *testing.F) {
	f.Add("  a  b\n c\n\nd", uint8(3))
	f.Fuzz(func(t *testing.T, text string, width uint8) {
		if strings.ContainsAny(text, "\t\r\v\f\u0085"+noBreak) {
			return
		}
		got := Fill(text, int(width)+narrowest)
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(text), " ") {
			t.Errorf("Fill(%q) = %q", text, got)
		}
	})
}

func TestFields(t *testing.T) {
	var f Fields
	f.Add("plan", "certified; made from sample %d", 3)
	f.Add("", "speed: 0.1 left")
	f.Add("time", "1 s")
	for width, want := range map[int]string{
		40: "plan  certified; made from sample 3\n      speed: 0.1 left\ntime  1 s\n",
		30: "plan  certified; made from\n      sample 3\n      speed: 0.1 left\ntime  1 s\n",
		20: "plan\n  certified; made\n  from sample 3\n  speed: 0.1 left\ntime\n  1 s\n",
	} {
		var b bytes.Buffer
		if err := f.Write(&b, width); err != nil || b.String() != want {
			t.Errorf("at %d: %v\n%swant\n%s", width, err, &b, want)
		}
	}
}

var wide = Table{
	Header: []string{"method", "", "distance", "share of plans"},
	Lines:  [][]string{{"pcd", "ours", Join("3.46 ± 0.83") + " " + Join("[3.28, 3.64]"), "100"}, {"", "published", Join("3.16 ± 1.13"), "99"}},
	Labels: 2,
}

func TestTable(t *testing.T) {
	right := Table{Header: []string{"n", "ms"}, Lines: [][]string{{"10", "1.5"}, {"2", "10.25"}}, Right: true}
	for name, c := range map[string]struct {
		table Table
		width int
		want  string
	}{
		"any": {wide, 0, `
method             distance                  share of plans
pcd     ours       3.46 ± 0.83 [3.28, 3.64]  100
        published  3.16 ± 1.13               99
`},
		"broken": {wide, 46, `
method             distance      share of
                                 plans
pcd     ours       3.46 ± 0.83   100
                   [3.28, 3.64]
        published  3.16 ± 1.13   99
`},
		"parts": {wide, 34, `
method             distance
pcd     ours       3.46 ± 0.83
                   [3.28, 3.64]
        published  3.16 ± 1.13

method             share of plans
pcd     ours       100
        published  99
`},
		"too narrow": {wide, 20, `
method             distance
pcd     ours       3.46 ± 0.83
                   [3.28, 3.64]
        published  3.16 ± 1.13

method             share
                   of
                   plans
pcd     ours       100
        published  99
`},
		"together": {Table{Header: []string{"n", "aaa", "bbb", "ccc"}, Lines: [][]string{{"1", "2", "3", "4"}}, Labels: 1, Together: 2}, 12, `
n  aaa
1  2

n  bbb  ccc
1  3    4
`},
		"right": {right, 80, `
 n     ms
10    1.5
 2  10.25
`},
	} {
		var b bytes.Buffer
		if err := c.table.Write(&b, c.width); err != nil || "\n"+b.String() != c.want {
			t.Errorf("%s: %v\n%swant%s", name, err, &b, c.want)
		}
	}
}

func TestWidth(t *testing.T) {
	t.Setenv("COLUMNS", "")
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if got := Width(&bytes.Buffer{}); got != Standard || Width(null) != Standard || Of(null) != nil {
		t.Errorf("width of no terminal is %d, want %d", got, Standard)
	}
	for value, want := range map[string]int{"132": 132, "3": narrowest, "-1": Standard, "wide": Standard} {
		t.Setenv("COLUMNS", value)
		if got := Width(&bytes.Buffer{}); got != want {
			t.Errorf("with COLUMNS=%s: %d, want %d", value, got, want)
		}
	}
}
