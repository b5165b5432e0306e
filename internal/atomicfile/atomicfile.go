// Package atomicfile writes files that appear whole or not at all, even when the
// program is killed.
package atomicfile

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
)

// mode is that of the files; temporary ones are for their owner only.
const mode = 0o644

// Write writes a file with write, beside path, and gives it its name when all of it
// is on the disk. An error leaves what was at path.
func Write(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
