package attack

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"
)

// workerVariable holds the task of a process that reads files: the name of the door,
// the seed, the first case and the number of cases.
const workerVariable = "PCD_ATTACK_WORKER"

// work reads the files of a task in this process, which has little memory. It says
// before each case which one begins, so that its parent knows what it died of.
func work(task string) {
	part := strings.Split(task, " ")
	d := doors[part[0]]
	first, n := number(part[2]), number(part[3])
	dir, err := os.MkdirTemp("", "pcd-door-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for i := first; i < first+n; i++ {
		fmt.Println("begin", i)
		file := d.file(number(part[1]), i)
		fmt.Printf("outcome %s\n", d.enter(dir, file))
	}
	fmt.Println("end")
}

func number(s string) uint64 {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// file returns the file of a case.
func (d door) file(seed, i uint64) []byte {
	r := Generator(seed, i)
	return d.mutate(r, pick(r, d.corpus()))
}

// enter opens a file and says how that ended: ok, error, panic or hang.
func (d door) enter(dir string, file []byte) string {
	done := make(chan string, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- fmt.Sprintf("panic %.200q %.1500q", fmt.Sprint(v), debug.Stack())
			}
		}()
		err := d.open(dir, file)
		switch {
		case err == nil:
			done <- "ok"
		case control.MatchString(strings.ReplaceAll(err.Error(), "\n", " ")):
			done <- fmt.Sprintf("control %.300q", err)
		case len(err.Error()) > 1<<16:
			done <- fmt.Sprintf("length of a message %d", len(err.Error()))
		default:
			done <- "error"
		}
	}()
	select {
	case how := <-done:
		return how
	case <-time.After(patience):
		fmt.Println("outcome hang")
		os.Exit(1)
		return ""
	}
}

// batch is how many cases a worker reads before it is replaced.
const batch = 500

// tally counts the outcomes of the cases of a door.
type tally map[string]int

// besiege runs workers for a door and reports what they did not survive.
func besiege(t *testing.T, name string, cases int) tally {
	t.Helper()
	counts, start := tally{}, time.Now()
	var next uint64
	for goOn(start, int(next), cases) {
		n := uint64(batch)
		if *long == 0 {
			n = min(n, uint64(shareOf(cases))-next)
		}
		next = counts.follow(t, name, next, n)
	}
	return counts
}

// follow runs one worker and returns the number of the case to go on with.
func (c tally) follow(t *testing.T, name string, first, n uint64) uint64 {
	t.Helper()
	worker := capped(t.Context(), ".", os.Args[0])
	worker.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %d %d", workerVariable, name, *seed, first, n))
	var stderr strings.Builder
	worker.Stderr = &stderr
	out, err := worker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	at, ended := first, false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "begin":
			at = number(rest)
		case "outcome":
			c.count(t, name, at, rest)
		case "end":
			ended = true
		}
	}
	if err := worker.Wait(); err != nil && !ended && !strings.Contains(err.Error(), "exit status 1") {
		c.count(t, name, at, fmt.Sprintf("death %v: %.500s", err, stderr.String()))
	}
	return at + 1
}

// count enters an outcome, and fails the test for one that must not be.
func (c tally) count(t *testing.T, name string, i uint64, outcome string) {
	t.Helper()
	how, _, _ := strings.Cut(outcome, " ")
	c[how]++
	if how == "ok" || how == "error" {
		return
	}
	t.Errorf("%s, seed %d, case %d: %s", name, *seed, i, outcome)
	if *keep != "" {
		file := filepath.Join(*keep, fmt.Sprintf("%s-%d-%d", name, *seed, i))
		if err := os.WriteFile(file, doors[name].file(*seed, i), 0o644); err != nil {
			t.Error(err)
		}
	}
}
