package atomicfile

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/fault"
)

// Root is a folder of which one program at a time changes the names. Nothing outside of it
// can be reached, whatever links lie in it. Paths are those of [os.Root].
type Root struct {
	*os.Root
	held *os.File
}

// OpenRoot waits for the programs that have the folder open, and opens it.
func OpenRoot(path string) (*Root, error) {
	in, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	f, err := in.Open(".")
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	lock(f)
	return &Root{in, f}, nil
}

// Close lets others open the folder.
func (r *Root) Close() error { return errors.Join(r.held.Close(), r.Root.Close()) }

// Rename moves a file, in the place of what is at its new name.
func (r *Root) Rename(from, to string) error {
	if err := fault.Point(fault.Rename, to); err != nil {
		return err
	}
	return r.Root.Rename(from, to)
}

// Link gives a file another name, which nothing may have.
func (r *Root) Link(old, name string) error {
	if err := fault.Point(fault.Link, name); err != nil {
		return err
	}
	return r.Root.Link(old, name)
}

// Remove removes a file or an empty folder.
func (r *Root) Remove(name string) error {
	if err := fault.Point(fault.Remove, name); err != nil {
		return err
	}
	return r.Root.Remove(name)
}

// Unmark makes a temporary folder one that [MkdirTemp] does not remove: what is in it has
// to be moved by whoever comes next.
func (r *Root) Unmark(temp string) error {
	marker := filepath.Join(temp, markerName)
	if _, err := r.Lstat(marker); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return r.Remove(marker)
}
