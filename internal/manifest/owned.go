package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/regular"
)

// before is what lies in a folder before a run, as its manifest tells it.
type before struct {
	own    map[string]string // files of the run before of the same command, as it wrote them
	left   []string          // the same, but changed since
	beside map[string]*Manifest
	alien  bool // a file that has the name of the manifest is none
}

// look finds what lies in a folder before a run of a command.
func look(in *atomicfile.Root, dir, verb string) (*before, error) {
	b := &before{own: map[string]string{}}
	m, err := readIn(in.Root, FileName, filepath.Join(dir, FileName))
	var foreign *ForeignError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return b, nil
	case errors.As(err, &foreign):
		b.alien = true
		return b, nil
	case err != nil:
		return nil, err
	}
	b.beside = maps.Clone(m.Beside)
	last := m
	if !m.isOf(verb) {
		last = b.beside[verb]
		if b.beside == nil {
			b.beside = map[string]*Manifest{}
		}
		m.Verb, m.Beside = m.verb(verb), nil
		b.beside[m.Verb] = m
	}
	delete(b.beside, verb)
	maps.DeleteFunc(b.beside, func(_ string, m *Manifest) bool { return isGone(in, m) })
	b.claim(in, last)
	return b, nil
}

// isGone says whether no file of a run is left.
func isGone(in *atomicfile.Root, m *Manifest) bool {
	for name := range m.Files {
		if _, err := in.Lstat(filepath.FromSlash(name)); err == nil {
			return false
		}
	}
	return true
}

// claim finds the files of the last run of the same command.
func (b *before) claim(in *atomicfile.Root, last *Manifest) {
	if last == nil {
		return
	}
	names := slices.Sorted(maps.Keys(last.Files))
	names = append(append(names, slices.Sorted(maps.Keys(last.Before))...), last.Writing...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		digest, err := ownDigest(in, name)
		switch {
		case isMissing(err):
		case err == nil && digest != "" && (digest == last.Files[name] || digest == last.Before[name] || slices.Contains(last.Writing, name)):
			b.own[name] = digest
		default:
			b.left = append(b.left, name)
		}
	}
}

// isMissing recognises that there is nothing at a path, nor can be: the folder for it is
// missing, or is a file.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// claimed says whether a run of another command lists a file with a digest.
func (b *before) claimed(name, digest string) bool {
	for _, m := range b.beside {
		if m.Files[name] == digest {
			return true
		}
	}
	return false
}

// ownDigest returns the digest of a file that the program could have written: not that of a
// link, a folder or a file that may not be written.
func ownDigest(in *atomicfile.Root, name string) (string, error) {
	name = filepath.FromSlash(name)
	info, err := in.Lstat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Mode()&0o200 == 0 {
		return "", nil
	}
	return digestIn(in.Root, name)
}

// digestIn returns the digest of a regular file of a folder.
func digestIn(in *os.Root, name string) (string, error) { return digestOf(regular.OpenIn(in, name)) }

// asideFor returns a name for a file that is in the way, as GNU programs name backups.
func asideFor(in *atomicfile.Root, name string) (string, error) {
	for n := 1; ; n++ {
		to := fmt.Sprintf("%s.~%d~", name, n)
		_, err := in.Lstat(filepath.FromSlash(to))
		if errors.Is(err, fs.ErrNotExist) {
			return to, nil
		}
		if err != nil {
			return "", err
		}
	}
}
