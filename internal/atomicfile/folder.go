package atomicfile

import (
	"os"
	"path/filepath"
)

// MkdirTemp makes a folder for files that will be moved elsewhere together. The
// caller calls remove in the end, which removes the folder with what is left in it.
// Folders of the same pattern that killed programs left behind are removed first.
func MkdirTemp(dir, pattern string) (path string, remove func(), err error) {
	open.Lock()
	defer open.Unlock()
	sweep(dir, pattern)
	path, held, err := mkdirHeld(dir, pattern)
	if err != nil {
		return "", nil, err
	}
	open.folders[path] = true
	return path, func() {
		open.Lock()
		defer open.Unlock()
		os.RemoveAll(path)
		held.Close()
		delete(open.folders, path)
	}, nil
}

// mkdirHeld makes a folder and holds it, so that no other program takes it for one
// that was left behind.
func mkdirHeld(dir, pattern string) (path string, held *os.File, err error) {
	for {
		if path, err = os.MkdirTemp(dir, pattern); err != nil {
			return "", nil, err
		}
		held, err = os.Open(path)
		if err == nil && hold(held) == nil && same(held, path) {
			return path, held, nil
		}
		if held != nil {
			held.Close()
		}
		if err != nil && !os.IsNotExist(err) {
			os.Remove(path)
			return "", nil, err
		} // another program swept it before it was held
	}
}

// same says whether path still names the open folder.
func same(held *os.File, path string) bool {
	a, errA := held.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// sweep removes the folders of a pattern that no living program holds. What cannot
// be removed stays.
func sweep(dir, pattern string) {
	entries, _ := os.ReadDir(dir) // whoever makes a folder there finds out why not
	for _, e := range entries {
		if match, err := filepath.Match(pattern, e.Name()); match && err == nil && e.IsDir() {
			sweepOne(filepath.Join(dir, e.Name()))
		}
	}
}

func sweepOne(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	if abandoned(f) {
		os.RemoveAll(path)
	}
}
