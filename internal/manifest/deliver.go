package manifest

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-pcd/pcd/internal/atomicfile"
)

// journalName is the name of the journal in the folder in which files wait.
const journalName = ".journal.json"

// UnfinishedError says that the files of a run could not all take their places. They wait
// beside them, and whoever comes next goes on.
type UnfinishedError struct {
	Dir, Staged string
	Err         error
}

func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("the files of a run wait in %s for their places in %s: %v; when nothing is in their way, \"pcd verify --finish\" moves them", e.Staged, e.Dir, e.Err)
}

func (e *UnfinishedError) Unwrap() error { return e.Err }

// Deliver gives the files that were made their places, and the manifest its own. Errors
// leave what was there before, unless they are an [*UnfinishedError].
func (f *Folder) Deliver() error {
	if _, err := f.Staged(); err != nil {
		return err
	}
	defer f.Close()
	in, err := atomicfile.OpenRoot(f.path)
	if err != nil {
		return &atomicfile.WriteError{Path: f.path, Err: err}
	}
	defer in.Close()
	if err := recoverIn(in, f.path, &f.Report); err != nil {
		return err
	}
	s := &swap{in: in, dir: f.path, staged: filepath.Base(f.temp.Path), report: &f.Report}
	if err := f.stage(s); err != nil {
		return err
	}
	if err := s.checkStaged(); err != nil {
		return err
	}
	begun := false
	err = f.temp.Move(func() error {
		if err := s.begin(); err != nil {
			return &atomicfile.WriteError{Path: f.path, Err: err}
		}
		begun = true
		if err := s.finish(); err != nil {
			return s.unfinished(err)
		}
		if f.Pieces != nil {
			f.Pieces.Remove() // here, where no interruption comes between
		}
		return nil
	})
	if begun {
		f.temp.Leave()
		f.temp = nil
		f.Report.Files = f.paths()
	}
	return err
}

// paths returns the paths of the files of the run, the manifest last.
func (f *Folder) paths() (all []string) {
	for _, name := range append(f.names, FileName) {
		all = append(all, f.Path(name))
	}
	return all
}

// stage writes both manifests to the folder in which the files wait.
func (f *Folder) stage(s *swap) error {
	b, err := look(s.in, f.path, f.Verb)
	if err != nil {
		return err
	}
	f.Beside, f.Writing, f.Before, f.Journal, s.known = b.beside, nil, nil, nil, b.own
	aside, err := f.inTheWay(s.in, b)
	if err != nil {
		return err
	}
	f.Seconds = time.Since(f.Started).Seconds()
	if err := atomicfile.WriteJSON(filepath.Join(f.temp.Path, FileName), f.Manifest); err != nil {
		return f.inPlace(err)
	}
	j := *f.Manifest
	j.Status, j.Before, j.Journal = Delivering, map[string]string{}, &Journal{Staged: s.staged, Aside: aside}
	for name, digest := range b.own {
		if _, again := f.Files[name]; again || !b.claimed(name, digest) {
			j.Before[name] = digest
		}
	}
	for _, name := range b.left {
		if _, again := f.Files[name]; !again {
			s.report.Left = append(s.report.Left, name)
		}
	}
	s.journal = &j
	if err := atomicfile.WriteJSON(filepath.Join(f.temp.Path, journalName), &j); err != nil {
		return f.inPlace(err)
	}
	return nil
}

// inTheWay finds new names for what lies in the places of files and is not of the run
// before. Files of runs of other commands are known by these names from now on.
func (f *Folder) inTheWay(in *atomicfile.Root, b *before) (map[string]string, error) {
	aside := map[string]string{}
	names := slices.Sorted(maps.Keys(f.Files))
	if b.alien {
		names = append(names, FileName)
	}
	for _, name := range names {
		if err := checkPlace(in, f.path, name); err != nil {
			return nil, err
		}
		digest, isOwn := b.own[name]
		if !isOwn {
			var err error
			if digest, err = ownDigest(in, name); isMissing(err) {
				continue
			}
		}
		if digest != "" && digest == f.Files[name] || isOwn && !b.claimed(name, digest) {
			continue
		}
		to, err := asideFor(in, name)
		if err != nil {
			return nil, err
		}
		aside[name] = to
		for _, m := range b.beside {
			if digest != "" && m.Files[name] == digest {
				delete(m.Files, name)
				m.Files[to] = digest
			}
		}
	}
	return aside, nil
}

// recoverIn finishes a delivery that was cut short.
func recoverIn(in *atomicfile.Root, dir string, r *Report) error {
	m, err := readIn(in.Root, FileName, filepath.Join(dir, FileName))
	if err != nil || m.Status != Delivering || m.Journal == nil {
		return nil // what cannot be read is looked at later
	}
	if _, err := in.Lstat(filepath.Join(m.Journal.Staged, FileName)); isMissing(err) {
		return nil // what waited is gone: the manifest goes on saying that files are missing
	}
	s := &swap{in: in, dir: dir, staged: m.Journal.Staged, journal: m, report: r}
	if err := s.finish(); err != nil {
		return s.unfinished(err)
	}
	r.Finished = true
	return nil
}

// Finish finishes a delivery that was cut short, if there is one in a folder.
func Finish(dir string) (*Report, error) {
	in, err := atomicfile.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r := &Report{}
	return r, recoverIn(in, dir, r)
}
