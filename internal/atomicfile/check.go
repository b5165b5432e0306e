package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Check returns a [WriteError] when [Write] could not begin with a path. Whoever computes
// for hours asks before.
func Check(path string) error {
	f, err := create(path)
	if err != nil {
		return &WriteError{path, err}
	}
	discard(f)
	return nil
}

// CheckFolder returns a [WriteError] when files could not be made in a folder, or it
// could not be made itself. It leaves nothing behind.
func CheckFolder(path string) error {
	dir := filepath.Clean(path)
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := temporary(filepath.Join(dir, "file"))
	if err != nil {
		return &WriteError{path, err}
	}
	discard(f)
	return nil
}
