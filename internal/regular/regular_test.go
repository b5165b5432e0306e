package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestSizes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	var size *SizeError
	if _, err := ReadFile(path, 3); !errors.As(err, &size) || size.Most != 3 || !strings.Contains(err.Error(), path) {
		t.Errorf("ReadFile = %v, want a SizeError", err)
	}
	if data, err := ReadFS(fstest.MapFS{"f": {Data: []byte("text")}}, "f", 4); err != nil || string(data) != "text" {
		t.Errorf("ReadFS = %q, %v", data, err)
	}
	// Linux shows it as a file without a size.
	if _, err := ReadFile("/proc/self/maps", 3); !errors.As(err, &size) && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadFile of what has no size = %v, want a SizeError", err)
	}
}

func TestMissingFiles(t *testing.T) {
	dir := t.TempDir()
	_, opened := Open(filepath.Join(dir, "none"))
	_, inFolder := DirFS(dir).Open("none")
	_, looked := fs.Stat(DirFS(dir), "none")
	for _, err := range []error{opened, inFolder, looked} {
		if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "open ") {
			t.Errorf("%v, want that it cannot be opened for it is not there", err)
		}
	}
}

func TestDirFS(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "a"), 0o755), os.WriteFile(filepath.Join(dir, "a", "b"), []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(DirFS(dir), "a/b"); err != nil {
		t.Error(err)
	}
	if _, err := DirFS(dir).Open("../x"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("Open(../x) = %v, want %v", err, fs.ErrInvalid)
	}
}
