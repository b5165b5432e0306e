package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/regular"
)

// largest bounds the file of a manifest, in bytes: a hundred thousand images take ten.
const largest = 64 << 20

// ForeignError says why a file is no manifest.
type ForeignError struct {
	Path string
	Err  error
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s is not the record of a run: %v", e.Path, e.Err)
}

func (e *ForeignError) Unwrap() error { return e.Err }

// Read reads the manifest of a folder. The error for none matches [fs.ErrNotExist], that
// for another file is a [ForeignError].
func Read(dir string) (*Manifest, error) { return ReadFile(filepath.Join(dir, FileName)) }

// ReadFile is Read for the path of a manifest.
func ReadFile(path string) (*Manifest, error) {
	in, err := regular.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readIn(in, filepath.Base(path), path)
}

// readIn reads a manifest in a folder; path is for errors.
func readIn(in *os.Root, name, path string) (*Manifest, error) {
	f, err := regular.OpenIn(in, name)
	if err != nil {
		if errors.Is(err, regular.ErrKind) {
			return nil, &ForeignError{path, regular.ErrKind}
		}
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, largest+1))
	if err != nil {
		return nil, err
	}
	m, err := parse(text)
	if err != nil {
		return nil, &ForeignError{path, err}
	}
	return m, nil
}

// parse reads a manifest, and refuses what is none.
func parse(text []byte) (*Manifest, error) {
	if len(text) > largest {
		return nil, fmt.Errorf("it is larger than %d MiB", largest>>20)
	}
	var m Manifest
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // settings are written again as they are
	if err := d.Decode(&m); err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	for verb, b := range m.Beside {
		if b == nil {
			return nil, fmt.Errorf("it has no record of the runs of %q", verb)
		}
		if err := b.check(); err != nil {
			return nil, err
		}
	}
	return &m, nil
}

// check returns an error for what no run has written, above all for names of files that
// lead out of the folder.
func (m *Manifest) check() error {
	if m.Version == "" || m.Started.IsZero() || m.Files == nil || m.Status != "" && !m.Status.known() {
		return errors.New("it lacks what manifests have")
	}
	for _, names := range []map[string]string{m.Files, m.Before} {
		for name := range names {
			if err := checkName(name); err != nil {
				return err
			}
		}
	}
	for _, name := range m.Writing {
		if err := checkName(name); err != nil {
			return err
		}
	}
	if m.Journal == nil {
		return nil
	}
	if !atomicfile.IsTemp(m.Journal.Staged) {
		return fmt.Errorf("%q is not the name of a folder in which files wait", m.Journal.Staged)
	}
	for name, aside := range m.Journal.Aside {
		if err := errors.Join(checkName(name), checkName(aside)); err != nil {
			return err
		}
	}
	return nil
}

// checkName refuses names of files that a run cannot have in its folder.
func checkName(name string) error {
	if name == "." || path.Clean(name) != name || !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("it lists a file of the name %q", name)
	}
	return nil
}
