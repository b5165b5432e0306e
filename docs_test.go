package pcd_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The pages that follow a sample and a plan name functions and files that are there.
func TestStopsAreThere(t *testing.T) {
	if testing.Short() {
		t.Skip("reads sources on one goroutine")
	}
	for name, fewest := range map[string]int{"docs/how-a-sample-is-drawn.md": 10, "docs/how-a-plan-is-made-safe.md": 12} {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		stops := regexp.MustCompile("(?m)^\\| [a-z ]+ \\| (`[^|]+`) \\| `([a-z0-9/]+\\.go)` \\|").FindAllStringSubmatch(string(page), -1)
		if len(stops) < fewest {
			t.Errorf("%s has %d stops, want all", name, len(stops))
		}
		for _, stop := range stops {
			checkStop(t, name, stop[2], strings.Split(stop[1], ", "))
		}
		checkNames(t, name, string(page))
	}
}

// checkStop wants functions in the file that a page names.
func checkStop(t *testing.T, page, file string, functions []string) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Errorf("%s: %v", page, err)
	}
	for _, name := range functions {
		name = strings.Trim(name, "`")
		if !regexp.MustCompile(`(?m)^func (\([^)]+\) )?` + name + `\(`).Match(source) {
			t.Errorf("%s: %s has no function %s", page, file, name)
		}
	}
}

// checkNames wants every file, and every name of Go, that a page writes in code to be
// there: names in the files that the page leads to, or in the packages beside them.
func checkNames(t *testing.T, name, page string) {
	t.Helper()
	var sources strings.Builder
	dirs := map[string]bool{}
	for _, m := range regexp.MustCompile("(?:`|\\]\\(\\.\\./)([a-z0-9_/]+\\.go)[`)]").FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(m[1]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		dirs[filepath.Dir(m[1])] = true
	}
	for dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			sources.Write(text)
		}
	}
	found := 0
	for _, m := range regexp.MustCompile("`([A-Z][A-Za-z0-9]*|[a-z]+[A-Z][A-Za-z0-9]*)(?:\\.([A-Z][A-Za-z0-9]*))?`").FindAllStringSubmatch(page, -1) {
		for _, word := range m[1:] {
			if word != "" && !regexp.MustCompile(`\b`+word+`\b`).MatchString(sources.String()) {
				t.Errorf("%s speaks of %s, which is in none of the packages that it leads to", name, word)
			}
			found++
		}
	}
	if found < 10 {
		t.Errorf("%s: %d names of Go", name, found)
	}
}

// Links between the pages lead to files that are there.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pages := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		pages++
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			to, _, _ := strings.Cut(m[1], "#")
			if to == "" || strings.Contains(to, ":") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), to)); err != nil {
				t.Errorf("%s links to %s, which is not there", path, to)
			}
		}
		return nil
	})
	if err != nil || pages < 50 {
		t.Errorf("%d pages, %v", pages, err)
	}
}

// TestDecisionsAreIndexed wants every record of a decision in the index, under its own
// title, which is a question, on a page: less than 600 words, measurements elsewhere.
func TestDecisionsAreIndexed(t *testing.T) {
	index, err := os.ReadFile("docs/adr/README.md")
	if err != nil {
		t.Fatal(err)
	}
	records, err := filepath.Glob("docs/adr/0*.md")
	if err != nil || len(records) == 0 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for _, name := range records {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if words := len(strings.Fields(string(text))); words >= 600 {
			t.Errorf("%s has %d words, want a page of less than 600", name, words)
		}
		title, _, _ := strings.Cut(string(text), "\n")
		number, question, ok := strings.Cut(strings.TrimPrefix(title, "# "), ". ")
		if want := fmt.Sprintf("| %s | [%s](%s) |", number, question, filepath.Base(name)); !ok || !strings.HasSuffix(question, "?") || !strings.Contains(string(index), want) {
			t.Errorf("%s: the index has no row %q", name, want)
		}
	}
}
