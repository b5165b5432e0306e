package attack

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-pcd/pcd/internal/memory"
)

var (
	long  = flag.Duration("attack.long", 0, "time for each of the attacks (default: a few hundred cases)")
	share = flag.Float64("attack.share", 0.02, "part of the random cases of attacks without a time, at most 1")
	seed  = flag.Uint64("attack.seed", 1, "seed of the cases")
	keep  = flag.String("attack.keep", "", "folder for the files that were not survived")
)

const (
	addresses = 2 << 20     // KiB of address space
	patience  = time.Minute // nobody waits so long: a command that takes longer hangs
)

// program is the path of the program under attack.
var program string

func TestMain(m *testing.M) {
	if task := os.Getenv(workerVariable); task != "" {
		memory.Obey()
		work(task)
		return
	}
	flag.Parse()
	os.Exit(attack(m))
}

func attack(m *testing.M) int {
	dir, err := os.MkdirTemp("", "pcd-attack-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "pcd")
	// Without C: its allocator reserves 64 MiB of addresses for each thread, and how many
	// threads there are is chance.
	build := exec.Command("go", "build", "-tags", "attack", "-ldflags", "-s -w", "-o", program, "github.com/go-pcd/pcd/cmd/pcd")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// goOn says whether another case follows: short attacks have their share of n of them, long
// ones as many as their time allows.
func goOn(start time.Time, done, n int) bool {
	if *long > 0 {
		return time.Since(start) < *long
	}
	return done < shareOf(n)
}

// entire says whether attacks have all of their cases; else they take turns in some.
func entire() bool { return *long > 0 || *share >= 1 }

// inTurn says whether the k-th of several has the given one of six turns, of which entire attacks take all.
func inTurn(k, turn int) bool { return entire() || k%6 == turn }

// shareOf returns how many of n random cases a short attack has.
func shareOf(n int) int { return int(math.Ceil(*share * float64(n))) }

// capped returns a command with little memory.
func capped(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	script := `ulimit -v ` + strconv.Itoa(addresses) + ` && exec "$0" "$@"`
	c := exec.CommandContext(ctx, "sh", append([]string{"-c", script, name}, args...)...)
	c.Dir = dir
	return c
}

// codes are those of "pcd help", and that of a program that was asked to stop.
var codes = []int{0, 1, 2, 10, 11, 12, 13, 130}

// fatal matches what the language prints when it ends a program, and what our program
// prints of its own mistakes.
var fatal = regexp.MustCompile(`(?m)^(fatal error:|panic:|runtime:|goroutine \d+|SIG[A-Z]+:|pcd: internal error)`)

// control matches what a terminal would obey.
var control = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f]|\u202e")

// verdict says what is wrong with the end of a program, or "".
func verdict(err error, stdout, stderr string) string {
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		return err.Error()
	}
	switch {
	case fatal.MatchString(stderr):
		return fmt.Sprintf("died with exit code %d: %.600s", code, stderr)
	case !slices.Contains(codes, code):
		return fmt.Sprintf("exit code %d: %.600s", code, stderr)
	case control.MatchString(stderr) || control.MatchString(stdout):
		return fmt.Sprintf("control characters in %.300q, %.300q", stderr, stdout)
	case code != 0 && strings.TrimSpace(stderr) == "":
		return fmt.Sprintf("exit code %d without a word", code)
	case len(stderr)+len(stdout) > 1<<20:
		return fmt.Sprintf("%d bytes of messages", len(stderr)+len(stdout))
	}
	return ""
}

// execute runs the program, interrupts it after a while, and returns what is wrong
// with how it ended, and whether it was interrupted.
func execute(t *testing.T, dir string, while time.Duration, args ...string) (wrong string, interrupted bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), while+patience)
	defer cancel()
	var stdout, stderr strings.Builder
	c := capped(ctx, dir, program, args...)
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	// Not SIGINT, which what a shell runs in the background ignores from its birth.
	timer := time.AfterFunc(while, func() { _ = c.Process.Signal(syscall.SIGTERM) })
	err := c.Wait()
	interrupted = !timer.Stop()
	if s, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && interrupted && s.Signaled() && s.Signal() == syscall.SIGTERM {
		return "", true // before main could catch it: a busy machine takes its time to begin
	}
	if ctx.Err() != nil {
		return fmt.Sprintf("hangs: it does not end %v after an interrupt", patience), interrupted
	}
	return verdict(err, stdout.String(), stderr.String()), interrupted
}
