package dataset

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/regular"
)

// Names of the parts of a replay buffer.
const (
	replayData = "data"
	replayEnds = "meta/episode_ends"
)

// ReplayBuffer holds recorded episodes one after the other: row i of every array
// belongs to the same moment.
type ReplayBuffer struct {
	Arrays      []Array // by name; the first axis counts rows
	EpisodeEnds []int64 // one past the last row of each episode
}

// ReplayOptions selects what is read of a replay buffer.
type ReplayOptions struct {
	ReadOptions
	Keys []string // arrays to read; nil: all
}

// OpenReplay reads a replay buffer from a zarr folder or an .npz file.
func OpenReplay(path string, opts ReplayOptions) (*ReplayBuffer, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		b, err := readReplayZarr(regular.DirFS(path), opts)
		if err != nil {
			return nil, &FormatError{File: path, Err: err}
		}
		return b, nil
	}
	z, err := OpenNPZ(path, opts.ReadOptions)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return readReplayNPZ(z, opts)
}

// readReplayNPZ reads a replay buffer from an archive with the arrays
// meta/episode_ends and data/NAME; the folders may be left out of the names.
func readReplayNPZ(z *NPZ, opts ReplayOptions) (*ReplayBuffer, error) {
	short := map[string]string{} // name without folder to name in the archive
	var names []string
	for _, full := range z.Names() {
		name := full[strings.LastIndexByte(full, '/')+1:]
		if short[name] != "" {
			return nil, &FormatError{File: z.path, Part: full, Reason: "a second array of this name: " + short[name]}
		}
		short[name] = full
		if name != "episode_ends" {
			names = append(names, name)
		}
	}
	return readReplay(names, opts, func(name string, opts ReadOptions) (Array, error) {
		if short[name] == "" {
			return Array{}, &FormatError{File: z.path, Err: &keyError{Want: name, Have: z.names}}
		}
		return z.read(short[name], opts)
	})
}

// readReplayZarr reads a replay buffer from a zarr version 2 store with the
// arrays meta/episode_ends and data/NAME. A zip file of such a store works
// through [archive/zip.Reader].
func readReplayZarr(fsys fs.FS, opts ReplayOptions) (*ReplayBuffer, error) {
	names, err := zarrArrays(fsys, replayData)
	if err != nil {
		return nil, err
	}
	if opts.MaxBytes <= 0 {
		stored, err := storedReplay(fsys, names, opts)
		if err != nil {
			return nil, err
		}
		opts.ReadOptions = opts.given(stored)
	}
	return readReplay(names, opts, func(name string, opts ReadOptions) (Array, error) {
		if name == "episode_ends" {
			return readZarr(fsys, replayEnds, opts)
		}
		if !slices.Contains(names, name) {
			return Array{}, &keyError{Want: name, Have: names}
		}
		return readZarr(fsys, replayData+"/"+name, opts)
	})
}

// storedReplay returns what the chosen arrays take up in their files.
func storedReplay(fsys fs.FS, names []string, opts ReplayOptions) (total int64, err error) {
	parts := []string{replayEnds}
	for _, name := range names {
		if opts.Keys == nil || slices.Contains(opts.Keys, name) {
			parts = append(parts, replayData+"/"+name)
		}
	}
	for _, p := range parts {
		n, err := storedBytes(fsys, p)
		if err != nil {
			return 0, err
		}
		total += min(n, math.MaxInt64-total)
	}
	return total, nil
}

// readReplay reads the chosen arrays through get and checks the result.
func readReplay(names []string, opts ReplayOptions, get func(name string, opts ReadOptions) (Array, error)) (*ReplayBuffer, error) {
	left := opts.ReadOptions
	ends, err := get("episode_ends", left)
	if err != nil {
		return nil, err
	}
	b := &ReplayBuffer{}
	if len(ends.Shape) != 1 {
		return nil, &shapeError{Array: ends.Name, Got: ends.Shape, Want: "one axis"}
	}
	if b.EpisodeEnds, err = ends.int64s(); err != nil {
		return nil, err
	}
	if opts.Keys != nil {
		names = opts.Keys
	}
	left = left.without(ends)
	for _, name := range slices.Sorted(slices.Values(names)) {
		a, err := get(name, left)
		if err != nil {
			return nil, err
		}
		left = left.without(a)
		a.Name = name
		b.Arrays = append(b.Arrays, a)
	}
	return b, b.Check()
}

// Check returns a [FormatError] unless the ends of the episodes increase and
// the last is the number of rows, and when arrays differ in their
// number of rows.
func (b *ReplayBuffer) Check() error {
	last := int64(0)
	for i, end := range b.EpisodeEnds {
		if end <= last {
			return &episodeError{Index: i, End: end, Reason: fmt.Sprintf("the one before ends at row %d", last)}
		}
		last = end
	}
	for _, a := range b.Arrays {
		if len(a.Shape) == 0 || a.Shape[0] != b.Arrays[0].Shape[0] {
			return &shapeError{Array: a.Name, Got: a.Shape, Want: fmt.Sprintf("as many rows as %s, of shape %v", b.Arrays[0].Name, b.Arrays[0].Shape)}
		}
		if int64(a.Shape[0]) != last {
			return &episodeError{Index: len(b.EpisodeEnds) - 1, End: last, Reason: fmt.Sprintf("array %q has %d rows", a.Name, a.Shape[0])}
		}
	}
	return nil
}

// Array returns the array with the given name, or a [FormatError].
func (b *ReplayBuffer) Array(name string) (Array, error) {
	have := make([]string, len(b.Arrays))
	for i, a := range b.Arrays {
		if a.Name == name {
			return a, nil
		}
		have[i] = a.Name
	}
	return Array{}, &keyError{Want: name, Have: have}
}

// Episode returns the rows [lo, hi) of episode i.
func (b *ReplayBuffer) Episode(i int) (lo, hi int) {
	if i > 0 {
		lo = int(b.EpisodeEnds[i-1])
	}
	return lo, int(b.EpisodeEnds[i])
}

// WriteNPZ writes the buffer in the layout of an .npz file that [OpenReplay] reads.
func (b *ReplayBuffer) WriteNPZ(path string) error {
	if err := b.Check(); err != nil {
		return err
	}
	out := []Array{{Name: replayEnds, Shape: []int{len(b.EpisodeEnds)}, Data: b.EpisodeEnds}}
	for _, a := range b.Arrays {
		a.Name = replayData + "/" + a.Name
		out = append(out, a)
	}
	return WriteNPZ(path, out...)
}
