package atomicfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-pcd/pcd/internal/atomicfile"
)

// What cannot be written is known before, and nothing is left of finding out.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		err  error
		good bool
	}{
		{"a new file", atomicfile.Check(filepath.Join(dir, "new")), true},
		{"a file", atomicfile.Check(file), true},
		{"a folder as a file", atomicfile.Check(dir), false},
		{"a file in a missing folder", atomicfile.Check(filepath.Join(dir, "missing", "new")), false},
		{"a folder", atomicfile.CheckFolder(dir), true},
		{"a folder to be made", atomicfile.CheckFolder(filepath.Join(dir, "missing", "deep")), true},
		{"a file as a folder", atomicfile.CheckFolder(file), false},
		{"a folder below a file", atomicfile.CheckFolder(filepath.Join(file, "deep")), false},
	} {
		var broken *atomicfile.WriteError
		if c.good != (c.err == nil) || !c.good && !errors.As(c.err, &broken) {
			t.Errorf("%s: %v, want a WriteError: %v", c.name, c.err, !c.good)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v, %v are left, want the file alone", left, err)
	}
	if old, err := os.ReadFile(file); err != nil || string(old) != "old" {
		t.Errorf("the file holds %q, %v", old, err)
	}
}

// What is read is not written, whatever it is called.
func TestCheckApart(t *testing.T) {
	dir := t.TempDir()
	read, other, linked := filepath.Join(dir, "read"), filepath.Join(dir, "other"), filepath.Join(dir, "linked")
	for _, name := range []string{read, other} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(read, linked); err != nil {
		t.Skip(err)
	}
	for path, apart := range map[string]bool{read: false, linked: false, dir + "/./read": false, other: true, filepath.Join(dir, "new"): true} {
		if err := atomicfile.CheckApart(path, filepath.Join(dir, "missing"), read); apart != (err == nil) || !apart && !errors.Is(err, atomicfile.ErrPlace) {
			t.Errorf("CheckApart(%q) = %v, want one that matches ErrPlace: %v", path, err, !apart)
		}
	}
}
