package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestUnfinishedLeavesEarlierResults: an interrupted run writes nothing: what an
// earlier run wrote stays, and nothing else lies beside it.
func TestUnfinishedLeavesEarlierResults(t *testing.T) {
	for name, args := range map[string][]string{
		"plan": {"plan", "empty", "--robots", "2", "--samples", "2"},
		"toy":  {"toy", "--pairs", "50", "--method", "all"},
	} {
		dir := filepath.Join(t.TempDir(), "out")
		args = append(args, "-o", dir)
		must(t, args...)
		before := readFolder(t, dir)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var out, err bytes.Buffer
		if code := run(ctx, append(args, "--seed", "99"), &out, &err); code != exitInterrupted {
			t.Errorf("%s: exit code %d, %s, want %d", name, code, &err, exitInterrupted)
		}
		after := readFolder(t, dir)
		if len(before) != len(after) {
			t.Errorf("%s: %d files before, %d after", name, len(before), len(after))
		}
		for file, data := range before {
			if after[file] != data {
				t.Errorf("%s: an interrupted run has replaced %s", name, file)
			}
		}
		if bytes.Contains(out.Bytes(), []byte("certified for every sample")) || bytes.Contains(out.Bytes(), []byte("wrote")) {
			t.Errorf("%s: an interrupted run prints %s", name, &out)
		}
	}
}

// readFolder returns the contents of the files of a folder, hidden ones included.
func readFolder(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(data)
	}
	return out
}
