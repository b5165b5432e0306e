//go:build unix

package attack

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/thorough"
)

// A dwelling is a folder whose files a command reads, or finds where it writes.
type dwelling struct {
	folder string
	made   string   // command that makes it; "" for one that is there
	lines  []string // that use it
}

var dwellings = []dwelling{
	{"results", "", []string{"eval nav2d " + base["eval nav2d"] + " -o results", "table nav2d results"}},
	{"planned", "plan empty --samples 2 --robots 2 -o planned", []string{"plan empty --samples 2 --robots 2 -o planned"}},
	{"trained", "train nav2d empty " + reach["train nav2d"] + " -o trained", []string{"train nav2d empty " + reach["train nav2d"] + " -o trained"}},
	{"parts", "", []string{"train images autoencoder " + reach["train images"] + " -o parts"}},
	{"made", "data gen empty --contexts 2 -o made", []string{"data gen empty --contexts 2 -o made"}},
	{"toyed", "toy --pairs 100 -o toyed", []string{"toy --pairs 100 -o toyed"}},
	{"paired", "pair --pairs 1 --sampling-steps 2 -o paired", []string{"pair --pairs 1 --sampling-steps 2 -o paired"}},
	{"images", "", []string{"image generate --model images --sampling-steps 1 -o out", "weights inspect images"}},
	{"drawn", "image generate --model images --sampling-steps 1 -o drawn", []string{"image generate --model images --sampling-steps 1 -o drawn"}},
	{"published", "", []string{"data import published -o imported.npz"}},
	{"layout", "", []string{"plan empty --samples 1 --robots 2 --model layout/data_trained_models/EnvHighways2D-RobotPlanarDisk"}},
	{"replay.zarr", "", []string{"train pusht --steps 1 --batch 2 --diffusion-steps 2 --data replay.zarr -o pusht"}},
}

// TestOddFilesInFolders puts what is no file in the place of each file of the folders that
// commands read and write. Nothing of it is opened, and no command waits for it. A short attack takes every second file.
func TestOddFilesInFolders(t *testing.T) {
	thorough.Test(t)
	dir, _ := oddPlace(t)
	model := filepath.Join(dir, "layout", "data_trained_models", "EnvHighways2D-RobotPlanarDisk")
	err := errors.Join(os.CopyFS(filepath.Join(dir, "layout"), os.DirFS(published)), os.CopyFS(filepath.Join(dir, "replay.zarr"), os.DirFS("../../dataset/testdata/replay.zarr")),
		os.MkdirAll(filepath.Join(model, "checkpoints"), 0o755), os.WriteFile(filepath.Join(model, "limits.json"), []byte(`{"min": [-1, -1, -1, -1], "max": [1, 1, 1, 1]}`), 0o600),
		os.WriteFile(filepath.Join(model, "checkpoints", "ema_model_current_state_dict.pth"), files("../../weights/testdata", "mixed.pth")[0], 0o600))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, d := range dwellings {
		if d.made != "" {
			succeed(t, dir, d.made)
		}
		n += d.haunt(t, dir)
	}
	t.Logf("%d odd files in folders", n)
}

// haunt replaces the files one after the other and returns how many there were.
func (d dwelling) haunt(t *testing.T, dir string) (n int) {
	t.Helper()
	root, whole := filepath.Join(dir, d.folder), filepath.Join(t.TempDir(), "whole")
	if err := os.Rename(root, whole); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.Rename(whole, root); err != nil {
			t.Fatal(err)
		}
	}()
	kinds := slices.Sorted(maps.Keys(oddities))
	for file, name := range everySecond(d.files(t, whole)) {
		chosen := []string{"pipe"}
		if r := Generator(*seed, uint64(n)); !often(r) {
			chosen = []string{pick(r, kinds)}
		}
		if *long > 0 {
			chosen = kinds
		}
		for _, kind := range chosen {
			for _, line := range d.chosen(file) {
				n++
				if err := os.CopyFS(root, os.DirFS(whole)); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(root, name)
				if err := errors.Join(os.Remove(path), oddities[kind](path)); err != nil {
					t.Fatal(err)
				}
				if end := watch(t, dir, path, while, strings.Fields(line)...); end.wrong != "" || end.opened {
					t.Errorf("pcd %s with a %s at %s: opened: %v, %s", line, kind, name, end.opened, end.wrong)
				}
				if err := os.RemoveAll(root); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return n
}

// everySecond returns the files that a short attack takes, and all for an entire one.
func everySecond(names []string) (some []string) {
	for k, name := range names {
		if entire() || k%2 == 0 {
			some = append(some, name)
		}
	}
	return some
}

// chosen returns the command lines that meet a file: those of a short attack take turns.
func (d dwelling) chosen(file int) []string {
	if entire() {
		return d.lines
	}
	k := file % len(d.lines)
	return d.lines[k : k+1]
}

// files lists those of a folder, of many like each other the first two, in a short attack one.
func (d dwelling) files(t *testing.T, root string) (names []string) {
	t.Helper()
	like, most := map[string]int{}, 1
	if entire() {
		most = 2
	}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		kind := filepath.Dir(name) + strings.Trim(filepath.Base(name), "0123456789.")
		if like[kind]++; like[kind] <= most {
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("no files in %s: %v", root, err)
	}
	return names
}
