package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-pcd/pcd/internal/atomicfile"
)

// Folder receives the files of a run. See the comment of the package.
type Folder struct {
	*Manifest
	Report Report  // what became of the folder so far
	Pieces *Pieces // of the run, which go when its files have their places; may be nil
	path   string
	temp   *atomicfile.Temp // in which files are made; nil before the first one
	names  []string         // of the files, in the order in which they were made
	made   []madeFolder     // that was not there before
}

// Report says what became of a folder beside the files that a run wrote.
type Report struct {
	Files    []string          // paths of what was written, the manifest last
	Finished bool              // an earlier delivery that had been cut short was finished first
	Removed  []string          // files of the run before, which this one has not
	Left     []string          // the same, but changed since they were written: they stay
	Aside    map[string]string // files that were in the way, by the names that they had; the names that they have
}

// Open prepares a folder for the files of a run, before anything is computed. It finishes a
// delivery that was cut short there, and refuses a place that cannot be written, or that
// something else than a file has taken; names are those of the files as far as they are
// known. The folder is made when the first file is. Errors are [*atomicfile.WriteError] or
// [*UnfinishedError].
func Open(dir string, m *Manifest, names ...string) (*Folder, error) {
	f := &Folder{Manifest: m, path: filepath.Clean(dir)}
	if err := atomicfile.CheckFolder(f.path); err != nil {
		return nil, err
	}
	in, err := atomicfile.OpenRoot(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, &atomicfile.WriteError{Path: f.path, Err: err}
	}
	defer in.Close()
	if err := recoverIn(in, f.path, &f.Report); err != nil {
		return nil, err
	}
	for _, name := range append(names, FileName) {
		if err := checkPlace(in, f.path, name); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// checkPlace returns an error when there is something at the place of a file that no file
// takes.
func checkPlace(in *atomicfile.Root, dir, name string) error {
	for above := path.Dir(name); above != "."; above = path.Dir(above) {
		info, err := in.Stat(filepath.FromSlash(above))
		if err == nil && !info.IsDir() {
			return atomicfile.NewPlaceError(filepath.Join(dir, name), fmt.Sprintf("%q is not a folder", filepath.Join(dir, above)))
		}
		if err != nil && !isMissing(err) {
			return &atomicfile.WriteError{Path: filepath.Join(dir, name), Err: err}
		}
	}
	info, err := in.Lstat(filepath.FromSlash(name))
	if err != nil {
		if isMissing(err) {
			return nil
		}
		return &atomicfile.WriteError{Path: filepath.Join(dir, name), Err: err}
	}
	if info.Mode().IsRegular() || info.Mode().Type() == fs.ModeSymlink {
		return nil
	}
	return atomicfile.NewPlaceError(filepath.Join(dir, name), atomicfile.Taken(info))
}

// Path returns the path of a file of the folder, and that of the folder for no name.
func (f *Folder) Path(name string) string { return filepath.Join(f.path, filepath.FromSlash(name)) }

// Staged returns the folder in which files are made, and makes it.
func (f *Folder) Staged() (string, error) {
	if f.temp == nil {
		err := f.makePath()
		if err == nil {
			f.temp, err = atomicfile.MkdirTemp(f.path)
		}
		if err != nil {
			f.temp = nil
			f.unmake()
			return "", err
		}
		f.Files, f.names = map[string]string{}, nil
	}
	return f.temp.Path, nil
}

// Add makes a file with save, which gets the path to write, and records it. Slashes in a
// name are folders.
func (f *Folder) Add(name string, save func(path string) error) error {
	if err := checkName(name); err != nil {
		return err
	}
	staged, err := f.Staged()
	if err != nil {
		return err
	}
	if dir := path.Dir(name); dir != "." {
		if err := atomicfile.MkdirAll(filepath.Join(staged, filepath.FromSlash(dir))); err != nil {
			return f.inPlace(err)
		}
	}
	if err := save(filepath.Join(staged, filepath.FromSlash(name))); err != nil {
		return f.inPlace(err)
	}
	return f.record(name)
}

// Make makes files in the folder of [Folder.Staged] with a function that gets its path, and
// returns the names of those to be recorded.
func (f *Folder) Make(make func(dir string) (names []string, err error)) error {
	staged, err := f.Staged()
	if err != nil {
		return err
	}
	names, err := make(staged)
	if err != nil {
		return f.inPlace(err)
	}
	return f.record(names...)
}

// record records files that lie in the folder of [Folder.Staged].
func (f *Folder) record(names ...string) error {
	for _, name := range names {
		if err := errors.Join(checkName(name), f.Manifest.Add(f.temp.Path, name)); err != nil {
			return err
		}
		f.names = append(f.names, name)
	}
	return nil
}

// inPlace makes an error name the place that a file was made for, which the user knows.
func (f *Folder) inPlace(err error) error {
	var w *atomicfile.WriteError
	if !errors.As(err, &w) {
		return err
	}
	name, ok := strings.CutPrefix(w.Path, f.temp.Path+string(os.PathSeparator))
	if !ok {
		return err
	}
	return &atomicfile.WriteError{Path: filepath.Join(f.path, name), Err: w.Err}
}

// Close gives up what was made and not delivered: also the folder, if it was made for that and nothing else is in it.
func (f *Folder) Close() {
	if f.temp != nil {
		f.temp.Remove()
		f.temp = nil
		f.unmake()
	}
}
