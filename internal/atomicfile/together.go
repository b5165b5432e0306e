package atomicfile

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/fault"
)

// Output is a file that a user has named, with what writes it to a path of the same ending.
type Output struct {
	Path string
	Save func(path string) error
}

// Together makes files, and gives them their names when all of them are made. Their folders
// have to be there. Errors leave what was at the paths; a program that is killed between
// two names leaves files that are whole, some old and some new.
func Together(outputs ...Output) error {
	var made []*Temp
	defer func() {
		for _, t := range made {
			t.Remove()
		}
	}()
	for _, o := range outputs {
		if err := Check(o.Path); err != nil {
			return err
		}
		t, err := MkdirTemp(filepath.Dir(o.Path))
		if err != nil {
			return err
		}
		made = append(made, t)
		if err := o.Save(t.file(o.Path)); err != nil {
			return t.inPlace(err, o)
		}
	}
	open.Lock()
	defer open.Unlock()
	for k, o := range outputs {
		err := fault.Point(fault.Rename, o.Path)
		if err == nil {
			err = os.Rename(made[k].file(o.Path), o.Path)
		}
		if err != nil {
			return newWriteError(o.Path, err)
		}
	}
	return nil
}

// inPlace makes the error of an output name the path that the user knows.
func (t *Temp) inPlace(err error, o Output) error {
	var w *WriteError
	if errors.As(err, &w) && w.Path == t.file(o.Path) {
		return &WriteError{Path: o.Path, Err: w.Err}
	}
	return err
}
