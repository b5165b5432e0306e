package manifest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/fault"
)

// madeFolder is a folder that was made for the files of a run.
type madeFolder struct {
	path string
	info fs.FileInfo
}

// makePath makes the folder and those above it, and notes which there were not, the inner ones first.
func (f *Folder) makePath() error {
	var missing []string
	for p := f.path; ; p = filepath.Dir(p) {
		if _, err := os.Lstat(p); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, p)
	}
	err := atomicfile.MkdirAll(f.path)
	for _, p := range missing {
		if info, err := os.Lstat(p); err == nil {
			f.made = append(f.made, madeFolder{p, info})
		}
	}
	return err
}

// unmake removes the folders that were made for files that nobody wrote: those that are still the same and empty.
func (f *Folder) unmake() {
	for _, m := range f.made {
		info, err := os.Lstat(m.path)
		if err != nil || !info.IsDir() || !os.SameFile(info, m.info) || fault.Point(fault.Remove, m.path) != nil || os.Remove(m.path) != nil {
			break
		}
	}
	f.made = nil
}
