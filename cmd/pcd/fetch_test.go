package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// endless serves an archive that never ends, and says on started when it is read.
func endless(t *testing.T) (address string, started chan bool) {
	t.Helper()
	started = make(chan bool, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		piece := make([]byte, 1<<10)
		for n := 0; r.Context().Err() == nil; n++ {
			if _, err := w.Write(piece); err != nil {
				return
			}
			if n == 100 {
				started <- true
				<-r.Context().Done() // say nothing more, and do not close
			}
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, started
}

// The program ends after a signal while it waits for an archive, and leaves nothing.
func TestFetchFromEndlessSourceIsInterrupted(t *testing.T) {
	address, started := endless(t)
	dir := t.TempDir()
	c := exec.Command("pcd", "data", "fetch", "pusht", address, "--sha256", strings.Repeat("0", 64), "-o", filepath.Join(dir, "out.npz"))
	c.Env = append(os.Environ(), "TMPDIR="+dir)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	<-started
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("the program ended with %v, want exit code %d", err, exitInterrupted)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%v, %v are left, want nothing", files, err)
	}
}

// What a program that was killed has left goes with the next one, and nothing else.
func TestFetchSweepsAfterKills(t *testing.T) {
	address, started := endless(t)
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine")
	if err := os.Mkdir(mine, 0o755); err != nil {
		t.Fatal(err)
	}
	fetch := func(address string) *exec.Cmd {
		c := exec.Command("pcd", "data", "fetch", "pusht", address, "--sha256", strings.Repeat("0", 64), "-o", filepath.Join(mine, "out.npz"))
		c.Env = append(os.Environ(), "TMPDIR="+dir)
		return c
	}
	c := fetch(address)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	<-started
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
	var exit *exec.ExitError
	if err := fetch("http://127.0.0.1:1/").Run(); !errors.As(err, &exit) || exit.ExitCode() != exitRuntime {
		t.Errorf("nobody listens: the program ended with %v, want exit code %d", err, exitRuntime)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != "mine" {
		t.Errorf("%v, %v are left, want what was there", left, err)
	}
}
