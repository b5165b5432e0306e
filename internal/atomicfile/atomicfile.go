// Package atomicfile writes files that appear whole or not at all, even when the
// program is killed.
package atomicfile

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// mode is that of the files; temporary ones are for their owner only.
const mode = 0o644

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

// Write writes a file with write, beside path, and gives it its name when all of it
// is on the disk. An error leaves what was at path. It returns the error of write, or
// a [WriteError].
func Write(path string, write func(io.Writer) error) error {
	f, err := create(path)
	if err != nil {
		return &WriteError{path, err}
	}
	w := bufio.NewWriterSize(f, 1<<20)
	failed := write(w)
	err = w.Flush() // again the error of a write that failed, if there was one
	if err == nil && failed != nil {
		discard(f)
		return failed
	}
	if err == nil {
		err = settle(f)
	}
	if err == nil {
		err = publish(f, path)
	}
	if err != nil {
		discard(f)
		return &WriteError{path, err}
	}
	return nil
}

// settle brings a file to the disk.
func settle(f *os.File) error {
	if err := f.Chmod(mode); err != nil {
		return err
	}
	return f.Sync()
}

// MkdirAll makes a folder for outputs and those above it. It returns a [WriteError].
func MkdirAll(path string) error {
	if err := os.MkdirAll(filepath.Clean(path), 0o755); err != nil {
		return &WriteError{path, err}
	}
	return nil
}
