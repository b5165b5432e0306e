package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// abandonedFolder makes a folder as a killed program leaves it, with a file in it.
func abandonedFolder(t *testing.T, dir string) (path string) {
	t.Helper()
	f, err := MkdirTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.Path, "content"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f.Leave()
	delete(open.folders, f)
	return f.Path
}

// sweepBy makes a folder and removes it: others go on the way.
func sweepBy(t *testing.T, dir string) {
	t.Helper()
	f, err := MkdirTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	f.Remove()
}

// What killed programs left goes with the next call; what a living one holds stays.
func TestMkdirTempSweeps(t *testing.T) {
	dir := t.TempDir()
	held, err := MkdirTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	left := abandonedFolder(t, dir)
	unmarked := filepath.Join(dir, tempPrefix+"0123456789abcdef") // killed before it had a marker
	if err := os.Mkdir(unmarked, 0o700); err != nil {
		t.Fatal(err)
	}
	sweepBy(t, dir)
	if _, err := os.Stat(held.Path); err != nil {
		t.Errorf("a folder that is held was swept: %v", err)
	}
	if runtime.GOOS == "linux" {
		for _, path := range []string{left, unmarked} {
			if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is still there: %v", path, err)
			}
		}
	}
	held.Remove()
	if names := list(t, dir); runtime.GOOS == "linux" && len(names) > 0 {
		t.Errorf("%q are left", names)
	}
}

// foreign makes folders that look like those of the program and are not.
var foreign = map[string]func(t *testing.T, path string){
	"tokenizer":      fill,
	"pcd-model-mine": fill,
	".unfinished-1":  fill,
	tempPrefix + "mine": func(t *testing.T, path string) {
		fill(t, path)
		copyMarker(t, path)
	},
	// The names of such folders, without a marker, with one that is none, and with that of another.
	tempPrefix + "0000000000000001": fill,
	tempPrefix + "0000000000000002": func(t *testing.T, path string) {
		fill(t, path)
		must(t, os.WriteFile(filepath.Join(path, markerName), []byte("mine"), 0o600))
	},
	tempPrefix + "0000000000000003": func(t *testing.T, path string) {
		fill(t, path)
		copyMarker(t, path)
	},
	tempPrefix + "0000000000000004": func(t *testing.T, path string) {
		fill(t, path)
		must(t, os.Mkdir(filepath.Join(path, markerName), 0o700))
	},
	// A folder that was moved, and is wanted now.
	tempPrefix + "0000000000000005": func(t *testing.T, path string) {
		must(t, os.Rename(abandonedFolder(t, t.TempDir()), path))
	},
	// A link to an abandoned one elsewhere, and to any folder.
	tempPrefix + "0000000000000006": func(t *testing.T, path string) {
		must(t, os.Symlink(abandonedFolder(t, t.TempDir()), path))
	},
	tempPrefix + "0000000000000007": func(t *testing.T, path string) {
		to := filepath.Join(t.TempDir(), "precious")
		fill(t, to)
		must(t, os.Symlink(to, path))
	},
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fill makes a folder with a file.
func fill(t *testing.T, path string) {
	t.Helper()
	must(t, errors.Join(os.Mkdir(path, 0o700), os.WriteFile(filepath.Join(path, "content"), nil, 0o600)))
}

// copyMarker copies the marker of an abandoned folder.
func copyMarker(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(abandonedFolder(t, t.TempDir()), markerName))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(path, markerName), text, 0o600))
}

// Folders that the program has not made, or that somebody has copied or moved, stay with
// what is in them.
func TestSweepLeavesWhatIsNotOurs(t *testing.T) {
	dir := t.TempDir()
	for name, make := range foreign {
		make(t, filepath.Join(dir, name))
	}
	// The copy of an abandoned folder, with everything, of the same name.
	left := abandonedFolder(t, t.TempDir())
	copied := filepath.Join(dir, filepath.Base(left))
	must(t, os.CopyFS(copied, os.DirFS(left)))
	names := list(t, dir)
	sweepBy(t, dir)
	if got := list(t, dir); !slices.Equal(got, names) {
		t.Errorf("%q are left of %q", got, names)
	}
	for _, name := range append(names, filepath.Base(copied)) {
		if _, err := os.Stat(filepath.Join(dir, name, "content")); err != nil {
			t.Errorf("the content of %s: %v", name, err)
		}
	}
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
