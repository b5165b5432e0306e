package manifest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/regular"
)

// Verification says how a folder compares with the records of the runs that wrote it.
type Verification struct {
	Dir      string `json:"dir"`
	Verified bool   `json:"verified"` // all runs finished, and every file is there as it was written
	Runs     []Run  `json:"runs"`     // of a command each, and one for every call of an evaluation; the last one first
	Files    int    `json:"files"`    // that the runs wrote
	// Missing are files that are not there, Differs those that are not as they were
	// written, Writing those of a run that has not ended, of which nothing is known.
	Missing []string `json:"missing"`
	Differs []string `json:"differs"`
	Writing []string `json:"writing"`
	Foreign []string `json:"foreign"` // files that no run wrote
}

// Run is one that wrote to a folder.
type Run struct {
	Verb    string    `json:"verb,omitempty"`
	Command []string  `json:"command"`
	Version string    `json:"version"`
	Started time.Time `json:"started"`
	Status  Status    `json:"status"`
	Record  string    `json:"record"` // name of the manifest
}

// CallsDir is the folder of the manifests of an evaluation, one for each call.
const CallsDir = "calls"

// Verify compares the files of a folder with its manifests. It changes nothing. The error
// for a folder without one matches [fs.ErrNotExist], that for another file of the name a
// [ForeignError]. progress is told how many files are compared; it may be nil.
func Verify(ctx context.Context, dir string, progress func(done, total int)) (*Verification, error) {
	in, err := regular.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	v := &verifier{in: in, out: &Verification{Dir: dir, Missing: []string{}, Differs: []string{}, Writing: []string{}, Foreign: []string{}}, want: map[string]string{}, before: map[string]string{}, writing: map[string]bool{}}
	if err := errors.Join(v.readOwn(), v.readCalls()); err != nil {
		return nil, err
	}
	if len(v.out.Runs) == 0 {
		return nil, fmt.Errorf("%s has no %s: no run says what it holds: %w", dir, FileName, fs.ErrNotExist)
	}
	if err := v.compare(ctx, progress); err != nil {
		return nil, err
	}
	if err := v.findForeign(); err != nil {
		return nil, err
	}
	o := v.out
	o.Files = len(v.want)
	o.Verified = len(o.Missing)+len(o.Differs)+len(o.Writing) == 0 && !v.unfinished
	return o, nil
}

// verifier compares a folder with its manifests.
type verifier struct {
	in         *os.Root
	out        *Verification
	want       map[string]string // digests by name
	before     map[string]string // of runs before, whose files may still be there
	writing    map[string]bool
	staged     string // folder in which files wait
	unfinished bool
}

// readOwn reads the manifest of the folder, with those of other commands in it.
func (v *verifier) readOwn() error {
	m, err := readIn(v.in, FileName, filepath.Join(v.out.Dir, FileName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if m.Journal != nil {
		v.staged = m.Journal.Staged
	}
	v.unfinished = v.add(m, FileName)
	for _, verb := range slices.Sorted(maps.Keys(m.Beside)) {
		v.unfinished = v.add(m.Beside[verb], FileName) || v.unfinished
	}
	return nil
}

// add enters a run and what it says of files. It says whether the run has not ended well.
func (v *verifier) add(m *Manifest, record string) (unfinished bool) {
	v.out.Runs = append(v.out.Runs, Run{m.Verb, m.Command, m.Version, m.Started, m.Status, record})
	maps.Copy(v.want, m.Files)
	for name := range m.Files {
		delete(v.writing, name)
	}
	for _, name := range m.Writing {
		v.writing[name] = true
	}
	maps.Copy(v.before, m.Before)
	return m.Status != Finished && m.Status != "" // as it was before there were any
}

// readCalls reads the manifests of the calls of an evaluation, in the order of time: what a
// later one says of a file holds. A call that did not end well is done with when a later
// one of the same shard, or of all of them, has.
func (v *verifier) readCalls() error {
	names, err := fs.Glob(v.in.FS(), CallsDir+"/*.json")
	if err != nil {
		return err
	}
	open, own := map[string]bool{}, len(v.out.Runs)
	for _, name := range names { // in order
		m, err := readIn(v.in, filepath.FromSlash(name), filepath.Join(v.out.Dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		shard := shardOf(name)
		if open[shard] = v.add(m, name); !open[shard] && shard == wholeShard {
			clear(open)
		}
	}
	slices.Reverse(v.out.Runs[own:])
	for _, is := range open {
		v.unfinished = v.unfinished || is
	}
	return nil
}

// wholeShard is that of a call for all cells.
const wholeShard = "0-of-1"

// shardOf returns the shard in the name of the manifest of a call.
func shardOf(name string) string {
	_, shard, _ := strings.Cut(name, "-shard-")
	return shard[:max(strings.LastIndex(shard, "-"), 0)]
}

// compare compares the files that runs wrote with their digests.
func (v *verifier) compare(ctx context.Context, progress func(done, total int)) error {
	names := slices.Sorted(maps.Keys(v.want))
	for i, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		digest, err := digestIn(v.in, filepath.FromSlash(name))
		switch {
		case v.writing[name]:
		case isMissing(err):
			v.out.Missing = append(v.out.Missing, name)
		case err != nil || digest != v.want[name]:
			v.out.Differs = append(v.out.Differs, name)
		}
		if progress != nil {
			progress(i+1, len(names))
		}
	}
	v.out.Writing = append(v.out.Writing, slices.Sorted(maps.Keys(v.writing))...)
	return nil
}

// findForeign lists the files that no run wrote.
func (v *verifier) findForeign() error {
	return fs.WalkDir(v.in.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name != ".":
			v.out.Foreign = append(v.out.Foreign, name)
			return nil
		case err != nil:
			return err
		case d.IsDir() && (atomicfile.IsTemp(d.Name()) || name == v.staged):
			return fs.SkipDir
		case d.IsDir() || name == FileName || path.Dir(name) == CallsDir && path.Ext(name) == ".json":
		case v.want[name] == "" && !v.writing[name] && v.before[name] == "":
			v.out.Foreign = append(v.out.Foreign, name)
		}
		return nil
	})
}
