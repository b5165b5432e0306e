package manifest_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/manifest"
)

// Verify tells what is missing, what differs and what no run wrote.
func TestVerify(t *testing.T) {
	dir := t.TempDir()
	must[*manifest.Report](t)(deliver(dir, "draw", map[string]string{"a": "1", "b": "1", "deep/c": "1"}))
	if v := verify(t, dir); !v.Verified || v.Files != 3 || len(v.Foreign) != 0 {
		t.Errorf("as written: %+v", v)
	}
	write(t, filepath.Join(dir, "b"), "2")
	write(t, filepath.Join(dir, "deep/note"), "of the user")
	if err := os.Remove(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	v := verify(t, dir)
	if v.Verified || !slices.Equal(v.Missing, []string{"a"}) || !slices.Equal(v.Differs, []string{"b"}) || !slices.Equal(v.Foreign, []string{"deep/note"}) {
		t.Errorf("after changes: %+v", v)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := manifest.Verify(ctx, dir, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if _, err := manifest.Verify(t.Context(), t.TempDir(), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a manifest: %v", err)
	}
	for name, content := range hostile() {
		dir := t.TempDir()
		write(t, filepath.Join(dir, manifest.FileName), content)
		var foreign *manifest.ForeignError
		if v, err := manifest.Verify(t.Context(), dir, nil); !errors.As(err, &foreign) {
			t.Errorf("a manifest with %s: %+v, %v", name, v, err)
		}
	}
}

// hostile are files that are no manifests.
func hostile() map[string]string {
	const good = `{"command": ["pcd"], "version": "v0", "started": "2026-01-01T00:00:00Z", "status": "finished", "files": {}}`
	with := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	return map[string]string{
		"nothing": "", "no JSON": "x", "a list": "[]", "nothing of a run": "{}", "deep nesting": strings.Repeat(`{"beside":`, 20_000),
		"a status of its own": with("finished", "sold"), "no files": with(`, "files": {}`, ""),
		"a way out":                 with(`{}`, `{"../a": "x"}`),
		"a root":                    with(`{}`, `{"/a": "x"}`),
		"a folder":                  with(`{}`, `{".": "x"}`),
		"a way out in writing":      with(`"files"`, `"writing": ["../a"], "files"`),
		"a way out in before":       with(`"files"`, `"before": {"../a": "x"}, "files"`),
		"a way out beside":          with(`"files"`, `"beside": {"x": `+with(`{}`, `{"../a": "x"}`)+`}, "files"`),
		"nobody beside":             with(`"files"`, `"beside": {"x": null}, "files"`),
		"a journal elsewhere":       with(`"files"`, `"journal": {"staged": "../other"}, "files"`),
		"files set aside elsewhere": with(`"files"`, `"journal": {"staged": ".pcd-unfinished-0123456789abcdef", "aside": {"a": "../a"}}, "files"`),
	}
}

// call writes the manifest of a call of an evaluation.
func call(t *testing.T, dir string, number int, shard string, status manifest.Status, files map[string]string, writing ...string) {
	t.Helper()
	m := manifest.New([]string{"pcd", "eval"}, 0, nil)
	m.Status, m.Files, m.Writing = status, files, writing
	if err := os.MkdirAll(filepath.Join(dir, manifest.CallsDir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := m.WriteFile(filepath.Join(dir, manifest.CallsDir, fmt.Sprintf("2026010%dT000000.000Z-shard-%s-0123abcd.json", number, shard))); err != nil {
		t.Fatal(err)
	}
}

// Of the calls of an evaluation the last one that says something of a file holds, and one
// that did not end is done with when its shard has gone on.
func TestVerifyEvaluations(t *testing.T) {
	dir := t.TempDir()
	digest := func(content string) map[string]string {
		return map[string]string{"cell.json": manifest.DigestBytes([]byte(content))}
	}
	both := digest("second")
	both["other.json"] = manifest.DigestBytes([]byte("other"))
	write(t, filepath.Join(dir, "cell.json"), "second")
	write(t, filepath.Join(dir, "other.json"), "other")
	for i, step := range []struct {
		what string
		call func()
		want bool
	}{
		{"a call that was interrupted", func() { call(t, dir, 1, "0-of-2", manifest.Interrupted, digest("first")) }, false},
		{"one that runs", func() { call(t, dir, 2, "0-of-2", manifest.Running, map[string]string{}, "cell.json") }, false},
		{"one that finished", func() { call(t, dir, 3, "0-of-2", manifest.Finished, digest("second")) }, true},
		{"another shard, killed", func() { call(t, dir, 4, "1-of-2", manifest.Running, map[string]string{}, "other.json") }, false},
		{"all shards at once", func() { call(t, dir, 5, "0-of-1", manifest.Finished, both) }, true},
	} {
		step.call()
		v := verify(t, dir)
		if v.Verified != step.want || len(v.Runs) != i+1 || len(v.Missing) > 0 {
			t.Errorf("%s: %+v, want verified: %v", step.what, v, step.want)
		}
	}
}

// FuzzRead: what is read as a manifest reaches nothing outside of its folder.
func FuzzRead(f *testing.F) {
	for _, content := range hostile() {
		if len(content) < 1000 {
			f.Add([]byte(content))
		}
	}
	path := filepath.Join(f.TempDir(), manifest.FileName)
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := manifest.ReadFile(path)
		if err != nil {
			return
		}
		for name := range m.Files {
			if !filepath.IsLocal(name) {
				t.Errorf("it lists %q", name)
			}
		}
	})
}
