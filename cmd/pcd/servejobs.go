package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/jobs"
	"github.com/go-pcd/pcd/internal/jobs/queue"
)

// jobOptions are the flags of the jobs of "pcd serve".
type jobOptions struct {
	store    string
	database string
	running  int
	waiting  int
	size     byteSize
	keep     time.Duration
}

// databaseVariable is where the address of a database may be, which has a password.
const databaseVariable = "PCD_DATABASE"

func (o *jobOptions) addTo(f *pflag.FlagSet) {
	o.size = 20 << 30
	f.StringVar(&o.store, "store", "", "folder of jobs and their files (default: no jobs)")
	f.StringVar(&o.database, "database", "", "address of a PostgreSQL database for the queue of jobs, as postgres://…; it may be in "+databaseVariable+" instead (default: a file of SQLite in the store)")
	f.IntVar(&o.running, "jobs", 1, "jobs that run at a time; 0 leaves them to other services of the database")
	f.IntVar(&o.waiting, "jobs-waiting", 256, "jobs of a client that wait or run")
	f.Var(&o.size, "store-size", "size of the store beyond which no more jobs are taken")
	f.DurationVar(&o.keep, "keep", 7*24*time.Hour, "time after which jobs that have ended, and their files, are removed")
}

// open opens the queue of jobs, nil where there is no store.
func (o *jobOptions) open(ctx context.Context, log *slog.Logger) (*queue.Queue, error) {
	if err := o.check(); err != nil || o.store == "" {
		return nil, err
	}
	if o.database == "" {
		o.database = os.Getenv(databaseVariable)
	}
	store, err := jobs.OpenStore(o.store)
	if err != nil {
		return nil, err
	}
	return queue.Open(ctx, queue.Config{
		Store: store, Database: o.database, Running: o.running, Waiting: o.waiting, Bytes: int64(o.size), Keep: o.keep,
		Check: checkJob, Command: jobProcess, Follow: followJob, Log: log,
	})
}

// check refuses values that make no sense.
func (o *jobOptions) check() error {
	switch {
	case o.database != "" && !strings.HasPrefix(o.database, "postgres://") && !strings.HasPrefix(o.database, "postgresql://"):
		return usageError{errors.New("--database: want the address of a PostgreSQL database, as postgres://USER:PASSWORD@HOST/NAME")}
	case o.store == "" && o.database != "":
		return usageError{errors.New("--database is for jobs, whose files need a folder: give --store too, one for all services")}
	case o.running < 0 || o.running > 1024:
		return usageError{fmt.Errorf("--jobs is %d, want 0 to 1024", o.running)}
	case o.waiting < 1:
		return usageError{fmt.Errorf("--jobs-waiting is %d, want at least 1", o.waiting)}
	case o.keep < time.Hour:
		return usageError{fmt.Errorf("--keep is %v, want at least 1h", o.keep)}
	}
	return nil
}

// patienceOfJobs is how long commands may take to end with their service.
const patienceOfJobs = 30 * time.Second

// close ends the queue; commands that run keep what they have done.
func (o *jobOptions) close(q *queue.Queue) error {
	if q == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patienceOfJobs)
	defer cancel()
	return q.Close(ctx)
}
