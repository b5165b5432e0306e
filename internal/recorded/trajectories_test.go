package recorded_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/recorded"
)

const layout = "testdata/golden/layout/"

func TestImportTrajectories(t *testing.T) {
	got, err := recorded.ImportTrajectories(layout + "data_trajectories/EnvHighways2D-RobotPlanarDisk")
	if err != nil {
		t.Fatal(err)
	}
	g := golden.Open(t, layout+"expected.npz")
	want := slices.Concat(g.Float32("trajs_dir0"), g.Float32("trajs_dir1"))
	if got.Batch.N != 5 || !slices.Equal(got.Batch.Shape, []int{64, 4}) || !slices.Equal(got.Batch.Data, want) {
		t.Errorf("batch of %d × %v differs from the reference", got.Batch.N, got.Batch.Shape)
	}
	rest := recorded.Trajectories{
		Batch:    got.Batch,
		Files:    []recorded.TrajectoryFile{{Path: "0/trajs-free.pt", N: 3}, {Path: "1/trajs-free.pt", N: 2}},
		Metadata: recorded.TrajectoryMetadata{EnvID: "EnvHighways2D", RobotID: "RobotPlanarDisk", NumTrajectories: 3, NumFree: 3},
		Args:     recorded.GeneratorArgs{NumTrajectories: 3, ObstacleCutoffMargin: 0.02, ThresholdStartGoalPos: 1},
	}
	if !reflect.DeepEqual(*got, rest) {
		t.Errorf("Trajectories = %+v, want %+v", *got, rest)
	}

	l, err := dataset.FitLimits(got.Batch)
	if err != nil || !slices.Equal(l.Min, g.Float32("mins")) || !slices.Equal(l.Max, g.Float32("maxs")) {
		t.Errorf("limits %v, %v; want %v, %v", l, err, g.Float32("mins"), g.Float32("maxs"))
	}
	x := got.Batch.Clone()
	l.Normalize(x, x)
	n, err := dataset.FitLimits(x)
	if err != nil || !slices.Equal(n.Min, g.Float32("traj_normalized_min")) || !slices.Equal(n.Max, g.Float32("traj_normalized_max")) {
		t.Errorf("normalized limits %v, %v", n, err)
	}
}

func TestReadModelArgs(t *testing.T) {
	got, checkpoint, err := recorded.ReadModelArgs(layout + "data_trained_models/EnvHighways2D-RobotPlanarDisk")
	want := recorded.ModelArgs{
		DatasetSubdir: "EnvHighways2D-RobotPlanarDisk", UNetDimMultsOption: new(int), DiffusionModelClass: "GaussianDiffusionModel", IncludeVelocity: true,
		NDiffusionSteps: 25, PredictEpsilon: true, UNetInputDim: 32, UseEMA: true, VarianceSchedule: "exponential",
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("ReadModelArgs = %+v, %v, want %+v", got, err, want)
	}
	if !strings.HasSuffix(filepath.ToSlash(checkpoint), "EnvHighways2D-RobotPlanarDisk/checkpoints/ema_model_current_state_dict.pth") {
		t.Errorf("checkpoint = %s", checkpoint)
	}
	if _, _, err := recorded.ReadModelArgs(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder without args.yaml: %v", err)
	}
}

// copyTo puts a file of the reference layout into a folder of its own.
func copyTo(t *testing.T, dir, name, from string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, name, b)
}

func write(t *testing.T, dir, name string, b []byte) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestImportOrdersFoldersByNumber(t *testing.T) {
	dir := t.TempDir()
	three := layout + "data_trajectories/EnvHighways2D-RobotPlanarDisk/0/trajs-free.pt"
	two := layout + "data_trajectories/EnvHighways2D-RobotPlanarDisk/1/trajs-free.pt"
	copyTo(t, dir, "10/trajs-free.pt", two)
	copyTo(t, dir, "9/trajs-free.pt", three)
	copyTo(t, dir, "9/notes/trajs-free.pt", two)
	got, err := recorded.ImportTrajectories(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []recorded.TrajectoryFile{{Path: "9/notes/trajs-free.pt", N: 2}, {Path: "9/trajs-free.pt", N: 3}, {Path: "10/trajs-free.pt", N: 2}}
	if !slices.Equal(got.Files, want) || got.Metadata != (recorded.TrajectoryMetadata{}) {
		t.Errorf("files %+v with metadata %+v, want %+v without", got.Files, got.Metadata, want)
	}
}

func TestImportRefuses(t *testing.T) {
	three := layout + "data_trajectories/EnvHighways2D-RobotPlanarDisk/0/trajs-free.pt"
	for _, c := range []struct {
		what, reason string
		fill         func(dir string)
	}{
		{"no files", "no trajs-free.pt", func(string) {}},
		{"a state dict", "named tensors", func(dir string) { copyTo(t, dir, "0/trajs-free.pt", "testdata/state_dict.pth") }},
		{"no archive", "zip directory", func(dir string) { write(t, dir, "0/trajs-free.pt", []byte("hello")) }},
		{"bad YAML", "metadata.yaml", func(dir string) {
			copyTo(t, dir, "0/trajs-free.pt", three)
			write(t, dir, "0/metadata.yaml", []byte("num_trajectories: [1"))
		}},
		{"YAML of another type", "metadata.yaml", func(dir string) {
			copyTo(t, dir, "0/trajs-free.pt", three)
			write(t, dir, "0/metadata.yaml", []byte("num_trajectories: many"))
		}},
		{"YAML that unfolds", "line 1, column 7: anchors", func(dir string) {
			copyTo(t, dir, "0/trajs-free.pt", three)
			write(t, dir, "0/metadata.yaml", []byte("lots: &a [1, 2]\nmore: [*a, *a]\n"))
		}},
		{"long YAML", "larger than 16 KiB", func(dir string) {
			copyTo(t, dir, "0/trajs-free.pt", three)
			write(t, dir, "0/args.yaml", make([]byte, 2<<20))
		}},
	} {
		dir := t.TempDir()
		c.fill(dir)
		if _, err := recorded.ImportTrajectories(dir); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, want %q", c.what, err, c.reason)
		}
	}
	if _, err := recorded.ImportTrajectories("testdata/absent"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent folder: %v", err)
	}
}

// What is not a folder is named in the message.
func TestImportNamesTheFolder(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "nowhere")
	if _, err := recorded.ImportTrajectories(missing); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("missing folder: %v", err)
	}
	var format *dataset.FormatError
	if _, err := recorded.ImportTrajectories("trajectories_test.go"); !errors.As(err, &format) || !strings.Contains(err.Error(), "trajectories_test.go: is a file") {
		t.Errorf("a file: %v", err)
	}
}
