package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-pcd/pcd/internal/fault"
)

// open holds the files that are being written, with the folders in which they have
// temporary names, or nil while they have none. Its lock also keeps [Abandon] from running
// between the two halves of a rename.
var open = struct {
	sync.Mutex
	files   map[*os.File]*Temp
	folders map[*Temp]bool
}{files: map[*os.File]*Temp{}, folders: map[*Temp]bool{}}

// replaceable returns an error when there is something at path that a file must not take
// the place of: a folder, or a device such as /dev/null, which whoever administers a
// machine could replace for all programs.
func replaceable(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() {
		return nil // what is wrong with the path shows when it is written
	}
	return &placeError{Taken(info)}
}

// create opens a file for what will be at path: one without a name where the system
// has that, so that even a killed program leaves nothing.
func create(path string) (*os.File, error) {
	if err := replaceable(path); err != nil {
		return nil, err
	}
	return temporary(path)
}

// temporary is create for a path where there is nothing to be kept.
func temporary(path string) (*os.File, error) {
	open.Lock()
	defer open.Unlock()
	if f, err := unnamed(filepath.Dir(path)); err == nil {
		open.files[f] = nil
		return f, nil
	}
	t, err := mkdirSwept(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	f, err := t.create(filepath.Base(path))
	if err != nil {
		t.close()
		return nil, err
	}
	open.files[f] = t
	return f, nil
}

// publish gives a finished file its name, and closes it.
func publish(f *os.File, path string) error {
	open.Lock()
	defer open.Unlock()
	if open.files[f] == nil {
		err := linkAs(f, path)
		if err == nil {
			delete(open.files, f)
			return f.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := linkTemporarily(f, path); err != nil {
			return err
		}
	}
	t := open.files[f]
	if err := f.Close(); err != nil {
		return err
	}
	if err := fault.Point(fault.Rename, path); err != nil {
		return err
	}
	if err := os.Rename(t.file(path), path); err != nil {
		return err
	}
	delete(open.files, f)
	t.close()
	return nil
}

// linkTemporarily gives a file without a name one from which it can be moved to a path
// that another file has: the system has no link that replaces.
func linkTemporarily(f *os.File, path string) error {
	t, err := mkdirSwept(filepath.Dir(path))
	if err != nil {
		return err
	}
	if err := linkAs(f, t.file(path)); err != nil {
		t.close()
		return err
	}
	open.files[f] = t
	return nil
}

// discard removes a file that was not finished.
func discard(f *os.File) {
	open.Lock()
	defer open.Unlock()
	f.Close()
	if t := open.files[f]; t != nil {
		t.close()
	}
	delete(open.files, f)
}

// Writing says whether a file is being written. What lies in a folder of [MkdirTemp]
// can be abandoned at any time: nothing has been replaced yet.
func Writing() bool {
	open.Lock()
	defer open.Unlock()
	return len(open.files) > 0
}

// Abandon removes what has not been finished, for a program that ends at once:
// writes that begin or end later wait for ever.
func Abandon() {
	open.Lock()
	for _, t := range open.files {
		if t != nil {
			t.clear()
		}
	}
	for t := range open.folders {
		t.clear()
	}
}
