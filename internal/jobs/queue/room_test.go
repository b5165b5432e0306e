package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/go-pcd/pcd/internal/jobs"
)

// What is copied for jobs has room in the store, or is refused before it is copied. A job that is there is found by its key all the same.
func TestCopiesHaveRoom(t *testing.T) {
	q := open(t, t.TempDir())
	first := until(t, q, submit(t, q, "count", "1", "1ms").ID, final)
	row, err := q.row(t.Context(), "ada", first.ID)
	if err != nil {
		t.Fatal(err)
	}
	const large = 16 << 20
	if err := os.WriteFile(filepath.Join(q.config.Store.Folder(argumentsOf(row).Folder).Work(), jobs.OutName, "model"), make([]byte, large), 0o600); err != nil {
		t.Fatal(err)
	}
	size, err := q.config.Store.Size()
	if err != nil {
		t.Fatal(err)
	}
	q.config.Bytes = size + large*5/2 // two copies, and what the database and jobs write
	q.size = sizes{}
	again := func(key string) (*jobs.Job, error) {
		return q.Submit(t.Context(), "ada", jobs.Spec{Command: []string{"count", "1", "1ms"}, Key: key, Inputs: []jobs.Input{{Name: jobs.OutName, Job: first.ID}}})
	}
	second, err := again("second")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again("third"); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadDir(filepath.Join(q.config.Store.Dir(), "jobs"))
	if err != nil {
		t.Fatal(err)
	}
	var none *jobs.FullError
	if _, err := again("fourth"); !errors.As(err, &none) || none.Have < none.Max {
		t.Errorf("a copy without room: %v", err)
	}
	if after, err := os.ReadDir(filepath.Join(q.config.Store.Dir(), "jobs")); err != nil || len(after) != len(before) {
		t.Errorf("%d folders, want %d, %v", len(after), len(before), err)
	}
	if j, err := again("second"); err != nil || j.ID != second.ID {
		t.Errorf("the second job again: %v %v, want %s", j, err, second.ID)
	}
	if j := until(t, q, second.ID, final); j.State != jobs.Done {
		t.Errorf("%+v", j)
	}
}

// A key is of a store: another one with the same database has its own.
func TestKeysAreOfTheStore(t *testing.T) {
	q := open(t, t.TempDir())
	spec := jobs.Spec{Command: []string{"count", "1", "1ms"}, Key: "mine"}
	first, err := q.Submit(t.Context(), "ada", spec)
	if err != nil {
		t.Fatal(err)
	}
	q.db.queue = "commands_another"
	second, err := q.Submit(t.Context(), "ada", spec)
	if err != nil || second.ID == first.ID {
		t.Errorf("%v %v, want another job than %s", second, err, first.ID)
	}
}

// A file system without room is told as such, and so is a database.
func TestDiskFull(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE t (x); PRAGMA max_page_count = 3"); err != nil {
		t.Fatal(err)
	}
	_, noPage := db.Exec("INSERT INTO t VALUES (zeroblob(1000000))")
	_, noTable := db.Exec("INSERT INTO u VALUES (1)")
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, true}, {noPage, true}, {noTable, false}, {fs.ErrNotExist, false}, {nil, false},
	} {
		var disk *jobs.DiskFullError
		if got := full(c.err); errors.As(got, &disk) != c.want || !errors.Is(got, c.err) {
			t.Errorf("%v becomes %v, of a full disk: want %v", c.err, got, c.want)
		}
	}
}

// waiting opens a queue that runs nothing and takes so many jobs of an owner.
func waiting(t *testing.T, most int) *Queue {
	t.Helper()
	c, err := config(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c.Waiting, c.Running = most, 0
	q, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close(context.WithoutCancel(t.Context())) })
	return q
}

// burst submits many jobs of an owner at once, and returns how many were refused.
func burst(t *testing.T, q *Queue, owner string, many int) (refused int) {
	t.Helper()
	errs := make(chan error)
	for range many {
		go func() {
			_, err := q.Submit(t.Context(), owner, jobs.Spec{Command: []string{"count", "1", "1ms"}})
			errs <- err
		}()
	}
	for range many {
		err := <-errs
		if errors.As(err, new(*jobs.FullError)) {
			refused++
		} else if err != nil {
			t.Error(err)
		}
	}
	if len(q.coming.all) != 0 {
		t.Errorf("jobs that never come: %v", q.coming.all)
	}
	return refused
}

// An owner has as many jobs as may wait, and no more, also of those that are asked for at once.
func TestRoomForManyAtOnce(t *testing.T) {
	q := waiting(t, 3)
	burst(t, q, "ada", 30)
	if all, err := q.List(t.Context(), "ada", "", 100); err != nil || len(all) != 3 {
		t.Errorf("%d jobs, want 3; %v", len(all), err)
	}
}

// Of as many jobs at once as there is room for none is refused. Every other burst had one that was, so thirty find it.
func TestRoomForAllAtOnce(t *testing.T) {
	q := waiting(t, 8)
	for k := range 30 {
		if refused := burst(t, q, fmt.Sprint("owner ", k), 8); refused != 0 {
			t.Fatalf("%d of 8 jobs refused, which have room", refused)
		}
	}
}

// A job that has ended takes no room, also where the database does not know of its end yet.
func TestEndedJobsTakeNoRoom(t *testing.T) {
	q := waiting(t, 1)
	row, err := q.row(t.Context(), "ada", submit(t, q, "count", "1", "1ms").ID)
	if err != nil {
		t.Fatal(err)
	}
	if refused := burst(t, q, "ada", 1); refused != 1 {
		t.Error("a job too many was taken")
	}
	if err := q.config.Store.Folder(argumentsOf(row).Folder).End(jobs.Outcome{State: jobs.Done}); err != nil {
		t.Fatal(err)
	}
	if refused := burst(t, q, "ada", 2); refused != 1 {
		t.Errorf("%d of 2 jobs refused behind one that has ended, want 1", refused)
	}
}

// Who asks for room while the database does not answer another one may leave.
func TestRoomIsNotWaitedForByThoseWhoLeave(t *testing.T) {
	q := open(t, t.TempDir())
	q.coming.turn <- struct{}{} // another one, who waits for the database
	ctx, leave := context.WithTimeout(t.Context(), time.Millisecond)
	defer leave()
	if _, err := q.Submit(ctx, "ada", jobs.Spec{Command: []string{"count", "1", "1ms"}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want the end of the time", err)
	}
	<-q.coming.turn
	if _, err := q.Submit(t.Context(), "ada", jobs.Spec{Command: []string{"count", "1", "1ms"}}); err != nil {
		t.Error(err)
	}
}
