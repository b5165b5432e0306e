package atomicfile

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
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

// A folder for files that belong together goes with what is unfinished in it.
func TestAbandonRemovesFolders(t *testing.T) {
	dir := t.TempDir()
	staging, remove, err := MkdirTemp(dir, ".unfinished-*")
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(staging, "f"), func(io.Writer) error { return nil }); err != nil {
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
	remove()
}

// What gives files their places is not given up half done.
func TestAbandonWaitsForMoves(t *testing.T) {
	inside, moved := make(chan bool), false
	go func() {
		_ = Move(func() error {
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
	open.Unlock()
}

// What a killed program left goes with the next call; what a living one holds stays.
func TestMkdirTempSweeps(t *testing.T) {
	dir := t.TempDir()
	const pattern = ".unfinished-*"
	for _, name := range []string{".unfinished-1", "finished"} {
		if err := os.MkdirAll(filepath.Join(dir, name, "below"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	held, removeHeld, err := MkdirTemp(dir, pattern)
	if err != nil {
		t.Fatal(err)
	}
	_, remove, err := MkdirTemp(dir, pattern)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(held); err != nil {
		t.Errorf("a folder that is held was swept: %v", err)
	}
	remove()
	removeHeld()
	left, err := os.ReadDir(dir)
	if err != nil || (runtime.GOOS == "linux" && len(left) != 1) || left[len(left)-1].Name() != "finished" {
		t.Errorf("%v, %v are left, want what is not of the pattern", left, err)
	}
}
