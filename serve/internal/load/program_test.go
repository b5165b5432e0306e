package load

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var given = flag.String("program", "", "path of the program, which is built where none is given")

var folder string // of the program that is built

// build returns the path of the program, built once.
var build = sync.OnceValues(func() (path string, err error) {
	if *given != "" {
		return *given, nil
	}
	if folder, err = os.MkdirTemp("", "pcd-load"); err != nil {
		return "", err
	}
	program := filepath.Join(folder, "pcd")
	c := exec.Command("go", "build", "-o", program, "./cmd/pcd")
	// As it is given to others. Linked with the C library of the machine, it would take 72 MiB of addresses for every thread.
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	c.Dir = filepath.Join("..", "..", "..")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
})

// program returns the path of the program.
func program(t *testing.T) string {
	t.Helper()
	p, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// service is a service in a process of its own.
type service struct {
	*exec.Cmd
	url string
}

// start starts a service at a free port and waits until it serves.
func start(t *testing.T, env []string, args ...string) *service {
	t.Helper()
	return serving(t, exec.Command(program(t), append(arguments(), args...)...), env)
}

// startWithin is start of one that has so many bytes of addresses.
func startWithin(t *testing.T, bytes int, args ...string) *service {
	t.Helper()
	line := append([]string{"-c", fmt.Sprintf(`ulimit -v %d && exec "$0" "$@"`, bytes>>10), program(t)}, append(arguments(), args...)...)
	return serving(t, exec.Command("sh", line...), nil)
}

func arguments() []string { return []string{"serve", "--address", "127.0.0.1:0", "--json"} }

// serving starts a service by a command and waits until it serves.
func serving(t *testing.T, c *exec.Cmd, env []string) *service {
	t.Helper()
	s := &service{Cmd: c}
	s.Env = append(os.Environ(), env...)
	log, err := s.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.kill() })
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		var line struct{ Msg, At string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.At != "" {
			s.url = line.At
			go io.Copy(io.Discard, log)
			return s
		}
		t.Log(lines.Text())
	}
	t.Fatal("the program does not serve")
	return nil
}

// kill ends the process without asking it.
func (s *service) kill() {
	if s.ProcessState == nil {
		_ = s.Process.Kill()
		_ = s.Wait()
	}
}

// memory returns the resident memory of the process, in bytes.
func (s *service) memory() (n int64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Process.Pid))
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			fmt.Sscan(rest, &n)
		}
	}
	return n << 10
}

// files returns how many files the process has open.
func (s *service) files() int {
	all, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.Process.Pid))
	return len(all)
}

// processor returns the seconds of processor time that the process has had.
func (s *service) processor() float64 {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.Process.Pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	var user, system float64
	if f := strings.Fields(rest); len(f) > 12 {
		fmt.Sscan(f[11], &user)
		fmt.Sscan(f[12], &system)
	}
	return (user + system) / 100 // of its ticks
}

// call makes a call in JSON. An error is one of the connection.
func call(c *http.Client, url, token, name string, request, answer any) (status int, err error) {
	body, err := json.Marshal(request)
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequest(http.MethodPost, url+"/pcd.v1."+name, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	got, err := c.Do(r)
	if err != nil {
		return 0, err
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err == nil && got.StatusCode == http.StatusOK && answer != nil {
		err = json.Unmarshal(text, answer)
	}
	return got.StatusCode, err
}
