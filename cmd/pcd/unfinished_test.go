package main

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/fault"
	"github.com/go-pcd/pcd/internal/manifest"
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

// TestInterruptedImagesContinue: images that are done are kept, other settings are refused
// by name, and the same command ends in the files of one that was not interrupted.
func TestInterruptedImagesContinue(t *testing.T) {
	root := t.TempDir()
	args := func(out string, more ...string) []string {
		return append([]string{"image", "generate", "--model", "../../latent/testdata/turbo_folder", "--images", "70", "--sampling-steps", "2", "-o", filepath.Join(root, out)}, more...)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	fault.Hook = func(_ fault.Op, path string) error {
		if strings.HasSuffix(path, "images-000032.json") {
			cancel()
		}
		return nil
	}
	var out, stderr bytes.Buffer
	code := run(ctx, args("out"), &out, &stderr)
	fault.Hook = nil
	if code != exitInterrupted || out.Len() > 0 || !strings.Contains(stderr.String(), "pcd: interrupted: 64 of 70 images are kept in ") || !strings.Contains(stderr.String(), "; the same command continues") {
		t.Fatalf("exit code %d, %s%s", code, &out, &stderr)
	}
	code, _, said := invoke(t, args("out", "--seed", "7", "--prompt", "a lighthouse")...)
	if code != exitUsage || !strings.Contains(said, `is unfinished and was computed with other settings (prompt: none instead of "a lighthouse"; seed: 0 instead of 7); choose another directory, or remove that one`) {
		t.Errorf("other settings: exit code %d, %s", code, said)
	}
	code, stdout, said := invoke(t, args("out")...)
	if code != exitOK || !strings.Contains(stdout, "70 images of 16 x 16 pixels") || !strings.Contains(said, "64 of 70 images are kept in ") {
		t.Errorf("the same command: exit code %d, %s%s", code, stdout, said)
	}
	must(t, args("whole")...)
	got, want := readFolder(t, filepath.Join(root, "out")), readFolder(t, filepath.Join(root, "whole"))
	delete(got, manifest.FileName) // tells the time
	delete(want, manifest.FileName)
	if len(want) != 72 || !maps.Equal(got, want) {
		t.Errorf("the files differ from the %d of a run that was not interrupted", len(want))
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
