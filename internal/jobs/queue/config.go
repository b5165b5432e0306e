package queue

import (
	"io"
	"log/slog"
	"os/exec"
	"time"

	"github.com/go-pcd/pcd/internal/jobs"
)

// Config says what to run and how much of it.
type Config struct {
	Store *jobs.Store
	// Database is the address of a PostgreSQL database; "" is a file of SQLite in the store.
	Database string
	Running  int           // jobs at a time of this server; 0 takes jobs and runs none
	Waiting  int           // jobs of an owner that have not ended
	Bytes    int64         // of the store, beyond which no more jobs are taken
	Keep     time.Duration // how long jobs and their files are kept after their end

	// Check refuses commands that are not those of jobs, and returns the words to run.
	Check func(words []string) ([]string, error)
	// Command returns the process of a command. It ends, keeping what it has done, when its
	// standard input does.
	Command func(words []string) *exec.Cmd
	// Follow copies what a command says to a log, and tells its progress.
	Follow func(from io.Reader, log io.Writer, told func(jobs.Progress))

	Log *slog.Logger
}

// The times of the life of a job.
var (
	beat = 3 * time.Second  // between two signs of it
	lost = 12 * time.Second // after the last one it is taken over; whole seconds
)

// The times of a queue.
const (
	poll     = time.Second      // between two looks for more work
	patience = 20 * time.Second // for a command that is told to end
	sweeping = time.Hour        // between two looks for folders of nobody
)

// mostAttempts bounds how often a job is begun: one that takes every server down with it is
// given up.
const mostAttempts = 20

// mostCrashes bounds how often a command is begun again that is killed from outside, such as
// by a system without memory.
const mostCrashes = 3

// mostLog bounds what is kept of the messages of a command, in bytes.
const mostLog = 1 << 20
