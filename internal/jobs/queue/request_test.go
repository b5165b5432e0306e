package queue

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/jobs"
)

// A key that another request has is refused: its results would be taken for those of this one.
func TestKeyOfAnotherRequest(t *testing.T) {
	q := open(t, t.TempDir())
	spec := jobs.Spec{Command: []string{"count", "1", "1ms"}, Files: []jobs.File{{Name: "scene.yaml", Content: []byte("a")}}, Key: "mine"}
	first, err := q.Submit(t.Context(), "ada", spec)
	if err != nil {
		t.Fatal(err)
	}
	until(t, q, first.ID, final)
	for name, other := range map[string]jobs.Spec{
		"words":  {Command: []string{"count", "2", "1ms"}, Files: spec.Files},
		"file":   {Command: spec.Command, Files: []jobs.File{{Name: "scene.yaml", Content: []byte("b")}}},
		"inputs": {Command: spec.Command, Files: spec.Files, Inputs: []jobs.Input{{Name: "before", Job: first.ID}}},
	} {
		other.Key = spec.Key
		var wrong *jobs.SpecError
		if got, err := q.Submit(t.Context(), "ada", other); !errors.As(err, &wrong) || wrong.Field != "key" || !strings.Contains(err.Error(), "job "+first.ID) {
			t.Errorf("other %s: %v, %v", name, got, err)
		}
	}
	if again, err := q.Submit(t.Context(), "ada", spec); err != nil || again.ID != first.ID {
		t.Errorf("the same request: %v, %v", again, err)
	}
}

// The key of a job that has failed, or is cancelled, is free at once: of those who ask again, also at the same time, one gets
// a new job, and the others the same one.
func TestKeysOfFailedJobs(t *testing.T) {
	q := open(t, t.TempDir())
	again := func(before *jobs.Job, s jobs.Spec) *jobs.Job {
		t.Helper()
		all := make(chan *jobs.Job)
		for range 8 {
			go func() {
				j, err := q.Submit(t.Context(), "ada", s)
				if err != nil {
					t.Error(err)
				}
				all <- j
			}()
		}
		first := <-all
		for range 7 {
			if j := <-all; j == nil || first == nil || j.ID != first.ID {
				t.Fatalf("%v and %v for one key", first, j)
			}
		}
		if before != nil && first.ID == before.ID {
			t.Errorf("the job that ended as %q before", before.State)
		}
		return first
	}
	failed, err := q.Submit(t.Context(), "ada", jobs.Spec{Command: []string{"fail", "no", "room"}, Key: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	if failed = until(t, q, failed.ID, final); failed.State != jobs.Failed {
		t.Fatal(failed.State)
	}
	long := jobs.Spec{Command: []string{"count", "1000", "50ms"}, Key: "mine"}
	running := again(failed, long)
	until(t, q, running.ID, func(j *jobs.Job) bool { return j.State == jobs.Running })
	if j := again(nil, long); j.ID != running.ID {
		t.Errorf("job %s, and %s runs", j.ID, running.ID)
	}
	if _, err := q.Cancel(t.Context(), "ada", running.ID); err != nil {
		t.Fatal(err)
	}
	again(running, long)
}

// A job goes on with what another one has written that was cancelled; only a job that goes on takes it.
func TestGoesOnWithACancelledJob(t *testing.T) {
	q := open(t, t.TempDir())
	long := submit(t, q, "count", "1000", "50ms")
	in := func(name string) jobs.Spec {
		return jobs.Spec{Command: []string{"count", "1", "1ms"}, Inputs: []jobs.Input{{Name: name, Job: long.ID}}}
	}
	until(t, q, long.ID, func(j *jobs.Job) bool { return j.Progress.Done >= 2 })
	var wrong *jobs.SpecError
	if _, err := q.Submit(t.Context(), "ada", in(jobs.OutName)); !errors.As(err, &wrong) {
		t.Errorf("a job that runs is gone on with: %v", err)
	}
	if _, err := q.Cancel(t.Context(), "ada", long.ID); err != nil {
		t.Fatal(err)
	}
	until(t, q, long.ID, final)
	if _, err := q.Submit(t.Context(), "ada", in("before")); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "cancelled") {
		t.Errorf("the results of a cancelled job are taken for those of one that is done: %v", err)
	}
	next, err := q.Submit(t.Context(), "ada", in(jobs.OutName))
	if err != nil {
		t.Fatal(err)
	}
	if got := until(t, q, next.ID, final); got.State != jobs.Done {
		t.Errorf("%+v", got)
	}
	r, err := q.Results(t.Context(), "ada", next.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	piece, err := r.Open("2") // which a job of one piece does not write
	if err != nil {
		t.Fatal(err)
	}
	piece.Close()
}
