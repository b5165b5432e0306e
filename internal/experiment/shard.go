package experiment

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Shard is the part of an evaluation that one process computes: every Count-th
// cell from number Index on. The zero value is the whole.
type Shard struct {
	Index int `json:"index"` // from 0
	Count int `json:"count"` // 0 is 1
}

// String returns the shard as "i/n".
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, max(s.Count, 1)) }

// largestShards bounds the number of shards.
const largestShards = 1 << 20

// check returns an error for a shard that is none.
func (s Shard) check() error {
	if s.Count < 0 || s.Count > largestShards || s.Index < 0 || s.Index >= max(s.Count, 1) {
		return &SpecError{fmt.Errorf("shard %d of %d, want 0 to %d", s.Index, s.Count, max(s.Count, 1)-1)}
	}
	return nil
}

// of returns the numbers of the cells of the shard.
func (s Shard) of(cells int) (out []int) {
	for i := s.Index; i < cells; i += max(s.Count, 1) {
		out = append(out, i)
	}
	return out
}

// has says whether a cell is of the shard.
func (s Shard) has(number int) bool { return number%max(s.Count, 1) == s.Index }

// ParseShard reads "i/n" with i from 0, or "auto", which asks the scheduler that
// started the process.
func ParseShard(s string) (Shard, error) {
	if s == "auto" {
		return ShardFromScheduler(os.Getenv)
	}
	i, n, ok := strings.Cut(s, "/")
	index, errI := strconv.Atoi(i)
	count, errN := strconv.Atoi(n)
	if !ok || errI != nil || errN != nil || count < 1 || count > largestShards || index < 0 || index >= count {
		return Shard{}, &SpecError{fmt.Errorf("--shard is %q, want i/n with i from 0 to n-1, or auto", s)}
	}
	return Shard{Index: index, Count: count}, nil
}

// ShardCountVariable names the environment variable that says how many shards
// there are, to schedulers that do not say it themselves.
const ShardCountVariable = "PCD_SHARDS"

// ShardFromScheduler returns the shard of a task of a Slurm job array, or of a pod
// of a Kubernetes Indexed Job.
//
// Slurm tells a task its number, and how many tasks the array has, of which the
// first has the lowest number: an array may begin anywhere, with any step.
// Kubernetes tells a pod its number from 0 on, but not how many there are: set
// PCD_SHARDS to the job's completions. Where PCD_SHARDS is set under Slurm, it wins,
// and the task's number is taken as it is, so that an array of one lost task has
// the cells of that task.
func ShardFromScheduler(getenv func(string) string) (Shard, error) {
	env := environment{getenv: getenv}
	var s Shard
	switch {
	case getenv("SLURM_ARRAY_TASK_ID") != "":
		s.Index = env.number("SLURM_ARRAY_TASK_ID", "")
		if getenv(ShardCountVariable) != "" {
			s.Count = env.number(ShardCountVariable, "")
			break
		}
		s.Count = env.number("SLURM_ARRAY_TASK_COUNT", "")
		step := env.number("SLURM_ARRAY_TASK_STEP", "1")
		s.Index = (s.Index - env.number("SLURM_ARRAY_TASK_MIN", "0")) / max(step, 1)
	case getenv("JOB_COMPLETION_INDEX") != "":
		s.Index, s.Count = env.number("JOB_COMPLETION_INDEX", ""), env.number(ShardCountVariable, "")
	default:
		return s, &SpecError{fmt.Errorf("--shard auto finds neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX in the environment: start it in a job array, or say i/n")}
	}
	if env.err != nil {
		return s, env.err
	}
	if s.Count < 1 {
		return s, &SpecError{fmt.Errorf("--shard auto: %d shards, want at least 1", s.Count)}
	}
	return s, s.check()
}

// environment reads numbers; its first error stays.
type environment struct {
	getenv func(string) string
	err    error
}

// number returns the value of a variable that is not negative; unset stands for one
// that is not set.
func (e *environment) number(name, unset string) int {
	text := e.getenv(name)
	if text == "" {
		text = unset
	}
	v, err := strconv.Atoi(text)
	if (err != nil || v < 0) && e.err == nil {
		e.err = &SpecError{fmt.Errorf("--shard auto: %s is %q, want a number from 0 on", name, text)}
	}
	return v
}
