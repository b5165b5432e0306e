package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/go-pcd/pcd/internal/jobs"
)

// worker runs jobs.
type worker struct {
	river.WorkerDefaults[arguments]
	queue *Queue
}

// argumentsOf returns the arguments of a row.
func argumentsOf(row *rivertype.JobRow) (a arguments) {
	_ = json.Unmarshal(row.EncodedArgs, &a) // what is not ours belongs to nobody
	return a
}

// Work implements [river.Worker]. A job whose folder is in use comes back later; so does one
// that this server may not go on with.
func (w *worker) Work(ctx context.Context, job *river.Job[arguments]) error {
	q := w.queue
	folder := q.config.Store.Folder(job.Args.Folder)
	lock, free, err := folder.Lock()
	if err != nil {
		return err
	}
	if !free {
		return river.JobSnooze(beat)
	}
	defer lock.Close()
	if o, err := folder.Outcome(); err != nil || o != nil {
		return err
	}
	if job.Attempt >= mostAttempts {
		return folder.End(failed(-1, fmt.Sprintf("given up: it was begun %d times", job.Attempt-1)))
	}
	if err := folder.Begin(); err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go q.live(ctx, end, job.ID, job.Attempt)
	o, err := q.run(ctx, folder, job.Args.Words, lock)
	switch cause := context.Cause(ctx); {
	case o != nil && o.State == jobs.Done:
		return folder.End(*o)
	case errors.Is(cause, errCancelled) || errors.Is(cause, rivertype.ErrJobCancelledRemotely):
		return errors.Join(folder.End(jobs.Outcome{State: jobs.Cancelled, Message: "cancelled", Ended: time.Now()}), river.JobCancel(errCancelled))
	case cause != nil:
		return river.JobSnooze(0) // the server ends, or the job is another's
	case err != nil && job.Attempt < mostCrashes:
		return err
	case err != nil:
		return folder.End(failed(-1, err.Error()))
	}
	return folder.End(*o)
}

// failed is the outcome of a job that has not done what it should.
func failed(code int, message string) jobs.Outcome {
	return jobs.Outcome{State: jobs.Failed, ExitCode: code, Message: message, Ended: time.Now()}
}
