package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/go-pcd/pcd/internal/jobs"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/plan"
)

// jobVariable tells the program that a service runs it as a job: it ends when its standard
// input does, tells its progress in lines, and opens the files of its folder only.
const jobVariable = "PCD_JOB"

// inJob reports whether a service runs the program.
func inJob() bool { return os.Getenv(jobVariable) != "" }

// jobProcess returns the process of a job.
func jobProcess(words []string) *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	c := exec.Command(program, words...)
	c.Args[0] = os.Args[0] // as it was called itself
	c.Env = append(os.Environ(), jobVariable+"=1")
	return c
}

// progressMark begins a line of progress among the messages of a job.
const progressMark = "\x1eprogress "

// jobMessages are the messages of a job, with its progress among them.
type jobMessages struct{ io.Writer }

// tell writes a line of progress.
func (m jobMessages) tell(stage string, done, total int) {
	line, err := json.Marshal(jobs.Progress{Stage: stage, Done: done, Total: total})
	if err == nil {
		_, _ = fmt.Fprintf(m, "%s%s\n", progressMark, line) // who does not listen misses it
	}
}

// followJob copies the messages of a job to a log, and tells its progress.
func followJob(from io.Reader, log io.Writer, told func(jobs.Progress)) {
	lines := bufio.NewReaderSize(from, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		var p jobs.Progress
		text, ok := strings.CutPrefix(string(line), progressMark)
		if ok && json.Unmarshal([]byte(text), &p) == nil {
			told(p)
		} else {
			_, _ = log.Write(line) // a full disk must not hold the job up
		}
		if err != nil && err != bufio.ErrBufferFull {
			return
		}
	}
}

// confine keeps a request to the folder of its job: scenes name further files and models.
func confine(r *planner.PlanRequest) {
	if !inJob() {
		return
	}
	if open := r.Files; open != nil {
		r.Files = func(name string, most int64) ([]byte, error) {
			if err := jobs.CheckWord(name); err != nil {
				return nil, err
			}
			return open(name, most)
		}
	}
	r.Models = func(path, name string) (*plan.Model, error) {
		if err := jobs.CheckWord(path); err != nil {
			return nil, err
		}
		if err := jobs.CheckWord(name); err != nil {
			return nil, err
		}
		return planner.NavigationModel(path, name)
	}
}
