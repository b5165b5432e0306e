package render

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestSaveIsAtomic: a picture that cannot be finished leaves the one that was there.
func TestSaveIsAtomic(t *testing.T) {
	path := filepath.Join(t.TempDir(), "figure.svg")
	if err := os.WriteFile(path, []byte("before"), 0o644); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := save(path, map[string]func(io.Writer) error{".svg": func(w io.Writer) error {
		if _, err := io.WriteString(w, "half"); err != nil {
			return err
		}
		return broken
	}})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "before" || len(entries) != 1 {
		t.Errorf("the file holds %q among %d, error %v", got, len(entries), err)
	}
}

func TestFormatsAreKnownBefore(t *testing.T) {
	for path, ok := range map[string]bool{"a.png": true, "a.SVG": true, "a.html": false, "a": false, "a.jpg": false} {
		var format *FormatError
		if err := CheckFigurePath(path); (err == nil) != ok || err != nil && !errors.As(err, &format) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if CheckAnimationPath("a.html") != nil || CheckAnimationPath("a.gif") != nil || CheckAnimationPath("a.png") == nil {
		t.Error("animations have other formats")
	}
}
