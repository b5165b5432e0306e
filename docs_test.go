package pcd_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The page about the sampler names functions and files that are there.
func TestHowASampleIsDrawn(t *testing.T) {
	page, err := os.ReadFile("docs/how-a-sample-is-drawn.md")
	if err != nil {
		t.Fatal(err)
	}
	stops := regexp.MustCompile("(?m)^\\| [a-z ]+ \\| (`[^|]+`) \\| `([a-z]+\\.go)` \\|").FindAllStringSubmatch(string(page), -1)
	if len(stops) < 10 {
		t.Fatalf("the page has %d stops, want all", len(stops))
	}
	for _, stop := range stops {
		source, err := os.ReadFile(stop[2])
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Split(stop[1], ", ") {
			name = strings.Trim(name, "`")
			if !regexp.MustCompile(`(?m)^func (\([^)]+\) )?` + name + `\(`).Match(source) {
				t.Errorf("%s has no function %s", stop[2], name)
			}
		}
	}
}
