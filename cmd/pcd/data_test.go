package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/manifest"
)

// Data that do not say on which map they were made are not judged by one, unless the
// caller says that they are of it; and data of before that have a manifest beside them are.
func TestDataOfUnknownOrigin(t *testing.T) {
	foreign := filepath.Join(t.TempDir(), "mine.npz")
	x := make([]float32, 2*64*4)
	for i := range x {
		x[i] = float32(i%7) / 10
	}
	write := func(path string) {
		t.Helper()
		if err := dataset.WriteNPZ(path, dataset.Array{Name: "trajectories", Shape: []int{2, 64, 4}, Data: x}); err != nil {
			t.Fatal(err)
		}
	}
	write(foreign)
	out := strings.Join(strings.Fields(must(t, "data", "info", "highways", foreign)), " ")
	if !strings.Contains(out, "nothing is known of the map") || strings.Contains(out, "free of collisions") || strings.Contains(out, "speed clearance") {
		t.Errorf("of foreign data it says\n%s", out)
	}
	if out := must(t, "data", "info", "highways", foreign, "--json"); !strings.Contains(out, `"map": null`) || strings.Contains(out, "Free") {
		t.Errorf("of foreign data it says\n%s", out)
	}
	if out := must(t, "data", "info", "highways", foreign, "--assume"); !strings.Contains(out, "highways: 2 trajectories, ") {
		t.Errorf("assumed to be of highways:\n%s", out)
	}
	x[0] = 50
	write(foreign)
	if code, _, stderr := invoke(t, "data", "info", "highways", foreign, "--assume"); code != exitUsage || !strings.Contains(stderr, "far outside of the map highways") {
		t.Errorf("assumed to be of a map that it leaves: exit code %d, %s", code, stderr)
	}

	dir := filepath.Join(t.TempDir(), "made")
	must(t, "data", "gen", "empty", "--contexts", "2", "-o", dir)
	set := filepath.Join(dir, "trajectories.npz")
	arrays, err := dataset.ReadNPZ(set, dataset.ReadOptions{})
	if err != nil || len(arrays) != 2 || string(arrays[1].Data.([]byte)) != "empty" {
		t.Fatalf("%d arrays, %v, want the trajectories and their map", len(arrays), err)
	}
	if err := os.Remove(set); err != nil {
		t.Fatal(err)
	}
	if err := dataset.WriteNPZ(set, arrays[0]); err != nil {
		t.Fatal(err)
	}
	if out := must(t, "data", "info", "empty", set); !strings.Contains(out, "nothing is known") {
		t.Errorf("of a file that is not that of the manifest it says\n%s", out)
	}
	record := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	old, now := digestsOf(t, string(text), set)
	if err := os.WriteFile(record, []byte(strings.Replace(string(text), old, now, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := invoke(t, "data", "info", "highways", set); code != exitUsage || !strings.Contains(stderr, "made on empty") {
		t.Errorf("with the manifest beside it: exit code %d, %s", code, stderr)
	}
}

// digestsOf returns the digest of trajectories in a manifest, and that of the file.
func digestsOf(t *testing.T, record, path string) (old, now string) {
	t.Helper()
	var m manifest.Manifest
	if err := json.Unmarshal([]byte(record), &m); err != nil {
		t.Fatal(err)
	}
	now, err := manifest.DigestFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return m.Files["trajectories.npz"], now
}
