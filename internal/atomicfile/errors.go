package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
)

// WriteError says which output cannot be written. It wraps the cause.
type WriteError struct {
	Path string
	Err  error
}

func (e *WriteError) Error() string {
	return fmt.Sprintf("%q cannot be written: %v", e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *WriteError) Unwrap() error { return e.Err }

// ErrPlace is matched by errors for a path at which nothing can be written, whatever room
// or rights there are: a folder or a device lies there, or the folder for it is a file.
var ErrPlace = errors.New("nothing can be written there")

// placeError is a cause that matches [ErrPlace].
type placeError struct{ why string }

func (e *placeError) Error() string      { return e.why }
func (*placeError) Is(target error) bool { return target == ErrPlace }

// Taken says what lies in the place of a file that is none.
func Taken(info fs.FileInfo) string {
	if info.IsDir() {
		return "it is a folder, want the name of a file"
	}
	return "it is a device or a pipe, want the name of a file"
}

// NewPlaceError returns a [WriteError] that matches [ErrPlace].
func NewPlaceError(path, why string) error {
	return &WriteError{Path: path, Err: &placeError{why}}
}

// roomError says how much room there is on a full disk.
type roomError struct {
	err  error
	free space
}

func (e *roomError) Error() string {
	if e.free.files == 0 {
		return fmt.Sprintf("%v: the disk holds as many files as it can", e.err)
	}
	return fmt.Sprintf("%v: the disk has %s free", e.err, inUnits(e.free.bytes))
}

func (e *roomError) Unwrap() error { return e.err }

// space is what is free on a disk.
type space struct{ bytes, files uint64 }

// newWriteError returns the error for an output, with what can be said about its cause.
// It is called when what was written in vain is gone.
func newWriteError(path string, err error) error { return errorIn(filepath.Dir(path), path, err) }

// errorIn is newWriteError for an output in a folder.
func errorIn(dir, path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err // a temporary name says nothing to the user
	}
	there := existing(dir)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		err = &placeError{fmt.Sprintf("%q is not a folder", there)}
	case errors.Is(err, fs.ErrNotExist):
		err = &missingError{dir}
	case isFull(err):
		if free, known := freeSpace(there); known {
			err = &roomError{err, free}
		}
	}
	return &WriteError{Path: path, Err: err}
}

// missingError says that there is no folder for an output.
type missingError struct{ dir string }

func (e *missingError) Error() string { return fmt.Sprintf("there is no folder %q", e.dir) }
func (*missingError) Unwrap() error   { return fs.ErrNotExist }

// inUnits writes a number of bytes.
func inUnits(n uint64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if float64(n) >= u.size {
			return fmt.Sprintf("%.3g %s", float64(n)/u.size, u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
