package atomicfile

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/go-pcd/pcd/internal/fault"
)

// Abandon removes what is being written and keeps it from getting its name. It
// holds the package for good, so that the test gives the lock back.
func TestAbandonRemovesWhatIsBeingWritten(t *testing.T) {
	dir := t.TempDir()
	inside, abandoned := make(chan bool), make(chan bool)
	done := make(chan error, 1)
	go func() {
		done <- Write(filepath.Join(dir, "f"), func(w io.Writer) error {
			close(inside)
			<-abandoned
			return nil
		})
	}()
	<-inside
	if !Writing() {
		t.Error("Writing() = false within a write")
	}
	Abandon()
	close(abandoned)
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("%v, %v are left, want nothing", files, err)
	}
	select {
	case err := <-done:
		t.Errorf("the abandoned write ended with %v, want it to wait for the end of the program", err)
	default:
	}
	open.Unlock()
	<-done
	if Writing() {
		t.Error("Writing() = true after it")
	}
}

// Where the system has files without a name, a program that is killed leaves none.
func TestUnfinishedFilesHaveNoName(t *testing.T) {
	dir := t.TempDir()
	f, err := unnamed(dir)
	if err != nil {
		t.Logf("not here: %v", err)
		return
	}
	f.Close()
	err = Write(filepath.Join(dir, "f"), func(io.Writer) error {
		if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
			t.Errorf("%v, %v while it is written, want nothing", files, err)
		}
		return nil
	})
	if files, _ := os.ReadDir(dir); err != nil || len(files) != 1 || files[0].Name() != "f" {
		t.Errorf("%v, %v afterwards, want f", files, err)
	}
}

// A file that takes the place of another has a temporary name for a moment: in a folder that
// the next run knows and removes.
func TestReplacedFilesLeaveNothingUnknown(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	must(t, WriteBytes(path, []byte("old")))
	var seen []string
	fault.Hook = func(op fault.Op, at string) error {
		if op != fault.Rename {
			return nil
		}
		files, err := os.ReadDir(dir)
		for _, f := range files {
			if seen = append(seen, f.Name()); f.Name() != "f" && !IsTemp(f.Name()) {
				t.Errorf("%s has a name that nobody knows", f.Name())
			}
		}
		return err
	}
	defer func() { fault.Hook = nil }()
	must(t, WriteBytes(path, []byte("new")))
	if len(seen) != 2 {
		t.Errorf("%v at the rename, want the old file and a folder", seen)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %v afterwards, want f", files, err)
	}
}

// A folder for files that belong together goes with what is unfinished in it.
func TestAbandonRemovesFolders(t *testing.T) {
	dir := t.TempDir()
	staging, err := MkdirTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(staging.Path, "f"), func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if Writing() {
		t.Error("Writing() = true with a folder that can be abandoned")
	}
	Abandon()
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("%v, %v are left, want nothing", files, err)
	}
	open.Unlock()
	staging.Remove()
}

// What gives files their places is not given up half done, nor is what they wait in.
func TestAbandonWaitsForMoves(t *testing.T) {
	dir := t.TempDir()
	staging, err := MkdirTemp(dir)
	if err != nil {
		t.Fatal(err)
	}
	inside, moved := make(chan bool), false
	go func() {
		_ = staging.Move(func() error {
			close(inside)
			runtime.Gosched()
			moved = true
			return nil
		})
	}()
	<-inside
	Abandon()
	if !moved {
		t.Error("abandoned in the middle of moves")
	}
	if _, err := os.Stat(staging.Path); err != nil {
		t.Errorf("the folder is gone with what waits in it: %v", err)
	}
	open.Unlock()
	staging.Remove()
}
