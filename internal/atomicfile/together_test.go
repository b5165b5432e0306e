package atomicfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-pcd/pcd/internal/atomicfile"
)

// Files that are made together replace nothing unless all of them can.
func TestTogether(t *testing.T) {
	dir := t.TempDir()
	figure, page := filepath.Join(dir, "figure"), filepath.Join(dir, "page")
	write := func(content string, broken error) error {
		save := func(err error) func(path string) error {
			return func(path string) error { return errors.Join(atomicfile.WriteBytes(path, []byte(content)), err) }
		}
		return atomicfile.Together(atomicfile.Output{Path: figure, Save: save(nil)}, atomicfile.Output{Path: page, Save: save(broken)})
	}
	wantBoth := func(when, want string) {
		t.Helper()
		for _, path := range []string{figure, page} {
			if got, err := os.ReadFile(path); err != nil || string(got) != want {
				t.Errorf("%s: %s holds %q, %v, want %q", when, path, got, err, want)
			}
		}
		if all, err := os.ReadDir(dir); err != nil || len(all) != 2 {
			t.Errorf("%s: %v, %v lie in the folder", when, all, err)
		}
	}
	if err := write("old", nil); err != nil {
		t.Fatal(err)
	}
	wantBoth("the first time", "old")
	broken := errors.New("broken")
	if err := write("new", broken); !errors.Is(err, broken) {
		t.Errorf("Together = %v, want %v", err, broken)
	}
	wantBoth("a file that fails", "old")
	if err := write("new", nil); err != nil {
		t.Fatal(err)
	}
	wantBoth("again", "new")
	if err := errors.Join(os.Remove(page), os.Mkdir(page, 0o755)); err != nil {
		t.Fatal(err)
	}
	var w *atomicfile.WriteError
	if err := write("newer", nil); !errors.Is(err, atomicfile.ErrPlace) || !errors.As(err, &w) || w.Path != page {
		t.Errorf("a folder in the place of a file: %v", err)
	}
	if got, err := os.ReadFile(figure); err != nil || string(got) != "new" {
		t.Errorf("a folder in the place of the other file: %q, %v", got, err)
	}
}
