package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/go-pcd/pcd/internal/jobs"
)

// interrupted is the exit code of a command that was told to end before it was done.
const interrupted = 130

// run runs a command in the folder of its job and returns how it ended. A command that was
// killed, or told to end by somebody else, has no outcome but an error.
func (q *Queue) run(ctx context.Context, folder *jobs.Folder, words []string, lock *os.File) (*jobs.Outcome, error) {
	printed, log, err := folder.Print()
	if err != nil {
		return nil, err
	}
	defer func() { _ = errors.Join(printed.Close(), log.Close()) }()
	c := q.config.Command(words)
	c.Dir, c.Stdout = folder.Work(), printed
	jobs.Hand(c, lock)
	stdin, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	said, err := c.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := startNicely(c); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() {
		_ = stdin.Close() // tells it to end
		time.AfterFunc(patience, func() { _ = c.Process.Kill() })
	})
	defer stop()
	kept := &keptLog{file: log}
	pace := &paced{folder: folder}
	q.config.Follow(said, kept, pace.tell)
	err = c.Wait()
	pace.last()
	return outcomeOf(err, kept.lastLine())
}

// outcomeOf returns how a command ended that says something last.
func outcomeOf(err error, last string) (*jobs.Outcome, error) {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return &jobs.Outcome{State: jobs.Done, Ended: time.Now()}, nil
	case !errors.As(err, &exit):
		return nil, err
	case exit.ExitCode() < 0 || exit.ExitCode() == interrupted:
		return nil, fmt.Errorf("jobs: the command was ended from outside: %w", err)
	}
	o := failed(exit.ExitCode(), strings.TrimPrefix(last, "pcd: "))
	return &o, nil
}

// keptLog writes to a file until that is long, and remembers the end.
type keptLog struct {
	file *os.File
	end  []byte
}

// endBytes is how much of the end is remembered.
const endBytes = 4 << 10

func (k *keptLog) Write(p []byte) (int, error) {
	k.end = append(k.end, p[max(len(p)-endBytes, 0):]...)
	k.end = k.end[max(len(k.end)-endBytes, 0):]
	if at, err := k.file.Seek(0, io.SeekEnd); err != nil || at > mostLog {
		return len(p), err
	}
	return k.file.Write(p)
}

// lastLine returns the last line that is not empty.
func (k *keptLog) lastLine() string {
	lines := bytes.Split(bytes.TrimSpace(k.end), []byte("\n"))
	return string(lines[len(lines)-1])
}

// paced writes progress to the folder of a job, now and then.
type paced struct {
	folder  *jobs.Folder
	at      time.Time
	pending *jobs.Progress
}

func (p *paced) tell(now jobs.Progress) {
	p.pending = &now
	if time.Since(p.at) > 500*time.Millisecond {
		p.last()
	}
}

// last writes what has not been written.
func (p *paced) last() {
	if p.pending != nil {
		_ = p.folder.Tell(*p.pending) // the job goes on without
		p.at, p.pending = time.Now(), nil
	}
}
