package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Check returns a [WriteError] when [Write] could not begin with a path. Whoever computes
// for hours asks before.
func Check(path string) error {
	f, err := create(path)
	if err != nil {
		return newWriteError(path, err)
	}
	discard(f)
	return nil
}

// CheckFolder returns a [WriteError] when files could not be made in a folder, or it
// could not be made itself. It leaves nothing behind.
func CheckFolder(path string) error {
	dir := existing(filepath.Clean(path))
	f, err := temporary(filepath.Join(dir, "file"))
	if err != nil {
		return newWriteError(path, err)
	}
	discard(f)
	return nil
}

// CheckApart returns a [WriteError] that matches [ErrPlace] where a path to write to is one of those that are read, by
// whatever name.
func CheckApart(path string, read ...string) error {
	to, err := os.Stat(path)
	if err != nil {
		return nil // nothing is there that could be lost
	}
	for _, name := range read {
		if from, err := os.Stat(name); err == nil && os.SameFile(from, to) {
			return NewPlaceError(path, "it is read, too, want another name")
		}
	}
	return nil
}

// existing returns a folder, or the lowest one above it that is there.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}
