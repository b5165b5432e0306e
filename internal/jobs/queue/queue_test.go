package queue

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-pcd/pcd/internal/jobs"
)

// TestMain makes this test binary a command of jobs: "count N PAUSE" writes pieces 1 to N to
// out/, one after the other, and goes on behind those that are there; "fail WORDS" fails.
func TestMain(m *testing.M) {
	if os.Getenv("QUEUE_TEST_COMMAND") != "" {
		os.Exit(command(os.Args[1:]))
	}
	beat, lost = 300*time.Millisecond, 3*time.Second
	if os.Getenv("QUEUE_TEST_SERVER") != "" {
		serve(os.Args[1])
	}
	os.Exit(m.Run())
}

func command(words []string) int {
	if words[0] == "fail" {
		fmt.Fprintln(os.Stderr, "pcd: "+strings.Join(words[1:], " "))
		return 10
	}
	told := make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(told)
	}()
	n, _ := strconv.Atoi(words[1])
	pause, _ := time.ParseDuration(words[2])
	os.MkdirAll("out", 0o755)
	for i := 1; i <= n; i++ {
		piece := filepath.Join("out", fmt.Sprint(i))
		if _, err := os.Stat(piece); err == nil {
			continue
		}
		select {
		case <-told:
			return interrupted
		case <-time.After(pause):
		}
		f, err := os.OpenFile(piece, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil { // somebody else is at it
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Fprint(f, i*i)
		f.Close()
		fmt.Fprintf(os.Stderr, "progress %d %d\n", i, n)
	}
	fmt.Printf("%d pieces\n", n)
	return 0
}

// config returns the configuration of a test.
func config(dir string) (Config, error) {
	store, err := jobs.OpenStore(dir)
	return Config{
		Store: store, Running: 2, Waiting: 50, Bytes: 1 << 30, Keep: time.Hour, Log: slog.New(slog.DiscardHandler),
		Database: os.Getenv("QUEUE_TEST_DATABASE"),
		Check:    func(words []string) ([]string, error) { return words, nil },
		Command: func(words []string) *exec.Cmd {
			c := exec.Command(os.Args[0], words...)
			c.Env = append(os.Environ(), "QUEUE_TEST_COMMAND=1")
			return c
		},
		Follow: func(from io.Reader, log io.Writer, told func(jobs.Progress)) {
			for lines := bufio.NewScanner(from); lines.Scan(); {
				var p jobs.Progress
				if n, _ := fmt.Sscanf(lines.Text(), "progress %d %d", &p.Done, &p.Total); n == 2 {
					told(p)
					continue
				}
				fmt.Fprintln(log, lines.Text())
			}
		},
	}, err
}

// open opens a queue in a folder.
func open(t *testing.T, dir string) *Queue {
	t.Helper()
	c, err := config(dir)
	if err != nil {
		t.Fatal(err)
	}
	q, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close(context.WithoutCancel(t.Context())) })
	return q
}

// serve is a server that a test can kill.
func serve(dir string) {
	c, err := config(dir)
	if err == nil {
		_, err = Open(context.Background(), c)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("ready")
	select {}
}

// submit submits a job.
func submit(t *testing.T, q *Queue, words ...string) *jobs.Job {
	t.Helper()
	j, err := q.Submit(t.Context(), "ada", jobs.Spec{Command: words})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// until waits until a job is as it should be.
func until(t *testing.T, q *Queue, id string, good func(*jobs.Job) bool) *jobs.Job {
	t.Helper()
	for {
		j, err := q.Get(t.Context(), "ada", id)
		if err != nil {
			t.Fatal(err)
		}
		if good(j) {
			return j
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func final(j *jobs.Job) bool { return j.State.Final() }

// pieces returns what a job has written.
func pieces(t *testing.T, q *Queue, id string) (all []string) {
	t.Helper()
	r, err := q.Results(t.Context(), "ada", id)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files, err := r.Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		file, err := r.Open(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(file)
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f.Name+"="+string(text))
	}
	return all
}

// A job runs, tells its progress, and has what it printed and wrote.
func TestJob(t *testing.T) {
	q := open(t, t.TempDir())
	j := until(t, q, submit(t, q, "count", "3", "1ms").ID, final)
	if j.State != jobs.Done || j.Attempts != 1 || j.Progress.Done != 3 || j.Started.IsZero() || j.Ended.IsZero() {
		t.Errorf("%+v", j)
	}
	if got, want := pieces(t, q, j.ID), []string{"1=1", "2=4", "3=9"}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	failed := until(t, q, submit(t, q, "fail", "no plan").ID, final)
	if failed.State != jobs.Failed || failed.ExitCode != 10 || failed.Message != "no plan" {
		t.Errorf("%+v", failed)
	}
	list, err := q.List(t.Context(), "ada", "", 10)
	if err != nil || len(list) != 2 || list[0].ID != failed.ID {
		t.Errorf("%v %v, want both, the newest first", list, err)
	}
}

// Nobody sees, ends or reads the jobs of others, or files outside the results.
func TestJobsOfOthers(t *testing.T) {
	q := open(t, t.TempDir())
	j := until(t, q, submit(t, q, "count", "1", "1ms").ID, final)
	var missing *jobs.NotFoundError
	for name, err := range map[string]error{
		"get": second(q.Get(t.Context(), "bob", j.ID)), "cancel": second(q.Cancel(t.Context(), "bob", j.ID)), "results": second(q.Results(t.Context(), "bob", j.ID)),
		"no number": second(q.Get(t.Context(), "ada", "../1")), "none": second(q.Get(t.Context(), "ada", "99")),
	} {
		if !errors.As(err, &missing) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if list, err := q.List(t.Context(), "bob", "", 10); err != nil || len(list) != 0 {
		t.Errorf("%v %v", list, err)
	}
	r, err := q.Results(t.Context(), "ada", j.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, name := range []string{"../../outcome.json", "/etc/hostname", "", ".", "2", "..", "1/../1"} {
		if _, err := r.Open(name); !errors.As(err, &missing) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A key makes one job of several requests.
func TestKeys(t *testing.T) {
	q := open(t, t.TempDir())
	spec := jobs.Spec{Command: []string{"count", "1", "1ms"}, Key: "mine"}
	a, err := q.Submit(t.Context(), "ada", spec)
	b, errB := q.Submit(t.Context(), "ada", spec)
	c, errC := q.Submit(t.Context(), "bob", spec)
	if err := errors.Join(err, errB, errC); err != nil || a.ID != b.ID || a.ID == c.ID {
		t.Errorf("%v %v %v %v", a, b, c, err)
	}
}

// A job that runs is cancelled, and so is one that waits.
func TestCancel(t *testing.T) {
	q := open(t, t.TempDir())
	var all []*jobs.Job
	for range 3 {
		all = append(all, submit(t, q, "count", "1000", "1s"))
	}
	until(t, q, all[0].ID, func(j *jobs.Job) bool { return j.State == jobs.Running })
	for _, j := range slices.Backward(all) {
		if _, err := q.Cancel(t.Context(), "ada", j.ID); err != nil {
			t.Error(err)
		}
	}
	for _, j := range all {
		if got := until(t, q, j.ID, final); got.State != jobs.Cancelled {
			t.Errorf("%+v", got)
		}
	}
}

// The results of a job are input to another; what is not done is not.
func TestInputs(t *testing.T) {
	q := open(t, t.TempDir())
	first := until(t, q, submit(t, q, "count", "1", "1ms").ID, final)
	j, err := q.Submit(t.Context(), "ada", jobs.Spec{
		Command: []string{"count", "1", "1ms"}, Inputs: []jobs.Input{{Name: "before", Job: first.ID}}, Files: []jobs.File{{Name: "scene.yaml", Content: []byte("x")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	row, err := q.row(t.Context(), "ada", j.ID)
	if err != nil {
		t.Fatal(err)
	}
	work := q.config.Store.Folder(argumentsOf(row).Folder).Work()
	if text, err := os.ReadFile(filepath.Join(work, "before", "1")); err != nil || string(text) != "1" {
		t.Errorf("%q %v", text, err)
	}
	failed := until(t, q, submit(t, q, "fail").ID, final)
	var broken *jobs.SpecError
	for name, s := range map[string]jobs.Spec{
		"failed":       {Inputs: []jobs.Input{{Name: "a", Job: failed.ID}}},
		"outside":      {Files: []jobs.File{{Name: "../x"}}},
		"absolute":     {Files: []jobs.File{{Name: "/x"}}},
		"twice":        {Files: []jobs.File{{Name: "x"}, {Name: "x"}}},
		"our own":      {Files: []jobs.File{{Name: "out"}}},
		"a bad name":   {Inputs: []jobs.Input{{Name: "a/b", Job: first.ID}}},
		"a long key":   {Key: strings.Repeat("k", 201)},
		"shared files": {Files: []jobs.File{{Name: "shared"}}},
	} {
		s.Command = []string{"count", "1", "1ms"}
		if _, err := q.Submit(t.Context(), "ada", s); !errors.As(err, &broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A server that is told to end tells its commands, and the next one goes on.
func TestServersEnd(t *testing.T) {
	dir := t.TempDir()
	q := open(t, dir)
	id := submit(t, q, "count", "6", "100ms").ID
	until(t, q, id, func(j *jobs.Job) bool { return j.Progress.Done > 0 })
	if err := q.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := open(t, dir)
	if j := until(t, next, id, final); j.State != jobs.Done || j.Attempts > 2 {
		t.Errorf("%+v", j)
	}
	if got := pieces(t, next, id); len(got) != 6 {
		t.Errorf("%q", got)
	}
}

// Jobs of a server that was killed are taken over, and go on where they were.
func TestServersAreKilled(t *testing.T) {
	dir := t.TempDir()
	server := exec.Command(os.Args[0], dir)
	server.Env = append(os.Environ(), "QUEUE_TEST_SERVER=1")
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	bufio.NewReader(out).ReadString('\n')
	c, err := config(dir)
	if err != nil {
		t.Fatal(err)
	}
	c.Running = 0
	asks, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for range 4 {
		ids = append(ids, submit(t, asks, "count", "8", "50ms").ID)
	}
	until(t, asks, ids[0], func(j *jobs.Job) bool { return j.Progress.Done > 0 })
	server.Process.Kill()
	server.Wait()
	if err := asks.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := open(t, dir)
	for _, id := range ids {
		if j := until(t, next, id, final); j.State != jobs.Done {
			t.Errorf("%+v", j)
		}
		if got := pieces(t, next, id); len(got) != 8 {
			t.Errorf("%q", got)
		}
	}
}

// A store has a name of its own, which stays, and by which services know whether they share
// one.
func TestStoresHaveNames(t *testing.T) {
	dir := t.TempDir()
	a, err := jobs.OpenStore(dir)
	again, errAgain := jobs.OpenStore(dir)
	b, errB := jobs.OpenStore(t.TempDir())
	if err := errors.Join(err, errAgain, errB); err != nil || a.ID() == "" || a.ID() != again.ID() || a.ID() == b.ID() {
		t.Errorf("%v %v %v %v", a, again, b, err)
	}
}

// What has no room is refused.
func TestFull(t *testing.T) {
	q := waiting(t, 1)
	submit(t, q, "count", "1", "1ms")
	var full *jobs.FullError
	if _, err := q.Submit(t.Context(), "ada", jobs.Spec{Command: []string{"count"}}); !errors.As(err, &full) {
		t.Errorf("a job too many: %v", err)
	}
	q.config.Bytes = 0
	if _, err := q.Submit(t.Context(), "bob", jobs.Spec{Command: []string{"count"}}); !errors.As(err, &full) {
		t.Errorf("a store that is full: %v", err)
	}
}
