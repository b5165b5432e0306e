package kernel

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMapIsTrue compares the table of families in the package comment with the files: every
// file of assembly has a row, and what a row names is there.
func TestMapIsTrue(t *testing.T) {
	src, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(src), "//	family ")
	table, _, ended := strings.Cut(table, "\n//\n")
	if !found || !ended {
		t.Fatal("the package comment has no table of families")
	}
	families := map[string]bool{}
	for _, row := range strings.Split(table, "\n")[1:] {
		families[strings.Fields(row)[1]] = true
		for _, name := range regexp.MustCompile(`\w+\.go`).FindAllString(row, -1) {
			_, here := os.Stat(name)
			if _, generator := os.Stat(filepath.Join("asm", name)); here != nil && generator != nil {
				t.Errorf("the table of families names %s, which is not there", name)
			}
		}
	}
	files, err := filepath.Glob("*_amd64.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of assembly, error %v", len(files), err)
	}
	for _, file := range files {
		if family := strings.TrimSuffix(file, "_amd64.s"); !families[family] {
			t.Errorf("the table of families has no row for %s", file)
		}
	}
	if len(families) != len(files) {
		t.Errorf("the table has %d families, and there are %d files of assembly", len(families), len(files))
	}
}
