//go:build unix

package regular

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// odd are paths of what is no file, with a word of what is said of it.
func odd(t *testing.T, dir string) map[string]string {
	t.Helper()
	t.Chdir(dir) // paths of sockets are short
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if err := errors.Join(os.Symlink(os.DevNull, "device"), os.Mkdir("folder", 0o755), os.WriteFile("file", []byte("text"), 0o600), os.Symlink("file", "link"), mkfifo("pipe")); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"folder": "a folder", "device": "a device", "pipe": "a pipe", "socket": "a socket"}
}

// Nothing that is no file is opened or read, and nothing is waited for.
func TestOnlyFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	for name, what := range odd(t, dir) {
		path := filepath.Join(dir, name)
		f, err := Open(path)
		wantKind(t, "Open", f == nil, err, path, what)
		data, err := ReadFile(path, 10)
		wantKind(t, "ReadFile", data == nil, err, path, what)
		data, err = ReadFS(DirFS(dir), name, 10)
		wantKind(t, "ReadFS", data == nil, err, name, what)
		if what != "a folder" {
			f, err := DirFS(dir).Open(name)
			wantKind(t, "DirFS.Open", f == nil, err, name, what)
		}
	}
	for _, name := range []string{"file", "link"} {
		if data, err := ReadFile(filepath.Join(dir, name), 4); err != nil || string(data) != "text" {
			t.Errorf("ReadFile of a %s = %q, %v", name, data, err)
		}
	}
}

func wantKind(t *testing.T, call string, none bool, err error, path, what string) {
	t.Helper()
	var named *fs.PathError
	if !none || !errors.Is(err, ErrKind) || !errors.As(err, &named) || named.Path != path || !strings.Contains(err.Error(), what) {
		t.Errorf("%s(%s) = %v, want the name and that it is %s", call, path, err, what)
	}
}

// What takes the place of a file after it was looked at is noticed when it is open.
func TestReplacedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	replaced := false
	f, err := open(path, path, func(name string, info fs.FileInfo) error {
		if !replaced {
			replaced = true
			if err := errors.Join(os.Remove(path), mkfifo(path)); err != nil {
				t.Fatal(err)
			}
		}
		return Check(name, info)
	})
	wantKind(t, "open", f == nil, err, path, "a pipe")
}

func mkfifo(path string) error { return syscall.Mkfifo(path, 0o600) }

// A folder is opened as one, and nothing else is: opening a pipe would wait.
func TestOnlyFoldersAreOpenedAsRoots(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := mkfifo(pipe); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenRoot(pipe); !errors.Is(err, ErrNoFolder) {
		t.Errorf("a pipe: %v, want %v", err, ErrNoFolder)
	}
	in, err := OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if f, err := OpenIn(in, "pipe"); !errors.Is(err, ErrKind) {
		t.Errorf("a pipe in a folder: %v %v, want %v", f, err, ErrKind)
	}
	if _, err := OpenRoot(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v, want %v", err, fs.ErrNotExist)
	}
}
