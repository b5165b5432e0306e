package experiment_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/experiment"
)

// TestPack packs results, reads them under both names, goes on from the archive and
// packs again.
func TestPack(t *testing.T) {
	spec, dir := fakeSpec{Letters: "abc", Units: 2}, filepath.Join(t.TempDir(), "results")
	f := newFake("m")
	f.evaluate(t, spec, experiment.Options{Dir: dir})
	want := f.squares(t, dir)
	archive, err := f.Pack(dir)
	if err != nil || archive != dir+".jsonl.gz" {
		t.Fatalf("packed as %s, %v", archive, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	for _, path := range []string{dir, archive} {
		if got := f.squares(t, path); !reflect.DeepEqual(got, want) {
			t.Errorf("%s holds %v, want %v", path, got, want)
		}
	}
	first, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Pack(archive); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(archive); err != nil || !bytes.Equal(first, again) {
		t.Errorf("packed again, the archive differs (%v)", err)
	}

	on := newFake("m")
	spec.Units = 3
	on.evaluate(t, spec, experiment.Options{Dir: archive})
	if !slices.Equal(on.computed, []string{"a2", "b2", "c2"}) {
		t.Errorf("from the archive on, %q are computed", on.computed)
	}
	if now, err := os.ReadFile(archive); err != nil || !bytes.Equal(first, now) {
		t.Errorf("an evaluation has written to the archive (%v)", err)
	}
	want = on.squares(t, dir)
	if _, err := on.Pack(dir); err != nil {
		t.Fatal(err)
	}
	if got := on.squares(t, dir); !reflect.DeepEqual(got, want) || len(got["cell-a"]) != 3 {
		t.Errorf("packed again %v, want %v", got, want)
	}
	if missing, err := on.Missing(dir); err != nil || len(missing) != 0 {
		t.Errorf("missing %q, %v", missing, err)
	}
}

// TestPackLeavesOtherFiles keeps what is no result.
func TestPackLeavesOtherFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	f := newFake("m")
	f.evaluate(t, fakeSpec{Letters: "a", Units: 1}, experiment.Options{Dir: dir})
	note := filepath.Join(dir, "note.txt")
	if err := os.WriteFile(note, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Pack(dir); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v are left, %v, want the note", left, err)
	}
	if _, err := f.Pack(filepath.Join(t.TempDir(), "nothing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing is packed: %v", err)
	}
}
