package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/render"
)

// mostObjects bounds the objects in a file of a size, before they take memory: an
// object of a result has several numbers with names, an empty one costs three bytes
// there and hundreds here.
func mostObjects(size int) int { return 64 + size/32 }

// decode reads the result of a cell from the content of its file.
func (x *Experiment[S, C, R]) decode(name, path string, data []byte) (R, error) {
	r := x.New()
	if n := bytes.Count(data, []byte("{")); n > mostObjects(len(data)) {
		return r, &FileError{Path: path, Err: fmt.Errorf("%d objects in %d bytes are no result", n, len(data))}
	}
	if err := json.Unmarshal(data, r); err != nil {
		return r, &FileError{Path: path, Err: err}
	}
	if got := r.Head().Cell.Name(); got != name {
		return r, &FileError{Path: path, Err: fmt.Errorf("it holds a cell of the name %q", got)}
	}
	if err := r.Check(); err != nil {
		return r, &FileError{Path: path, Err: err}
	}
	return r, nil
}

// Read reads results by the names of their cells, from a folder, its archive, or
// both. No results are an error, [fs.ErrNotExist].
func (x *Experiment[S, C, R]) Read(path string) (map[string]R, error) {
	s, err := openStore(path)
	if err != nil {
		return nil, err
	}
	return x.readStore(s)
}

func (x *Experiment[S, C, R]) readStore(s *store) (map[string]R, error) {
	names, err := s.cells()
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: %s holds no cells: %w", x.Name, s.dir, fs.ErrNotExist)
	}
	out := map[string]R{}
	for _, name := range names {
		data, path, err := s.read(name)
		if err != nil {
			return nil, err
		}
		if out[name], err = x.decode(name, path, data); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Pack moves the results and manifests of a folder into the archive beside it, and
// returns the archive's path. No evaluation may run in the folder meanwhile.
func (x *Experiment[S, C, R]) Pack(path string) (string, error) {
	s, err := openStore(path)
	if err != nil {
		return "", err
	}
	results, err := x.readStore(s)
	if err != nil {
		return "", err
	}
	files := map[string][]byte{}
	for name, r := range results {
		if files[name+cellEnding], err = json.Marshal(r); err != nil {
			return "", err
		}
	}
	calls, err := s.calls()
	if err != nil {
		return "", err
	}
	for _, name := range calls {
		data, path, err := s.read(name)
		if err != nil {
			return "", err
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, data); err != nil {
			return "", &FileError{Path: path, Err: err}
		}
		files[filepath.ToSlash(name)+cellEnding] = compact.Bytes()
	}
	if err := writeArchive(s.archive, files); err != nil {
		return "", err
	}
	return s.archive, s.removeFolder(files)
}

// removeFolder removes files of the folder, and the folder if nothing else is in it.
func (s *store) removeFolder(files map[string][]byte) error {
	for name := range files {
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, dir := range []string{filepath.Join(s.dir, callsDir), s.dir} {
		if left, err := os.ReadDir(dir); err == nil && len(left) == 0 {
			if err := os.Remove(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// Report makes what is printed of the results at a path. Results of which nothing is
// computed yet are an error, [fs.ErrNotExist].
func (x *Experiment[S, C, R]) Report(path string) (Report, error) {
	results, err := x.Read(path)
	if err != nil {
		return Report{}, err
	}
	begun := false
	for _, r := range results {
		done, _ := r.Progress(r.Head().Cell)
		begun = begun || done > 0
	}
	if !begun {
		return Report{}, fmt.Errorf("%s: the cells of %s are empty: nothing of them is computed: %w", x.Name, path, fs.ErrNotExist)
	}
	return x.Tables(results)
}

// Draw draws the figure of a name from the results at a path.
func (x *Experiment[S, C, R]) Draw(path, name string, o FigureOptions) (*render.Figure, error) {
	results, err := x.Read(path)
	if err != nil {
		return nil, err
	}
	for _, f := range x.Figures {
		if f.Name == name {
			return f.Draw(results, o)
		}
	}
	return nil, &SpecError{fmt.Errorf("%s has no figure %q", x.Name, name)}
}

// FigureNames lists the figures with what they show.
func (x *Experiment[S, C, R]) FigureNames() (names, shorts []string) {
	for _, f := range x.Figures {
		names, shorts = append(names, f.Name), append(shorts, f.Short)
	}
	return names, shorts
}
