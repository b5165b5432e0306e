package queue

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/go-pcd/pcd/internal/jobs"
	"github.com/go-pcd/pcd/internal/quote"
)

// kind is that of our jobs in the tables of River.
const kind = "command"

// name returns that of the queue of a store. Services share jobs when they share the database
// and the store.
func name(s *jobs.Store) string { return "commands_" + s.ID() }

// arguments are those of a job in the database.
type arguments struct {
	Owner   string   `json:"owner" river:"unique"`
	Key     string   `json:"key" river:"unique"`
	Command []string `json:"command"`
	Words   []string `json:"words"` // that are run for it
	Folder  string   `json:"folder"`
	Request string   `json:"request"` // what was asked for, in short; "" before it was noted
}

// Kind implements [river.JobArgs].
func (arguments) Kind() string { return kind }

// Queue runs jobs. It implements [jobs.Service].
type Queue struct {
	config Config
	db     *database
	river  client
	size   sizes
	coming *coming
	end    context.CancelFunc
	cared  sync.WaitGroup
}

// Open opens a queue and begins to run its jobs.
func Open(ctx context.Context, c Config) (*Queue, error) {
	db, err := openDatabase(ctx, c)
	if err != nil {
		return nil, err
	}
	db.queue = name(c.Store)
	q := &Queue{config: c, db: db, coming: newComing()}
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{queue: q})
	rc := &river.Config{
		Workers: workers, Logger: slog.New(slog.DiscardHandler), FetchPollInterval: poll, JobTimeout: -1,
		// River would take over what has run for long; we take over what does not live.
		RescueStuckJobsAfter:        100 * 365 * 24 * time.Hour,
		CompletedJobRetentionPeriod: c.Keep, CancelledJobRetentionPeriod: c.Keep, DiscardedJobRetentionPeriod: c.Keep,
	}
	if c.Running > 0 {
		rc.Queues = map[string]river.QueueConfig{db.queue: {MaxWorkers: c.Running}}
	}
	if q.river, err = db.connect(rc); err != nil {
		db.close()
		return nil, err
	}
	ctx, q.end = context.WithCancel(context.WithoutCancel(ctx))
	q.cared.Go(func() { q.care(ctx) })
	if c.Running > 0 {
		if err := q.river.Start(ctx); err != nil {
			return nil, errors.Join(err, q.Close(ctx))
		}
	}
	return q, nil
}

// Close ends the queue. Commands that run are told to end, and others go on with them.
func (q *Queue) Close(ctx context.Context) error {
	var err error
	if q.config.Running > 0 {
		err = q.river.StopAndCancel(ctx)
	}
	q.end()
	q.cared.Wait()
	q.db.close()
	return err
}

// Submit implements [jobs.Service].
func (q *Queue) Submit(ctx context.Context, owner string, s jobs.Spec) (*jobs.Job, error) {
	words, err := q.check(s)
	if err != nil {
		return nil, err
	}
	if s.Key != "" {
		if j, err := q.holder(ctx, owner, s); err != nil || j != nil {
			return j, err
		}
	}
	enter, err := q.room(ctx, owner)
	if err != nil {
		return nil, err
	}
	defer enter()
	inputs, err := q.inputs(ctx, owner, s.Inputs)
	if err != nil {
		return nil, err
	}
	folder, leave, err := q.create(s.Files, inputs)
	if err != nil {
		return nil, err
	}
	o := &river.InsertOpts{MaxAttempts: mostAttempts, Queue: q.db.queue}
	if s.Key != "" {
		o.UniqueOpts = river.UniqueOpts{ByArgs: true, ByQueue: true}
	}
	added, err := q.insert(ctx, arguments{owner, s.Key, s.Command, words, folder, inShort(s)}, o, enter)
	if err != nil || added.UniqueSkippedAsDuplicate {
		err = errors.Join(err, leave())
	}
	if err != nil {
		return nil, full(err)
	}
	return q.keyed(added.Job, s)
}

// holder returns the job that has the key of a request, nil where there is none. One that has failed, or is cancelled, gives the
// key back: whoever asks again wants another attempt, and not to hear of this one until it is forgotten.
func (q *Queue) holder(ctx context.Context, owner string, s jobs.Spec) (*jobs.Job, error) {
	id, cancelled, err := q.db.keyed(ctx, owner, s.Key)
	if err != nil || id == "" {
		return nil, err
	}
	row, err := q.row(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	j, err := q.job(row)
	if err == nil && (cancelled || j.State.Final() && j.State != jobs.Done) {
		return nil, full(q.db.free(ctx, row.ID))
	}
	return q.keyed(row, s)
}

// keyed returns the job of a row, if it is that of a request: who takes a key twice would take the results of another one for its own.
func (q *Queue) keyed(row *rivertype.JobRow, s jobs.Spec) (*jobs.Job, error) {
	if a := argumentsOf(row); a.Request != "" && a.Request != inShort(s) {
		return nil, &jobs.SpecError{Field: "key", Value: s.Key, Reason: fmt.Sprintf("which job %d of another request has (%s): take another key", row.ID, strings.Join(a.Command, " "))}
	}
	return q.job(row)
}

// inShort returns a word that no other request has: its command, files and inputs decide.
func inShort(s jobs.Spec) string {
	s.Key = ""
	text, err := json.Marshal(s)
	if err != nil {
		return "" // not of texts and bytes
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// inputs returns the folders of jobs that are done by the names that a command has for them.
func (q *Queue) inputs(ctx context.Context, owner string, all []jobs.Input) (map[string]string, error) {
	folders := map[string]string{}
	for _, in := range all {
		row, err := q.row(ctx, owner, in.Job)
		if err != nil {
			return nil, err
		}
		j, err := q.job(row)
		if err != nil {
			return nil, err
		}
		if wrong := unfit(in, j.State); wrong != "" {
			return nil, &jobs.SpecError{Field: "inputs", Value: in.Job, Reason: wrong}
		}
		folders[in.Name] = argumentsOf(row).Folder
	}
	return folders, nil
}

// unfit returns why a job in a state is no such input, "" if it is one. A copy to go on with may be of one that failed or was
// cancelled: a training that met a full disk goes on from its checkpoint.
func unfit(in jobs.Input, s jobs.State) string {
	switch {
	case in.Name == jobs.OutName && !s.Final():
		return "which has not ended"
	case in.Name != jobs.OutName && s != jobs.Done:
		return fmt.Sprintf("which is not done: it is %s; as %q, a copy to go on with, it may have ended in any way", s, jobs.OutName)
	}
	return ""
}

// create makes the folder of a job, where the store has room for it. leave removes it.
func (q *Queue) create(files []jobs.File, inputs map[string]string) (folder string, leave func() error, err error) {
	needs, err := q.config.Store.Needs(files, inputs)
	if err != nil {
		return "", nil, err
	}
	if err := q.size.take(q.config.Store, needs, q.config.Bytes); err != nil {
		return "", nil, err
	}
	if folder, err = q.config.Store.Create(files, inputs); err != nil {
		q.size.add(-needs)
		return "", nil, full(err)
	}
	return folder, func() error {
		q.size.add(-needs)
		return q.config.Store.Folder(folder).Remove()
	}, nil
}

// check returns the words that a job runs, or what is wrong with it.
func (q *Queue) check(s jobs.Spec) ([]string, error) {
	names := map[string]bool{}
	name := func(field, name string) error {
		if names[name] {
			return &jobs.SpecError{Field: field, Value: name, Reason: "twice"}
		}
		names[name] = true
		if field == "inputs" && name == jobs.OutName {
			return nil
		}
		return jobs.CheckName(field, name)
	}
	for _, f := range s.Files {
		if err := name("files", f.Name); err != nil {
			return nil, err
		}
	}
	for _, in := range s.Inputs {
		if err := name("inputs", in.Name); err != nil {
			return nil, err
		}
	}
	if len(s.Key) > 200 {
		return nil, &jobs.SpecError{Field: "key", Value: quote.Text(s.Key), Reason: "want at most 200 bytes"}
	}
	return q.config.Check(s.Command)
}

// Get implements [jobs.Service].
func (q *Queue) Get(ctx context.Context, owner, id string) (*jobs.Job, error) {
	row, err := q.row(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	return q.job(row)
}

// List implements [jobs.Service].
func (q *Queue) List(ctx context.Context, owner, behind string, most int) ([]*jobs.Job, error) {
	p := river.NewJobListParams().Kinds(kind).Queues(q.db.queue).OrderBy(river.JobListOrderByID, river.SortOrderDesc).First(most).
		Where("args ->> 'owner' = @owner", river.NamedArgs{"owner": owner})
	if behind != "" {
		n, err := strconv.ParseInt(behind, 10, 64)
		if err != nil {
			return nil, &jobs.NotFoundError{What: "job", Name: behind}
		}
		p = p.Where("id < @behind", river.NamedArgs{"behind": n})
	}
	list, err := q.river.JobList(ctx, p)
	if err != nil {
		return nil, err
	}
	var all []*jobs.Job
	for _, row := range list.Jobs {
		j, err := q.job(row)
		if err != nil {
			return nil, err
		}
		all = append(all, j)
	}
	return all, nil
}

// Cancel implements [jobs.Service].
func (q *Queue) Cancel(ctx context.Context, owner, id string) (*jobs.Job, error) {
	row, err := q.row(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	if row, err = q.river.JobCancel(ctx, row.ID); err != nil {
		return nil, full(err)
	}
	return q.job(row)
}

// Results implements [jobs.Service].
func (q *Queue) Results(ctx context.Context, owner, id string) (*jobs.Results, error) {
	row, err := q.row(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	return q.config.Store.Folder(argumentsOf(row).Folder).Results()
}

// row returns the row of a job of an owner.
func (q *Queue) row(ctx context.Context, owner, id string) (*rivertype.JobRow, error) {
	missing := &jobs.NotFoundError{What: "job", Name: id}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return nil, missing
	}
	row, err := q.river.JobGet(ctx, n)
	if errors.Is(err, river.ErrNotFound) || err == nil && (row.Queue != q.db.queue || argumentsOf(row).Owner != owner) {
		return nil, missing
	}
	return row, err
}

// states are those of jobs without an outcome, by those of River.
var states = map[rivertype.JobState]jobs.State{
	rivertype.JobStateRunning: jobs.Running, rivertype.JobStateCancelled: jobs.Cancelled, rivertype.JobStateDiscarded: jobs.Failed,
}

// job returns what is known of a job. An outcome goes before what the database says.
func (q *Queue) job(row *rivertype.JobRow) (*jobs.Job, error) {
	a := argumentsOf(row)
	j := &jobs.Job{ID: strconv.FormatInt(row.ID, 10), Command: a.Command, State: jobs.Waiting, Attempts: row.Attempt, Created: row.CreatedAt}
	if s, ok := states[row.State]; ok {
		j.State = s
	}
	if row.FinalizedAt != nil {
		j.Ended = *row.FinalizedAt
	}
	folder := q.config.Store.Folder(a.Folder)
	o, err := folder.Outcome()
	if err != nil {
		return nil, err
	}
	if o != nil {
		j.State, j.ExitCode, j.Message, j.Ended = o.State, o.ExitCode, o.Message, o.Ended
	}
	if j.Started, err = folder.Began(); err != nil {
		return nil, err
	}
	j.Progress, err = folder.Progress()
	return j, err
}
