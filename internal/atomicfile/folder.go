package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/go-pcd/pcd/internal/fault"
)

// Temp is a folder for files that are moved elsewhere together, or that are needed for a
// while. It goes with [Temp.Remove] and with [Abandon]; what a killed program leaves goes
// with the next [MkdirTemp] beside it.
//
// What is removed later has to be known for what it is. Names are drawn from 2⁶⁴, and a
// marker in the folder holds its name and its number on the disk: a copy has another
// number, a folder that was moved another name. Folders of other users, links and folders
// that a living program holds are left alone as well.
type Temp struct {
	Path string
	dir  *os.Root // above it
	in   *os.Root
	held *os.File
}

// The names of such folders, and of the marker in them.
const (
	tempPrefix = ".pcd-unfinished-"
	markerName = ".pcd-unfinished"
)

var tempName = regexp.MustCompile("^" + regexp.QuoteMeta(tempPrefix) + "[0-9a-f]{16}$")

// MkdirTemp makes a temporary folder in another one, where it removes those that killed
// programs have left. It returns a [WriteError].
func MkdirTemp(dir string) (*Temp, error) {
	open.Lock()
	defer open.Unlock()
	t, err := mkdirSwept(dir)
	if err != nil {
		return nil, errorIn(dir, dir, err)
	}
	open.folders[t] = true
	return t, nil
}

// mkdirSwept removes what killed programs have left in a folder, and makes one there.
func mkdirSwept(path string) (*Temp, error) {
	sweep(path)
	return mkdirHeld(path)
}

// create makes an empty file in the folder.
func (t *Temp) create(name string) (*os.File, error) {
	if err := fault.Point(fault.Create, name); err != nil {
		return nil, err
	}
	return os.OpenFile(t.file(name), os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode)
}

// file returns the path in the folder at which what will be at another path is made.
func (t *Temp) file(path string) string { return filepath.Join(t.Path, filepath.Base(path)) }

// mkdirHeld makes a folder and holds it before it is marked, so that no other program
// takes it for one that was left behind.
func mkdirHeld(path string) (*Temp, error) {
	dir, err := os.OpenRoot(path)
	if info, errStat := os.Stat(path); err != nil && errStat == nil && !info.IsDir() {
		return nil, syscall.ENOTDIR
	}
	if err != nil {
		return nil, err
	}
	for {
		name := fmt.Sprintf("%s%016x", tempPrefix, rand.Uint64())
		if err = fault.Point(fault.Create, name); err == nil {
			err = dir.Mkdir(name, 0o700)
		}
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, errors.Join(err, dir.Close())
		}
		t := &Temp{Path: filepath.Join(path, name), dir: dir}
		if err = t.enter(name); err == nil {
			return t, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			t.close()
			return nil, err
		}
		t.leave() // another program swept it before it was held
	}
}

// enter holds and marks a folder that was just made.
func (t *Temp) enter(name string) (err error) {
	if t.in, err = t.dir.OpenRoot(name); err != nil {
		return err
	}
	if t.held, err = t.in.Open("."); err != nil {
		return err
	}
	if err := hold(t.held); err != nil {
		return err
	}
	now, err := t.dir.Lstat(name)
	if err != nil {
		return err
	}
	info, err := t.held.Stat()
	if err != nil || !os.SameFile(now, info) {
		return errors.Join(err, fs.ErrNotExist)
	}
	if err := fault.Point(fault.Create, markerName); err != nil {
		return err
	}
	return t.in.WriteFile(markerName, []byte(marker(name, info)), 0o600)
}

// leave closes the folder.
func (t *Temp) leave() {
	if t.held != nil {
		t.held.Close()
	}
	if t.in != nil {
		t.in.Close()
	}
}

// marker is what the marker of a folder holds.
func marker(name string, info fs.FileInfo) string {
	return fmt.Sprintf("pcd works here. What is left of it goes with the next run.\n%s\n%s\n", name, number(info))
}

// Move runs what gives the files of the folder their places: [Abandon] waits for all of
// it, and leaves the folder alone from then on. It must not call this package. When it
// returns an error, the caller knows whether the folder is still to be removed.
func (t *Temp) Move(moves func() error) error {
	open.Lock()
	defer open.Unlock()
	delete(open.folders, t)
	return moves()
}

// Remove removes the folder with what is in it.
func (t *Temp) Remove() {
	open.Lock()
	defer open.Unlock()
	delete(open.folders, t)
	t.close()
}

// Leave lets go of the folder and leaves it where it is.
func (t *Temp) Leave() {
	t.leave()
	t.dir.Close()
}

// close removes the folder and lets go of it.
func (t *Temp) close() {
	t.clear()
	t.leave()
	t.dir.Close()
}

// clear removes the folder with what is in it.
func (t *Temp) clear() {
	if t.in != nil {
		removeMade(t.dir, filepath.Base(t.Path), t.in)
	}
}

// IsTemp says whether a file has the name of a temporary folder.
func IsTemp(name string) bool { return tempName.MatchString(name) }

// removeMade removes a folder of which in is the inside: the marker last, so that the rest
// of it can be known again.
func removeMade(dir *os.Root, name string, in *os.Root) {
	for _, e := range entries(in) {
		if e.Name() != markerName && fault.Point(fault.Remove, e.Name()) == nil {
			_ = in.RemoveAll(e.Name())
		}
	}
	if fault.Point(fault.Remove, markerName) == nil {
		_ = in.Remove(markerName)
	}
	if fault.Point(fault.Remove, name) == nil {
		_ = dir.Remove(name) // not if something is left
	}
}

func entries(in *os.Root) []fs.DirEntry {
	all, _ := fs.ReadDir(in.FS(), ".")
	return all
}

// sweep removes the temporary folders of this user that no living program holds. What
// cannot be removed stays.
func sweep(path string) {
	dir, err := os.OpenRoot(path)
	if err != nil {
		return // whoever makes a folder there finds out why not
	}
	defer dir.Close()
	for _, e := range entries(dir) {
		if tempName.MatchString(e.Name()) {
			sweepOne(dir, e.Name())
		}
	}
}

func sweepOne(dir *os.Root, name string) {
	info, err := dir.Lstat(name)
	if err != nil || !info.IsDir() || !mine(info) {
		return
	}
	in, err := dir.OpenRoot(name)
	if err != nil {
		return
	}
	defer in.Close()
	f, err := in.Open(".")
	if err != nil {
		return
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil || !os.SameFile(info, now) || !abandoned(f) {
		return
	}
	if marked(in, name, now) {
		removeMade(dir, name, in)
	} else {
		_ = dir.Remove(name) // if it is empty: the program was killed before it marked it
	}
}

// marked says whether a folder has the marker that was made for it.
func marked(in *os.Root, name string, info fs.FileInfo) bool {
	m, err := in.Lstat(markerName)
	if err != nil || !m.Mode().IsRegular() || !mine(m) || m.Size() > 1<<10 {
		return false
	}
	text, err := in.ReadFile(markerName)
	return err == nil && string(text) == marker(name, info)
}

// IsMarker says whether a file in such a folder is its marker.
func IsMarker(name string) bool { return name == markerName }
