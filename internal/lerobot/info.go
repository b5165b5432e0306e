package lerobot

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/regular"
)

// Limits of a data set, far above those that people have.
const (
	maxInfo    = 4 << 20 // bytes of info.json
	maxNumbers = 1 << 16 // of a feature
	maxFrames  = 1 << 31
)

const infoFile = "meta/info.json"

// Info is what a data set says of itself.
type Info struct {
	Version  string             `json:"codebase_version"` // v2.0, v2.1, v3.0
	Episodes int                `json:"total_episodes"`
	Frames   int                `json:"total_frames"`
	Features map[string]Feature `json:"features"`
}

// Feature is a quantity of every frame.
type Feature struct {
	Type  string `json:"dtype"` // of its numbers, or image, or video
	Shape []int  `json:"shape"`
}

// Size returns how many numbers a feature has.
func (f Feature) Size() int {
	n := 1
	for _, s := range f.Shape {
		n *= s
	}
	return n
}

// Dataset is a data set whose files have not been read yet.
type Dataset struct {
	Info
	dir   string
	files []string // parquet files, in their order
}

// Open reads what a data set says of itself.
func Open(dir string) (*Dataset, error) {
	raw, err := regular.ReadFile(filepath.Join(dir, infoFile), maxInfo)
	if err != nil {
		return nil, &Error{infoFile, "cannot be read; a data set of LeRobot has it", err}
	}
	d := &Dataset{dir: dir}
	if err := json.Unmarshal(raw, &d.Info); err != nil {
		return nil, &Error{infoFile, "is not the description of a data set", err}
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	d.files, err = parquetFiles(dir)
	return d, err
}

func (i *Info) check() error {
	bad := func(format string, args ...any) error { return &Error{infoFile, fmt.Sprintf(format, args...), nil} }
	if !strings.HasPrefix(i.Version, "v2.") && !strings.HasPrefix(i.Version, "v3.") {
		return bad("is of layout %q, want v2.0, v2.1 or v3.0; the scripts of the library convert older ones", i.Version)
	}
	if i.Episodes < 1 || i.Frames < i.Episodes || i.Frames > maxFrames {
		return bad("lists %d episodes and %d frames, want at least one frame for each of at least one episode", i.Episodes, i.Frames)
	}
	for key, f := range i.Features {
		n := 1
		for _, s := range f.Shape {
			if s < 1 || s > maxNumbers || n > maxNumbers*maxNumbers/s {
				return bad("feature %q has the shape %v", key, f.Shape)
			}
			n *= s
		}
	}
	return nil
}

// Keys returns the names of the features of a type, or of all for "".
func (i *Info) Keys(kind string) (keys []string) {
	for key, f := range i.Features {
		if kind == "" || f.Type == kind {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// parquetFiles lists the files of frames: data/<chunk>/<file>.parquet, in their order.
func parquetFiles(dir string) (files []string, err error) {
	err = fs.WalkDir(regular.DirFS(dir), "data", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".parquet") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, &Error{"data", "cannot be listed; the frames of a data set lie there", err}
	}
	if len(files) == 0 {
		return nil, &Error{"data", "holds no parquet file", nil}
	}
	slices.Sort(files)
	return files, nil
}
