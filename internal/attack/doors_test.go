package attack

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/env/pusht"
	nav2dexp "github.com/go-pcd/pcd/internal/experiment/nav2d"
	"github.com/go-pcd/pcd/internal/push"
	"github.com/go-pcd/pcd/internal/recorded"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/weights"
)

// door is a way for a file into the program.
type door struct {
	cases  int             // of a short attack
	corpus func() [][]byte // well-formed files
	mutate Mutator
	open   func(dir string, file []byte) error
}

var doors = map[string]door{
	"scene":       {400, once(scenes), YAML, openScene},
	"model":       {200, once(tinyModels), Safetensors, opened("m.safetensors", openModels)},
	"weights":     {200, once(func() [][]byte { return files("../../weights/testdata", ".safetensors") }), Safetensors, opened("w.safetensors", inspect)},
	"state-dict":  {200, once(func() [][]byte { return files("../../weights/testdata", "mixed.pth", "module.pth") }), Zip, opened("w.pth", inspect)},
	"arguments":   {100, once(func() [][]byte { return files(published, "args.yaml") }), YAML, inPublished("args.yaml", openArguments)},
	"metadata":    {100, once(func() [][]byte { return files(published, "metadata.yaml") }), YAML, inPublished("metadata.yaml", openImport)},
	"import":      {100, once(func() [][]byte { return files(published, "trajs-free.pt") }), Zip, inPublished("trajs-free.pt", openImport)},
	"npy":         {300, once(npys), NPY, openNPY},
	"npz":         {200, once(npzs), Zip, opened("a.npz", openArrays)},
	"zarr":        {200, once(zarrArchive), Zip, opened("a.zip", openArchive)},
	"legacy":      {200, once(func() [][]byte { return files("../../weights/testdata", "legacy.pth") }), Bytes, opened("w.pth", inspect)},
	"settings":    {200, once(networkSettings), JSON, openSettings},
	"index":       {200, once(shardIndex), JSON, openShards},
	"vocabulary":  {60, once(vocabularies), JSON, openVocabulary},
	"any-weights": {100, once(tinyModels), Bytes, opened("m.safetensors", inspect)},
}

// TestReaders sends changed files through every reader.
func TestReaders(t *testing.T) {
	for _, name := range slices.Sorted(keys(doors)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if len(doors[name].corpus()) == 0 {
				t.Fatal("no files to begin with")
			}
			t.Logf("%v", besiege(t, name, doors[name].cases))
		})
	}
}

// A door that always refuses, or never does, is no test.
func TestDoorsOpenForWellFormedFiles(t *testing.T) {
	for name, d := range doors {
		for i, file := range d.corpus() {
			if err := d.open(t.TempDir(), file); err != nil {
				t.Errorf("%s: file %d: %v", name, i, err)
			}
		}
	}
}

func keys(m map[string]door) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func once(f func() [][]byte) func() [][]byte { return sync.OnceValue(f) }

// files returns those below a folder whose names end in one of the endings.
func files(dir string, endings ...string) [][]byte {
	var out [][]byte
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(path, e) }) {
			return err
		}
		b, err := os.ReadFile(path)
		out = append(out, b)
		return err
	})
	if err != nil {
		panic(err)
	}
	return out
}

// opened writes a file before it is opened by its path.
func opened(name string, open func(path string) error) func(string, []byte) error {
	return func(dir string, file []byte) error {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, file, 0o644); err != nil {
			return err
		}
		return open(path)
	}
}

// scenes are those that need no other file.
func scenes() [][]byte {
	return slices.DeleteFunc(files("../../examples", ".yaml"), func(b []byte) bool { return bytes.Contains(b, []byte("\nmap:")) || bytes.Contains(b, []byte("image:")) })
}

func openScene(_ string, file []byte) error {
	s, err := nav2d.ReadScene(bytes.NewReader(file))
	if err != nil {
		return err
	}
	task, err := s.Task()
	if err != nil {
		return err
	}
	return task.CheckReach(nav2d.Waypoints, task.Step)
}

// tinyModels are models of both experiments that are small enough to be changed often.
func tinyModels() [][]byte {
	paths := plan.Spec{
		Network: plan.Network{Horizon: 8, Width: 8, DimMults: []int{1, 2}}, Schedule: plan.PublishedSchedule,
		Limits: dataset.Limits{Min: []float32{-1, -1, -1, -1}, Max: []float32{1, 1, 1, 1}},
	}
	unit := func(n int) dataset.Linear {
		one, zero := slices.Repeat([]float32{1}, n), make([]float32, n)
		return dataset.Linear{Scale: one, Offset: zero, Min: zero, Max: one, Mean: zero, Std: one}
	}
	actions := push.Spec{
		Network: push.Network{Widths: []int{8, 16}, Kernel: 5, Groups: 4, Time: 8}, Steps: push.PublishedSteps,
		Observation: unit(pusht.ObservationSize), Action: unit(2),
	}
	return [][]byte{
		saved(func(path string) error {
			net, err := paths.NewNetwork(1)
			if err != nil {
				return err
			}
			return paths.Save(path, net.Params())
		}),
		saved(func(path string) error {
			m, err := actions.Build(1)
			if err != nil {
				return err
			}
			return m.Save(path, m.Net.Params())
		}),
	}
}

// saved returns what save writes.
func saved(save func(path string) error) []byte {
	dir, err := os.MkdirTemp("", "pcd-corpus-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "f.safetensors")
	if err := save(path); err != nil {
		panic(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return b
}

func openModels(path string) error {
	_, plans := plan.OpenModel(path)
	_, pushes := push.OpenModel(path)
	if plans == nil || pushes == nil {
		return nil
	}
	return errors.Join(plans, pushes)
}

func inspect(path string) error {
	_, err := modelfile.Inspect(path, weights.Options{SkipObjects: true})
	return err
}

// published is a folder in the layout of the published archives.
const published = "../../internal/recorded/testdata/golden/layout"

// inPublished puts a file in the place of those of its name in the published layout.
func inPublished(name string, open func(dir string) error) func(string, []byte) error {
	return func(dir string, file []byte) error {
		root := filepath.Join(dir, "published")
		if err := os.RemoveAll(root); err != nil {
			return err
		}
		if err := os.CopyFS(root, os.DirFS(published)); err != nil {
			return err
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.Name() != name {
				return err
			}
			return os.WriteFile(path, file, 0o644)
		})
		if err != nil {
			return err
		}
		return open(root)
	}
}

func openArguments(root string) error {
	folders, err := filepath.Glob(filepath.Join(root, "*", "*", "args.yaml"))
	if err != nil || len(folders) == 0 {
		return errors.Join(err, errors.New("no args.yaml"))
	}
	_, _, err = recorded.ReadModelArgs(filepath.Dir(folders[0]))
	return err
}

func openImport(root string) error {
	_, err := recorded.ImportTrajectories(filepath.Join(root, "data_trajectories"))
	return err
}

// npys are arrays of all types in one file each.
func npys() [][]byte {
	var out [][]byte
	for _, a := range arrays() {
		var b bytes.Buffer
		if err := dataset.WriteNPY(&b, a); err != nil {
			panic(err)
		}
		out = append(out, b.Bytes())
	}
	return out
}

func arrays() []dataset.Array {
	return []dataset.Array{
		{Name: "data/action", Shape: []int{6, 2}, Data: make([]float32, 12)}, {Name: "data/keypoint", Shape: []int{6, 9, 2}, Data: make([]float64, 108)},
		{Name: "data/state", Shape: []int{6, 5}, Data: make([]float32, 30)}, {Name: "meta/episode_ends", Shape: []int{2}, Data: []int64{3, 6}},
	}
}

func openNPY(_ string, file []byte) error {
	_, err := dataset.ReadNPY(bytes.NewReader(file), dataset.ReadOptions{})
	return err
}

// npzs are demonstrations of both experiments.
func npzs() [][]byte {
	demonstrations := saved(func(path string) error { return dataset.WriteNPZ(path, arrays()...) })
	trajectories := saved(func(path string) error {
		return dataset.WriteNPZ(path, dataset.Array{Name: "trajectories", Shape: []int{2, 64, 4}, Data: make([]float32, 512)})
	})
	return [][]byte{demonstrations, trajectories}
}

func openArrays(path string) error {
	_, err1 := nav2dexp.LoadTrajectories(path)
	_, err2 := pusht.ReadDemonstrations(path)
	if err1 == nil || err2 == nil {
		return nil
	}
	return errors.Join(err1, err2)
}

func zarrArchive() [][]byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if err := errors.Join(z.AddFS(os.DirFS("../../dataset/testdata/replay.zarr")), z.Close()); err != nil {
		panic(err)
	}
	return [][]byte{b.Bytes()}
}

func openArchive(path string) error {
	_, err := dataset.OpenReplayArchive(path, dataset.ReplayOptions{})
	return err
}
