package planner

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestPicturesOfFolders takes all pictures of a folder, those that are not read too, so that none is missing without a word.
func TestPicturesOfFolders(t *testing.T) {
	dir, none := t.TempDir(), t.TempDir()
	for _, name := range []string{"b.PNG", "a.jpeg", "c.heic", "d.JPG", "._a.jpeg", "labels.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	for _, name := range []string{"a.jpeg", "b.PNG", "c.heic", "d.JPG", "labels.csv"} {
		want = append(want, filepath.Join(dir, name))
	}
	if got, err := pictureFiles("exemplars-a", []string{dir, want[4]}); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	var refused *RequestError
	if _, err := pictureFiles("exemplars-a", []string{dir, none}); !errors.As(err, &refused) || refused.Field != "exemplars-a" || refused.Value != quoted(none) {
		t.Errorf("a folder without pictures: %v, want a *RequestError that names it", err)
	}
}
