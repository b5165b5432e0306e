// Package regular opens the files that a user names, and nothing that only has the name
// of one: a folder, a pipe or a socket, for which a program would wait, or a device, which
// may have no end. Every file that a user names is opened here.
//
// What lies at a path may be replaced between a look at it and its opening: it is looked
// at before, because opening some devices has effects, and again when it is open. Opening
// never waits.
package regular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrKind is matched by the errors for what is no file. They are [*fs.PathError] with a
// [KindError] as their cause.
var ErrKind = errors.New("it is not a file")

// ErrNoFolder is the cause of the error for what is no folder where one is wanted.
var ErrNoFolder = errors.New("it is not a folder")

// KindError says what lies in the place of a file.
type KindError struct{ Mode fs.FileMode }

func (e *KindError) Error() string {
	switch m := e.Mode; {
	case m.IsDir():
		return "it is a folder, want a file"
	case m&fs.ModeNamedPipe != 0:
		return "it is a pipe, want a file: write to one first what comes through the pipe"
	case m&fs.ModeSocket != 0:
		return "it is a socket, want a file"
	case m&fs.ModeDevice != 0:
		return "it is a device, want a file"
	}
	return "it is neither a file nor a folder, want a file"
}

// Is makes [ErrKind] match.
func (e *KindError) Is(target error) bool { return target == ErrKind }

// SizeError says that a file has more bytes than what it is for can need.
type SizeError struct{ Most int64 }

func (e *SizeError) Error() string {
	return fmt.Sprintf("it has more than the %d bytes that such a file has at most", e.Most)
}

// Check returns an error for what is no file, where info is what the system says of path.
func Check(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return &fs.PathError{Op: "open", Path: path, Err: &KindError{info.Mode()}}
}

// Open opens a file for reading. Its errors are [*fs.PathError].
func Open(path string) (*os.File, error) { return open(path, path, Check) }

// open opens what check accepts of path, which errors call name.
func open(path, name string, check func(name string, info fs.FileInfo) error) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = check(name, info)
	}
	if err != nil {
		return nil, called(name, err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|atOnce, 0)
	if err != nil {
		return nil, called(name, err)
	}
	if info, err = f.Stat(); err == nil {
		err = check(name, info)
	}
	if err != nil {
		f.Close()
		return nil, called(name, err)
	}
	return f, nil
}

// OpenIn is Open for a file of an opened folder; a link is no file there.
func OpenIn(in *os.Root, name string) (*os.File, error) {
	info, err := in.Lstat(name)
	if err == nil {
		err = Check(name, info)
	}
	if err != nil {
		return nil, called(name, err)
	}
	f, err := in.OpenFile(name, os.O_RDONLY|atOnce, 0)
	if err != nil {
		return nil, called(name, err)
	}
	if info, err = f.Stat(); err == nil {
		err = Check(name, info)
	}
	if err != nil {
		f.Close()
		return nil, called(name, err)
	}
	return f, nil
}

// OpenRoot is [os.OpenRoot] for a folder that a user names.
func OpenRoot(dir string) (*os.Root, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, called(dir, err)
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: ErrNoFolder}
	}
	return os.OpenRoot(dir)
}

// called makes the error of a look at a file that of its opening, by the name that the
// caller knows.
func called(name string, err error) error {
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	return &fs.PathError{Op: "open", Path: name, Err: err}
}

// ReadFile reads a file of at most so many bytes. The error for a longer one, which is not
// read, is a [SizeError].
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, path, most)
}

// ReadFS is ReadFile for a file of any file system.
func ReadFS(fsys fs.FS, name string, most int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, name, most)
}

// readAll reads no more than the most: a file may grow, and what the system only shows as
// one has no size.
func readAll(f fs.File, name string, most int64) ([]byte, error) {
	info, err := f.Stat()
	if err == nil {
		err = Check(name, info)
	}
	if err != nil {
		return nil, err
	}
	tooLong := &fs.PathError{Op: "read", Path: name, Err: &SizeError{most}}
	if info.Size() > most {
		return nil, tooLong
	}
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := data.ReadFrom(io.LimitReader(f, most+1)); err != nil {
		return nil, err
	}
	if int64(data.Len()) > most {
		return nil, tooLong
	}
	return data.Bytes(), nil
}

// DirFS is [os.DirFS] for what a user names: only files and folders can be opened.
func DirFS(dir string) fs.FS { return folder(dir) }

type folder string

// Open implements [fs.FS].
func (d folder) Open(name string) (fs.File, error) {
	path, err := d.path("open", name)
	if err != nil {
		return nil, err
	}
	f, err := open(path, name, checkEither)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Stat implements [fs.StatFS].
func (d folder) Stat(name string) (fs.FileInfo, error) {
	path, err := d.path("stat", name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, called(name, err)
	}
	return info, nil
}

func (d folder) path(op, name string) (string, error) {
	local, err := filepath.Localize(name)
	if err != nil {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return filepath.Join(string(d), local), nil
}

// checkEither is Check for files and folders.
func checkEither(name string, info fs.FileInfo) error {
	if info.IsDir() {
		return nil
	}
	return Check(name, info)
}
