package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/fault"
)

// swap gives files their places as a journal says. What it does can end at any point and
// be done again from the beginning.
type swap struct {
	in      *atomicfile.Root
	dir     string
	staged  string // name of the folder in which the files wait
	journal *Manifest
	known   map[string]string // digests of files that were just found
	report  *Report
}

// digest returns the digest of a file that the program could have written.
func (s *swap) digest(name string) (string, error) {
	if d, ok := s.known[name]; ok {
		return d, nil
	}
	return ownDigest(s.in, name)
}

// checkStaged returns an error when a file waits that nobody would move, and brings the
// names of those that wait to the disk.
func (s *swap) checkStaged() error {
	return fs.WalkDir(s.in.FS(), s.staged, func(file string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(file, s.staged+"/")
		switch {
		case err != nil:
			return err
		case d.IsDir():
			s.sync(file)
		case s.journal.Files[name] == "" && name != FileName && name != journalName && !atomicfile.IsMarker(name):
			return fmt.Errorf("manifest: %s was made and not recorded", name)
		}
		return nil
	})
}

// sync brings the names in a folder to the disk, where the system can.
func (s *swap) sync(dir string) {
	if fault.Volatile {
		return
	}
	if f, err := s.in.Open(filepath.FromSlash(dir)); err == nil {
		_ = f.Sync()
		f.Close()
	}
}

// begin puts the journal in the place of the manifest.
func (s *swap) begin() error {
	if to := s.journal.Journal.Aside[FileName]; to != "" {
		if err := s.aside(FileName, to); err != nil {
			return err
		}
	}
	return s.in.Rename(filepath.Join(s.staged, journalName), FileName)
}

// finish does what the journal says.
func (s *swap) finish() error {
	if err := s.in.Unmark(s.staged); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(s.journal.Files))
	for _, name := range names {
		if err := s.place(name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.journal.Before)) {
		if _, again := s.journal.Files[name]; !again {
			s.takeAway(name)
		}
	}
	s.prune(s.staged, names)
	for _, name := range names {
		if dir := path.Dir(name); dir != "." {
			s.sync(dir)
		}
	}
	s.sync(".")
	if err := s.in.Rename(filepath.Join(s.staged, FileName), FileName); err != nil {
		return err
	}
	s.sync(".")
	_ = s.in.Remove(s.staged)
	return nil
}

// place moves a file to its place, if it is not there yet.
func (s *swap) place(name string) error {
	if _, err := s.in.Lstat(filepath.Join(s.staged, filepath.FromSlash(name))); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := checkPlace(s.in, s.dir, name); err != nil {
		return err
	}
	digest, err := s.digest(name)
	planned := s.journal.Journal.Aside[name]
	mine := digest != "" && (digest == s.journal.Before[name] || digest == s.journal.Files[name])
	if !isMissing(err) && (planned != "" || !mine) {
		if err := s.aside(name, planned); err != nil {
			return err
		}
	}
	return s.move(name)
}

// move moves a file that waits, with all of its folder where there is none of that name
// yet: no folder has to be made, for which the disk may have no room.
func (s *swap) move(name string) error {
	what := name
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, err := s.in.Lstat(filepath.FromSlash(dir)); !isMissing(err) {
			break
		}
		what = dir
	}
	what = filepath.FromSlash(what)
	return s.in.Rename(filepath.Join(s.staged, what), what)
}

// aside gives a file that is in the way a new name, the one that was planned for it unless
// another file has it by now. It keeps the old name until another file takes it.
func (s *swap) aside(name, planned string) error {
	old := filepath.FromSlash(name)
	info, err := s.in.Lstat(old)
	if err != nil {
		return err
	}
	if planned != "" {
		if has, err := s.in.Lstat(filepath.FromSlash(planned)); err == nil {
			if os.SameFile(has, info) || s.sameContent(name, planned) {
				s.tellAside(name, planned)
				return nil // it had its name before the program was killed
			}
			planned = ""
		}
	}
	if planned == "" {
		if planned, err = asideFor(s.in, name); err != nil {
			return err
		}
	}
	to := filepath.FromSlash(planned)
	if err := s.in.Link(old, to); err != nil {
		if err := s.in.Rename(old, to); err != nil { // the disk has no links
			return err
		}
	}
	s.tellAside(name, planned)
	return nil
}

// sameContent says whether two files hold the same, as in a copy of a folder.
func (s *swap) sameContent(a, b string) bool {
	x, errX := digestIn(s.in.Root, filepath.FromSlash(a))
	y, errY := digestIn(s.in.Root, filepath.FromSlash(b))
	return errX == nil && errY == nil && x == y
}

func (s *swap) tellAside(name, to string) {
	if s.report.Aside == nil {
		s.report.Aside = map[string]string{}
	}
	s.report.Aside[name] = to
}

// takeAway removes a file of the run before, unless it has changed, and the folders that
// are empty then.
func (s *swap) takeAway(name string) {
	digest, err := s.digest(name)
	switch {
	case isMissing(err):
		return
	case err != nil || digest != s.journal.Before[name] || s.in.Remove(filepath.FromSlash(name)) != nil:
		s.report.Left = append(s.report.Left, name)
		return
	}
	s.report.Removed = append(s.report.Removed, name)
	s.prune(".", []string{name})
}

// prune removes the folders of files below a root that are empty.
func (s *swap) prune(root string, names []string) {
	for _, name := range names {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if err := s.in.Remove(filepath.Join(root, filepath.FromSlash(dir))); err != nil && !isMissing(err) {
				break
			}
		}
	}
}

// unfinished makes an error of a swap that has begun an [UnfinishedError].
func (s *swap) unfinished(err error) error {
	if err == nil {
		return nil
	}
	return &UnfinishedError{Dir: s.dir, Staged: filepath.Join(s.dir, s.staged), Err: err}
}
