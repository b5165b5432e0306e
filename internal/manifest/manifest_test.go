package manifest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-pcd/pcd/internal/manifest"
)

// abc is the SHA-256 of "abc", from FIPS 180-2.
const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

// TestManifest writes a manifest of a computation that took its time before
// anything was written.
func TestManifest(t *testing.T) {
	dir := t.TempDir()
	m := manifest.New([]string{"pcd", "test"}, 7, map[string]int{"samples": 3})
	m.Started = m.Started.Add(-time.Hour)
	file := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(m.InputFile("data", file), m.Add(dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	m.Status = manifest.StatusOf(fmt.Errorf("stopped: %w", context.Canceled))
	if err := m.WriteFile(filepath.Join(dir, manifest.FileName)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, manifest.FileName))
	if err != nil {
		t.Fatal(err)
	}
	var got manifest.Manifest
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Seconds < 3600 || got.Status != manifest.Interrupted || got.Seed != 7 {
		t.Errorf("manifest %+v, want the whole hour, interrupted, seed 7", got)
	}
	if got.Files["a.txt"] != abc || got.Inputs["data"].SHA256 != abc || got.Inputs["data"].Path != file {
		t.Errorf("files %v, inputs %v, want the digest of abc", got.Files, got.Inputs)
	}
	if got.Machine.Kernel == "" {
		t.Error("the manifest does not name the kernels")
	}
	if got.Version == "" || got.Version == "devel" || got.Version == "unknown" {
		t.Errorf("version %q identifies nothing", got.Version)
	}
	if err := m.InputFile("model", filepath.Join(dir, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing input: %v", err)
	}
}

// TestDigestOfFolder depends on names and contents, not on the place of the folder.
func TestDigestOfFolder(t *testing.T) {
	write := func(name, text string) string {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "deep"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "deep", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		digest, err := manifest.DigestFile(dir)
		if err != nil {
			t.Fatal(err)
		}
		return digest
	}
	want := manifest.DigestBytes([]byte(abc + "  deep/a\n"))
	if got := write("a", "abc"); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
	if write("b", "abc") == want || write("a", "abd") == want {
		t.Error("another folder has the same digest")
	}
}
