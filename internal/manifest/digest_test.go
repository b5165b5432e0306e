package manifest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-pcd/pcd/internal/manifest"
)

// TestDigestOfLinks digests a folder through links as the folder that they lead to: a link to it, and links to a file and to a
// folder in it. A link to a folder above adds nothing, and one that leads nowhere is no error.
func TestDigestOfLinks(t *testing.T) {
	dir := t.TempDir()
	digest := func(name string) string {
		t.Helper()
		d, err := manifest.DigestFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, file := range []string{"model/vae/config.json", "model/a.json", "linked/b.json"} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(filepath.Base(file)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, name string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	want := digest("model")
	link("model", "link")
	if got := digest("link"); got != want {
		t.Errorf("a link to a folder has the digest %s, want its %s", got, want)
	}
	if err := os.Remove(filepath.Join(dir, "linked/b.json")); err != nil {
		t.Fatal(err)
	}
	link("../model/vae", "linked/vae")
	link("../model/a.json", "linked/a.json")
	if got := digest("linked"); got != want {
		t.Errorf("links to what is in a folder have the digest %s, want %s", got, want)
	}
	link("..", "model/vae/above")
	if got := digest("model"); got != want {
		t.Errorf("a folder with a link upwards has the digest %s, want %s", got, want)
	}
	link("nowhere", "model/lost")
	if got := digest("model"); got == want {
		t.Error("a link that leads nowhere is not digested")
	}
}
