package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/regular"
)

// A store is where the results of an evaluation lie: a folder with a file for every
// cell, an archive of such a folder beside it, or both. A file in the folder stands
// before one of the same name in the archive: the evaluation went on from there.
type store struct {
	dir      string
	archive  string            // its path
	archived map[string][]byte // what is in it, by name
}

// The names of what a store consists of.
const (
	cellEnding    = ".json"
	archiveEnding = ".jsonl.gz"
	callsDir      = manifest.CallsDir // manifests, one for every call of an evaluation
)

// largestFile bounds the file of a cell, in bytes.
const largestFile = 8 << 20

// openStore opens the results in a folder, in the archive beside it, or both. path
// is the folder or the archive; neither needs to be there.
func openStore(path string) (*store, error) {
	s := &store{dir: strings.TrimSuffix(filepath.Clean(path), archiveEnding)}
	s.archive = s.dir + archiveEnding
	if info, err := os.Stat(s.dir); err == nil && !info.IsDir() {
		return nil, &SpecError{fmt.Errorf("%s is a file, want a folder of results or an archive of one, NAME%s", s.dir, archiveEnding)}
	}
	var err error
	s.archived, err = readArchive(s.archive)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return s, err
}

// path returns where the file of a cell lies or would lie.
func (s *store) path(cell string) string { return filepath.Join(s.dir, cell+cellEnding) }

// cells lists the names of the cells, sorted.
func (s *store) cells() ([]string, error) {
	return s.list(".", func(n string) bool { return n != manifest.FileName })
}

// calls lists the names of the manifests of the calls, sorted by time. The first
// is that of results from before every call had one.
func (s *store) calls() ([]string, error) {
	first, err := s.list(".", func(n string) bool { return n == manifest.FileName })
	if err != nil {
		return nil, err
	}
	rest, err := s.list(callsDir, func(string) bool { return true })
	return append(first, rest...), err
}

// list returns the files of a folder of the store, without their ending.
func (s *store) list(folder string, want func(string) bool) ([]string, error) {
	found := map[string]bool{}
	entries, err := os.ReadDir(filepath.Join(s.dir, folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), cellEnding) && !strings.HasPrefix(e.Name(), ".") && want(e.Name()) {
			found[e.Name()] = true
		}
	}
	for name := range s.archived {
		if dir, file := filepath.Split(name); filepath.Clean("./"+dir) == folder && want(file) {
			found[file] = true
		}
	}
	var out []string
	for name := range found {
		out = append(out, filepath.Join(folder, strings.TrimSuffix(name, cellEnding)))
	}
	slices.Sort(out)
	return out, nil
}

// read returns the content of a file by its name without ending, and where it was
// found. The error for one that is not there is fs.ErrNotExist.
func (s *store) read(name string) (data []byte, path string, err error) {
	path = s.path(name)
	data, err = readBounded(path)
	if errors.Is(err, fs.ErrNotExist) {
		if packed, ok := s.archived[filepath.ToSlash(name)+cellEnding]; ok {
			return packed, s.archive + ": " + name + cellEnding, nil
		}
	}
	return data, path, err
}

// readBounded reads a file that is not larger than a cell can be.
func readBounded(path string) ([]byte, error) {
	data, err := regular.ReadFile(path, largestFile)
	if size := new(regular.SizeError); errors.As(err, &size) {
		err = &FileError{Path: path, Err: size}
	}
	return data, err
}
