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

func TestDownloadsAreBounded(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1001)) }))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "f")
	if err := download(t.Context(), server.URL, file, 1001); err != nil {
		t.Error(err)
	}
	if err := download(t.Context(), server.URL, file, 1000); err == nil || !strings.Contains(err.Error(), "1000 bytes") {
		t.Errorf("download = %v, want the limit", err)
	}
}
