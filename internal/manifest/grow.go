package manifest

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/go-pcd/pcd/internal/atomicfile"
)

// Begin says in the folder that the run writes files of these names there, until it calls
// [Folder.End]. What lies in their places is set aside unless it is of an earlier run of
// the command, as all of it is where the run continues that one.
func (f *Folder) Begin(continues bool, names ...string) error {
	return f.update(func(in *atomicfile.Root, b *before) error {
		f.names = nil
		f.Status, f.Writing, f.Files, f.Before = Running, names, map[string]string{}, b.own
		s := &swap{in: in, dir: f.path, report: &f.Report}
		if b.alien {
			names = append(names, FileName)
		}
		for _, name := range names {
			if err := checkPlace(in, f.path, name); err != nil {
				return err
			}
			if _, err := in.Lstat(filepath.FromSlash(name)); isMissing(err) || b.own[name] != "" || continues && name != FileName {
				continue
			}
			if err := s.aside(name, ""); err != nil {
				return &atomicfile.WriteError{Path: f.Path(name), Err: err}
			}
		}
		return nil
	})
}

// End records the files of [Folder.Begin] that are there, with the status that err leaves,
// and removes those that the run before wrote and this one has not.
func (f *Folder) End(err error) error {
	return f.update(func(in *atomicfile.Root, b *before) error {
		for _, name := range f.Writing {
			digest, err := digestIn(in.Root, filepath.FromSlash(name))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			f.Files[name] = digest
			f.names = append(f.names, name)
		}
		f.Report.Files = f.paths()
		s := &swap{in: in, dir: f.path, journal: &Manifest{Before: f.Before}, report: &f.Report}
		for _, name := range slices.Sorted(maps.Keys(f.Before)) {
			if _, again := f.Files[name]; !again && !b.claimed(name, f.Before[name]) {
				s.takeAway(name)
			}
		}
		f.Status, f.Writing, f.Before = StatusOf(err), nil, nil
		return nil
	})
}

// update writes the manifest after a change, while no other program delivers.
func (f *Folder) update(change func(in *atomicfile.Root, b *before) error) error {
	if err := atomicfile.MkdirAll(f.path); err != nil {
		return err
	}
	in, err := atomicfile.OpenRoot(f.path)
	if err != nil {
		return &atomicfile.WriteError{Path: f.path, Err: err}
	}
	defer in.Close()
	if err := recoverIn(in, f.path, &f.Report); err != nil {
		return err
	}
	b, err := look(in, f.path, f.Verb)
	if err != nil {
		return err
	}
	if err := change(in, b); err != nil {
		return err
	}
	f.Beside, f.Journal = b.beside, nil
	return f.WriteFile(f.Path(FileName))
}
