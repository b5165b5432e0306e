package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/jobs"
	"github.com/go-pcd/pcd/internal/jobs/queue"
	"github.com/go-pcd/pcd/internal/settings"
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
	number(f, &o.running, settings.Number{Name: "jobs", Default: 1, High: 1024, Whole: true, Help: "jobs that run at a time; 0 leaves them to other services of the database"})
	number(f, &o.waiting, settings.Number{Name: "jobs-waiting", Default: 256, Low: 1, High: math.Inf(1), Whole: true, Help: "jobs of a client that wait or run"})
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
