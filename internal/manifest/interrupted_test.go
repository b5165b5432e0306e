package manifest_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/fault"
	"github.com/go-pcd/pcd/internal/manifest"
)

// These are a folder with the files of a run and of the user, and a run that follows.
var (
	oldFiles = map[string]string{"a": "old", "b": "old", "gone": "old", "deep/gone": "old", "deep/kept": "old"}
	newFiles = map[string]string{"a": "new", "b": "old", "added": "new", "deep/kept": "new", "other/added": "new", "mine": "new"}
	userOwns = map[string]string{"note": "of the user", "mine": "of the user"}
)

// with returns the files of a run beside others.
func with(files, others map[string]string) map[string]string {
	out := maps.Clone(files)
	for name, content := range others {
		if _, taken := out[name]; taken {
			name += ".~1~"
		}
		out[name] = content
	}
	return out
}

// newHistory makes the folder before the second run.
func newHistory(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	must[*manifest.Report](t)(deliver(dir, "draw", oldFiles))
	for name, content := range userOwns {
		write(t, filepath.Join(dir, name), content)
	}
	return dir
}

// interfere calls f while changes of the disk fail from number n on, or only those that
// need room, and says whether there was one.
func interfere(n int, f func(), fails func(fault.Op) error) (happened bool) {
	passed := 0
	fault.Hook = func(op fault.Op, _ string) error {
		passed++
		if passed < n {
			return nil
		}
		err := fails(op)
		happened = happened || err != nil
		return err
	}
	defer func() { fault.Hook = nil }()
	f()
	return happened
}

// killed is a program that ends before a change: none follows.
func killed(fault.Op) error { return errors.New("killed") }

// full is a disk that has no room from then on.
func full(op fault.Op) error {
	if op.NeedsRoom() {
		return syscall.ENOSPC
	}
	return nil
}

// A program that is killed before any of its changes leaves the files of the run before,
// those of the new run, or a folder that says that it is unfinished, which whoever comes
// next finishes.
func TestKillsBetweenChanges(t *testing.T) {
	states := map[string]int{}
	for n := 1; ; n++ {
		dir := newHistory(t)
		if !interfere(n, func() { _, _ = deliver(dir, "draw", newFiles) }, killed) {
			break
		}
		v := verify(t, dir)
		when := fmt.Sprintf("killed before change %d, %s", n, v.Runs[0].Status)
		got := contents(t, dir)
		maps.DeleteFunc(got, func(name, _ string) bool { return strings.HasSuffix(name, "/") })
		isOld, isNew := maps.Equal(got, with(oldFiles, userOwns)), maps.Equal(got, with(newFiles, userOwns))
		switch {
		case v.Verified && isOld:
			states["old"]++
		case v.Verified && isNew:
			states["new"]++
		case !v.Verified && v.Runs[0].Status == manifest.Delivering:
			states["unfinished"]++
			continueAfter(t, dir, when)
		default:
			t.Errorf("%s: verified %v, and the folder holds %q", when, v.Verified, got)
		}
		must[*manifest.Report](t)(deliver(dir, "draw", oldFiles))
		want := with(oldFiles, map[string]string{"note": "of the user", "mine": "of the user"})
		if mine := contents(t, dir)["mine.~1~"]; mine != "" {
			want = with(oldFiles, map[string]string{"note": "of the user", "mine.~1~": "of the user"})
		}
		wantContents(t, dir, when+", and the next run", want)
	}
	if states["old"] < 10 || states["unfinished"] < 10 || states["new"] < 1 {
		t.Errorf("the kills left %v", states)
	}
}

// continueAfter finishes a copy of a folder.
func continueAfter(t *testing.T, from, when string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	if r, err := manifest.Finish(dir); err != nil || !r.Finished {
		t.Errorf("%s: Finish = %+v, %v", when, r, err)
	}
	if v := verify(t, dir); !v.Verified {
		t.Errorf("%s: finished as %+v", when, v)
	}
	wantContents(t, dir, when+", finished", with(newFiles, userOwns))
	if r, err := manifest.Finish(dir); err != nil || r.Finished {
		t.Errorf("%s: Finish again = %+v, %v", when, r, err)
	}
}

// Killed again while it finishes what was left of a kill, a delivery still ends well.
func TestKillsWhileFinishing(t *testing.T) {
	for n := 1; ; n++ {
		dir := newHistory(t)
		if !interfere(n, func() { _, _ = deliver(dir, "draw", newFiles) }, killed) {
			return
		}
		if v := verify(t, dir); v.Runs[0].Status != manifest.Delivering {
			continue
		}
		for again := 1; interfere(again, func() { _, _ = manifest.Finish(dir) }, killed); again++ {
		}
		must[*manifest.Report](t)(deliver(dir, "draw", newFiles)) // which sweeps as well
		wantContents(t, dir, fmt.Sprintf("killed before change %d", n), with(newFiles, userOwns))
	}
}

// A disk that is full from any change on leaves the files of the run before, or takes all
// of the new ones: nothing needs room once files take their places.
func TestFullDisks(t *testing.T) {
	refused := 0
	for n := 1; ; n++ {
		dir := newHistory(t)
		var err error
		happened := interfere(n, func() { _, err = deliver(dir, "draw", newFiles) }, full)
		when := fmt.Sprintf("full from change %d on: %v", n, err)
		if err != nil {
			refused++
			var w *atomicfile.WriteError
			if !errors.As(err, &w) || !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), ".pcd-unfinished") || !strings.Contains(err.Error(), "the disk has ") {
				t.Errorf("%s; want a WriteError with the place of the file and the room that there is", when)
			}
			wantContents(t, dir, when, with(oldFiles, userOwns))
		} else {
			wantContents(t, dir, when, with(newFiles, userOwns))
		}
		if v := verify(t, dir); !v.Verified {
			t.Errorf("%s: %+v", when, v)
		}
		if !happened {
			break
		}
	}
	if refused < 10 {
		t.Errorf("%d deliveries were refused", refused)
	}
}

// A place that is taken after the files were made leaves the old files as well, and one
// that is taken while they move says so.
func TestPlacesThatAreTakenLate(t *testing.T) {
	dir := newHistory(t)
	m := manifest.New(nil, 0, nil)
	m.Verb = "draw"
	f, err := manifest.Open(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Add("late", text("new")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "late"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := f.Deliver(); !errors.Is(err, atomicfile.ErrPlace) {
		t.Errorf("Deliver = %v", err)
	}
	f.Close()
	wantContents(t, dir, "a folder in the place", with(oldFiles, userOwns))

	dir = newHistory(t)
	fault.Hook = func(op fault.Op, path string) error {
		if op == fault.Rename && path == "added" {
			return errors.Join(os.Mkdir(filepath.Join(dir, "added"), 0o755), errors.New("no"))
		}
		return nil
	}
	_, err = deliver(dir, "draw", newFiles)
	fault.Hook = nil
	var u *manifest.UnfinishedError
	if !errors.As(err, &u) {
		t.Fatalf("a move that fails: %v, want an UnfinishedError", err)
	}
	if _, err := deliver(dir, "draw", oldFiles); !errors.As(err, &u) {
		t.Errorf("the next run while something is in the way: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "added")); err != nil {
		t.Fatal(err)
	}
	if r, err := manifest.Finish(dir); err != nil || !r.Finished {
		t.Errorf("Finish = %+v, %v", r, err)
	}
	wantContents(t, dir, "finished", with(newFiles, userOwns))
}

// Where a disk is full no empty folder is left that was made for files: what was there before, or has come since, stays.
func TestFullDisksLeaveNoEmptyFolders(t *testing.T) {
	refused := 0
	for n := 1; ; n++ {
		above := t.TempDir()
		var err error
		happened := interfere(n, func() { _, err = deliver(filepath.Join(above, "new", "run"), "draw", newFiles) }, full)
		left := must[[]os.DirEntry](t)(os.ReadDir(above))
		if err != nil {
			refused++
			if len(left) != 0 {
				t.Errorf("full from change %d on, %v: %v is left", n, err, left)
			}
		}
		if !happened {
			break
		}
	}
	if refused < 5 {
		t.Errorf("%d deliveries were refused", refused)
	}
	for what, others := range map[string]string{"an empty folder": "new/run", "a folder above": "new"} {
		above := t.TempDir()
		if err := os.MkdirAll(filepath.Join(above, others), 0o755); err != nil {
			t.Fatal(err)
		}
		interfere(4, func() { _, _ = deliver(filepath.Join(above, "new", "run"), "draw", newFiles) }, full)
		if _, err := os.Stat(filepath.Join(above, others)); err != nil {
			t.Errorf("%s is removed: %v", what, err)
		}
	}
	above := t.TempDir()
	dir := filepath.Join(above, "run")
	interfere(4, func() { _, _ = deliver(dir, "draw", newFiles) }, func(op fault.Op) error {
		_ = os.WriteFile(filepath.Join(dir, "note"), nil, 0o600)
		return full(op)
	})
	if _, err := os.Stat(filepath.Join(dir, "note")); err != nil {
		t.Errorf("what has come since is removed: %v", err)
	}
}
