// Package atomicfile writes files that appear whole or not at all, even when the
// program is killed. It makes the temporary folders of the program, and removes those
// that killed programs have left. Files and folders have the rights that the umask leaves
// them.
package atomicfile

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/fault"
)

// The rights of files and folders, of which the system takes those of the umask.
const (
	fileMode   = 0o666
	folderMode = 0o777
)

// Write writes a file with write, beside path, and gives it its name when all of it
// is on the disk. An error leaves what was at path. It returns the error of write, or
// a [WriteError].
func Write(path string, write func(io.Writer) error) error {
	f, err := create(path)
	if err != nil {
		return newWriteError(path, err)
	}
	w := bufio.NewWriterSize(faulty{f}, 1<<20)
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
		return newWriteError(path, err)
	}
	return nil
}

// faulty is a file that the attack can fail.
type faulty struct{ *os.File }

func (f faulty) Write(p []byte) (int, error) {
	if err := fault.Point(fault.Write, f.Name()); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}

// settle brings a file to the disk.
func settle(f *os.File) error {
	if err := fault.Point(fault.Sync, f.Name()); err != nil || fault.Volatile {
		return err
	}
	return f.Sync()
}

// WriteJSON writes v, indented, as [Write] does.
func WriteJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return WriteBytes(path, append(data, '\n'))
}

// WriteBytes writes data as [Write] does.
func WriteBytes(path string, data []byte) error {
	return Write(path, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// MkdirAll makes a folder for outputs and those above it, and removes from it what killed
// programs have left. It returns a [WriteError].
func MkdirAll(path string) error {
	err := fault.Point(fault.Create, path)
	if err == nil {
		err = os.MkdirAll(filepath.Clean(path), folderMode)
	}
	if err != nil {
		return newWriteError(path, err)
	}
	sweep(path)
	return nil
}
