package recorded

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/internal/torchfile"
	"github.com/go-pcd/pcd/internal/yamlfile"
	"github.com/go-pcd/pcd/tensor"
)

// trajectoryFile is the name of the files that are imported.
const trajectoryFile = "trajs-free.pt"

// Limits on the files of a data set, in bytes.
const (
	maxYAML    = 16 << 10 // real files have about 1 KiB
	maxTensors = 2 << 30
)

// Trajectories are the collision-free recordings of a data set.
type Trajectories struct {
	Batch    tensor.Batch // [n, waypoints, channels]
	Files    []TrajectoryFile
	Metadata TrajectoryMetadata // of the first folder
	Args     GeneratorArgs      // of the first folder
}

// TrajectoryFile is one imported file.
type TrajectoryFile struct {
	Path string // below the folder of the data set
	N    int    // trajectories
}

// TrajectoryMetadata is the content of metadata.yaml.
type TrajectoryMetadata struct {
	EnvID                    string `yaml:"env_id" json:"env_id"`
	RobotID                  string `yaml:"robot_id" json:"robot_id"`
	NumTrajectories          int    `yaml:"num_trajectories" json:"num_trajectories"`
	NumTrajectoriesGenerated int    `yaml:"num_trajectories_generated" json:"num_trajectories_generated,omitempty"`
	NumCollision             int    `yaml:"num_trajectories_generated_coll" json:"num_trajectories_generated_coll,omitempty"`
	NumFree                  int    `yaml:"num_trajectories_generated_free" json:"num_trajectories_generated_free,omitempty"`
}

// GeneratorArgs is the part of args.yaml that describes how trajectories were
// generated. Lengths are in metres.
type GeneratorArgs struct {
	NumTrajectories       int     `yaml:"num_trajectories" json:"num_trajectories"`
	ObstacleCutoffMargin  float64 `yaml:"obstacle_cutoff_margin" json:"obstacle_cutoff_margin"`
	Seed                  int64   `yaml:"seed" json:"seed"`
	ThresholdStartGoalPos float64 `yaml:"threshold_start_goal_pos" json:"threshold_start_goal_pos"`
}

// ImportTrajectories reads a folder of the published multi-robot data sets: every
// trajs-free.pt below dir, one float32 tensor [n, waypoints, channels] each, in
// the order of the folders' numbers, and args.yaml and metadata.yaml of the first
// folder, when they are there. Files that do not agree in shape, empty files and
// NaN are errors.
func ImportTrajectories(dir string) (*Trajectories, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &dataset.FormatError{File: dir, Reason: "is a file, want a folder"}
	}
	return importTrajectories(regular.DirFS(dir), dir)
}

func importTrajectories(fsys fs.FS, name string) (*Trajectories, error) {
	paths, err := findTrajectories(fsys)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, &dataset.FormatError{File: name, Reason: "no " + trajectoryFile + " below this folder"}
	}
	t := &Trajectories{}
	for _, p := range paths {
		if err := t.add(fsys, p); err != nil {
			return nil, err
		}
	}
	first := path.Dir(paths[0])
	if err := readYAML(fsys, path.Join(first, "metadata.yaml"), &t.Metadata); err != nil {
		return nil, err
	}
	if err := readYAML(fsys, path.Join(first, "args.yaml"), &t.Args); err != nil {
		return nil, err
	}
	return t, nil
}

// findTrajectories lists the files in the order of the folders' numbers.
func findTrajectories(fsys fs.FS) ([]string, error) {
	var paths []string
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() == trajectoryFile {
			paths = append(paths, p)
		}
		return err
	})
	slices.SortFunc(paths, compareNumbered)
	return paths, err
}

// compareNumbered orders paths folder by folder, numbers by their value.
func compareNumbered(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), func(x, y string) int {
		m, err1 := strconv.Atoi(x)
		n, err2 := strconv.Atoi(y)
		if err1 == nil && err2 == nil {
			return cmp.Compare(m, n)
		}
		return cmp.Compare(x, y)
	})
}

// add appends the trajectories of one file.
func (t *Trajectories) add(fsys fs.FS, p string) error {
	b, err := readTensor(fsys, p)
	if err != nil {
		return err
	}
	if len(t.Files) == 0 {
		t.Batch.Shape = b.Shape
	}
	if !b.Shape.Equal(t.Batch.Shape) {
		return &dataset.FormatError{File: p, Reason: fmt.Sprintf("has shape %v, want %v, the shape of the files before", b.Shape, t.Batch.Shape)}
	}
	if err := b.CheckFinite(); err != nil {
		return &dataset.FormatError{File: p, Err: err}
	}
	t.Batch.N += b.N
	t.Batch.Data = append(t.Batch.Data, b.Data...)
	t.Files = append(t.Files, TrajectoryFile{Path: p, N: b.N})
	return nil
}

// readTensor reads a PyTorch file that holds one float tensor of three axes.
func readTensor(fsys fs.FS, p string) (tensor.Batch, error) {
	data, err := readFile(fsys, p, maxTensors)
	if err != nil {
		return tensor.Batch{}, err
	}
	f, err := torchfile.Parse(data, torchfile.Options{})
	if err != nil {
		return tensor.Batch{}, &dataset.FormatError{File: p, Err: err}
	}
	if len(f.Tensors) != 1 || f.Tensors[0].Name != "" {
		return tensor.Batch{}, &dataset.FormatError{File: p, Reason: fmt.Sprintf("%d named tensors, want one tensor alone", len(f.Tensors))}
	}
	x := f.Tensors[0]
	if !dtype.Float(x.Storage.DType) {
		return tensor.Batch{}, &dataset.FormatError{File: p, Reason: fmt.Sprintf("holds %v, want a float type", x.Storage.DType)}
	}
	if len(x.Shape) != 3 || slices.Contains(x.Shape, 0) {
		return tensor.Batch{}, &dataset.FormatError{File: p, Reason: fmt.Sprintf("has shape %v, want trajectories, waypoints and channels, none of them 0", x.Shape)}
	}
	stored, err := x.Storage.Bytes()
	if err != nil {
		return tensor.Batch{}, &dataset.FormatError{File: p, Err: err}
	}
	b := tensor.New(x.Shape[0], x.Shape[1], x.Shape[2])
	size := x.Storage.DType.Size()
	raw := make([]byte, len(b.Data)*size)
	dtype.Gather(raw, stored, size, x.Shape, x.Stride, x.Offset)
	dtype.Float32s(x.Storage.DType, b.Data, raw)
	return b, nil
}

// readYAML reads a file into v, which stays as it is when there is no such file, or
// nothing in it. Keys that v does not have are passed over.
func readYAML(fsys fs.FS, p string, v any) error {
	f, err := fsys.Open(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	err = yamlfile.Decode(f, v, yamlfile.Options{MaxBytes: maxYAML})
	if err != nil && !errors.Is(err, yamlfile.ErrEmpty) {
		return &dataset.FormatError{File: p, Reason: "not the expected YAML", Err: err}
	}
	return nil
}

// readFile reads a file that is not longer than limit.
func readFile(fsys fs.FS, p string, limit int64) ([]byte, error) {
	data, err := regular.ReadFS(fsys, p, limit)
	if size := new(regular.SizeError); errors.As(err, &size) {
		return nil, &dataset.FormatError{File: p, Err: size}
	}
	return data, err
}
