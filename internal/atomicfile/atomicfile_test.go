package atomicfile_test

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-pcd/pcd/internal/atomicfile"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func TestWriteReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, want := range []string{"first", "second"} {
		if err := atomicfile.Write(path, text(want)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("file holds %q, %v, want %q", got, err, want)
		}
	}
}

func TestFailureLeavesWhatWasThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := atomicfile.Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := atomicfile.Write(path, func(w io.Writer) error { text("half")(w); return broken })
	if !errors.Is(err, broken) {
		t.Errorf("Write = %v, want %v", err, broken)
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("file holds %q, want what was there", got)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files are left, want 1", len(files))
	}
}

func TestWriteToMissingDirectory(t *testing.T) {
	if err := atomicfile.Write(filepath.Join(t.TempDir(), "missing", "f"), text("x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Write = %v, want %v", err, os.ErrNotExist)
	}
}

// Devices and pipes stay what they are, also behind a link, as /dev/stdout is one. A
// socket stands for them, for no test should try it on /dev/null.
func TestWriteLeavesDevices(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // paths of sockets are short
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Symlink("socket", "link"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"socket", "link"} {
		var broken *atomicfile.WriteError
		if err := atomicfile.Write(path, text("x")); !errors.As(err, &broken) || broken.Path != path {
			t.Errorf("Write to a %s = %v, want a WriteError", path, err)
		}
	}
	if info, err := os.Lstat("socket"); err != nil || info.Mode().Type() != os.ModeSocket {
		t.Errorf("the socket is %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat("link"); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
}

// What cannot be written is a WriteError that names the file; what the caller's
// function returns is passed on.
func TestWriteErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := atomicfile.Write(plain, text("x")); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"below a file":        atomicfile.Write(filepath.Join(plain, "f"), text("x")),
		"over a folder":       atomicfile.Write(dir, text("x")),
		"folder below a file": atomicfile.MkdirAll(filepath.Join(plain, "folder")),
	} {
		var broken *atomicfile.WriteError
		if !errors.As(err, &broken) || broken.Path == "" || broken.Err == nil {
			t.Errorf("%s: %v, want a WriteError", name, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*-*")); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}
