package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-pcd/pcd/internal/fault"
)

// open holds the files that are being written, with their temporary names, or "" while
// they have none. Its lock also keeps [Abandon] from running between the two halves of
// a rename.
var open = struct {
	sync.Mutex
	files   map[*os.File]string
	folders map[*Temp]bool
}{files: map[*os.File]string{}, folders: map[*Temp]bool{}}

// temporaryName returns a name beside path that nobody else has.
func temporaryName(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s-%016x", filepath.Base(path), rand.Uint64()))
}

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
		open.files[f] = ""
		return f, nil
	}
	f, err := named(path)
	if err == nil {
		open.files[f] = f.Name()
	}
	return f, err
}

// named opens a file with a temporary name beside path.
func named(path string) (*os.File, error) {
	for {
		name := temporaryName(path)
		if err := fault.Point(fault.Create, name); err != nil {
			return nil, err
		}
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// publish gives a finished file its name, and closes it.
func publish(f *os.File, path string) error {
	open.Lock()
	defer open.Unlock()
	if open.files[f] == "" {
		name, err := linkBeside(f, path)
		if err != nil {
			return err
		}
		open.files[f] = name
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := fault.Point(fault.Rename, path); err != nil {
		return err
	}
	if err := os.Rename(open.files[f], path); err != nil {
		return err
	}
	delete(open.files, f)
	return nil
}

// discard removes a file that was not finished.
func discard(f *os.File) {
	open.Lock()
	defer open.Unlock()
	f.Close()
	remove(open.files[f])
	delete(open.files, f)
}

func remove(name string) {
	if name != "" && fault.Point(fault.Remove, name) == nil {
		os.Remove(name)
	}
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
	for _, name := range open.files {
		remove(name)
	}
	for t := range open.folders {
		t.clear()
	}
}
