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
