package jobs

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-pcd/pcd/internal/regular"
)

// Results are the files of a job. Close them.
type Results struct {
	Printed []byte // what the command printed: its summary in JSON where it has one
	Said    []byte // the end of what it said on the way
	folder  *Folder
	root    *os.Root // nil when nothing was written
}

// ResultFile is a file that a job has written.
type ResultFile struct {
	Name string // with slashes
	Size int64
}

// mostSaid bounds what is told of the messages of a command.
const mostSaid = 16 << 10

// Results opens what the command has printed and written so far.
func (f *Folder) Results() (*Results, error) {
	printed, err := tail(f.file(printedFile), mostRecord)
	said, saidErr := tail(f.file(logFile), mostSaid)
	root, rootErr := os.OpenRoot(filepath.Join(f.Work(), OutName))
	if err = errors.Join(skipGone(err), skipGone(saidErr), skipGone(rootErr)); err != nil {
		return nil, err
	}
	return &Results{printed, said, f, root}, nil
}

// tail returns the last bytes of a file.
func tail(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(max(info.Size()-most, 0), io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// Files lists the files, by name.
func (r *Results) Files() (all []ResultFile, err error) {
	if r.root == nil {
		return nil, nil
	}
	err = fs.WalkDir(r.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return skipGone(err)
		}
		info, err := d.Info()
		if err == nil {
			all = append(all, ResultFile{name, info.Size()})
		}
		return skipGone(err)
	})
	slices.SortFunc(all, func(a, b ResultFile) int { return cmp.Compare(a.Name, b.Name) })
	return all, err
}

// Open opens a file, and none outside the results whatever its name.
func (r *Results) Open(name string) (*os.File, error) {
	if r.root == nil || !fs.ValidPath(name) {
		return nil, &NotFoundError{"file", name}
	}
	info, err := r.root.Lstat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() {
		return nil, &NotFoundError{"file", name}
	}
	return regular.OpenIn(r.root, filepath.FromSlash(name))
}

// Close closes the folder.
func (r *Results) Close() error {
	if r.root == nil {
		return nil
	}
	return r.root.Close()
}
