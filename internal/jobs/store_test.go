package jobs

import (
	"os"
	"path/filepath"
	"testing"
)

// TestResultsAreCopied begins a job with the results of another one under the name that its own have: with
// its files, and with nothing where there are none.
func TestResultsAreCopied(t *testing.T) {
	s, err := OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	full, err := s.Create(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	wrote := filepath.Join(s.Folder(full).Work(), OutName, "model", "loss.txt")
	if err := os.MkdirAll(filepath.Dir(wrote), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(wrote, []byte("0.5"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty, err := s.Create(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]string{full: "0.5", empty: ""} {
		next, err := s.Create(nil, map[string]string{OutName: from})
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(s.Folder(next).Work(), OutName, "model", "loss.txt"))
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("copied %q, %v, want %q", got, err, want)
		}
	}
}
