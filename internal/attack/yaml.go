package attack

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

var (
	yamlNumber = regexp.MustCompile(`-?\d+(\.\d+)?`)
	yamlKey    = regexp.MustCompile(`\w+:`)
)

// unfolding are a few lines that stand for a great deal, or take a great deal of time.
var unfolding = []string{
	"a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c]\ne: [*d, *d, *d, *d]\n",
	"a: &a\n  <<: *a\n", "<<: {name: x}\n", "&x a: *x\n", "# ]]]]]]]]]]]]]]]]]]]]]]]]\n" + strings.Repeat("[", 20000), strings.Repeat("- ", 20000), strings.Repeat("? ", 20000),
	"name: |\n" + strings.Repeat("\n  ", 15000), "name: >\n" + strings.Repeat("\r  ", 15000), strings.Repeat("{a: ", 10000), "\xef\xbb\xbf", "%YAML 9.9\n---\n", "---\n...\n---\n", "!!binary |\n  ////\n",
	"name: \"" + strings.Repeat("\\\n", 20000) + "\"\n", strings.Repeat("a:\n", 20000), "a: '" + strings.Repeat("''", 20000) + "'\n",
}

// YAML changes numbers, keys and lines of a YAML file.
func YAML(r *rand.Rand, file []byte) []byte {
	text := string(file)
	for range 1 + r.IntN(3) {
		text = changeYAML(r, text)
	}
	return []byte(text)
}

func changeYAML(r *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	i := r.IntN(len(lines))
	switch r.IntN(9) {
	case 0:
		return string(Bytes(r, []byte(text)))
	case 1:
		return strings.Join(slices.Delete(lines, i, i+1), "")
	case 2:
		return strings.Join(slices.Insert(lines, i, slices.Repeat(lines[i:i+1], pick(r, []int{1, 30, 2100}))...), "")
	case 3:
		return strings.Join(slices.Insert(lines, i, pick(r, unfolding)), "")
	case 4:
		return replaceOne(r, text, yamlKey, pick(r, words)+":")
	case 5:
		return replaceOne(r, text, yamlNumber, pick(r, words))
	case 6:
		return replaceOne(r, text, yamlNumber, strings.Repeat(pick(r, []string{"[", "{a: ", "- ", "? "}), pick(r, []int{2, 15, 20, 5000})))
	}
	return replaceOne(r, text, yamlNumber, pick(r, numbers))
}

// replaceOne replaces one match of a pattern.
func replaceOne(r *rand.Rand, text string, pattern *regexp.Regexp, by string) string {
	matches := pattern.FindAllStringIndex(text, -1)
	if len(matches) == 0 {
		return text + by
	}
	m := pick(r, matches)
	return text[:m[0]] + by + text[m[1]:]
}
