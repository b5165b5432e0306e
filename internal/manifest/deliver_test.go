package manifest_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/fault"
	"github.com/go-pcd/pcd/internal/manifest"
)

func TestMain(m *testing.M) {
	fault.Volatile = true
	os.Exit(m.Run())
}

// deliver runs a command that writes files to a folder.
func deliver(dir, verb string, files map[string]string) (*manifest.Report, error) {
	m := manifest.New([]string{"pcd", verb}, 0, nil)
	m.Verb = verb
	f, err := manifest.Open(dir, m, slices.Sorted(maps.Keys(files))...)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := f.Add(name, text(files[name])); err != nil {
			return nil, err
		}
	}
	return &f.Report, f.Deliver()
}

// text returns a function that writes a file.
func text(content string) func(path string) error {
	return func(path string) error { return atomicfile.WriteBytes(path, []byte(content)) }
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// contents returns the files of a folder but its manifest, which is checked to be one, and
// the names of temporary folders.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := must[string](t)(filepath.Rel(dir, path))
		if d.IsDir() {
			if atomicfile.IsTemp(d.Name()) {
				out[d.Name()+"/"] = ""
				return fs.SkipDir
			}
			return nil
		}
		if name != manifest.FileName {
			out[filepath.ToSlash(name)] = string(must[[]byte](t)(os.ReadFile(path)))
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return out
}

// write writes a file of the user's.
func write(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func verify(t *testing.T, dir string) *manifest.Verification {
	t.Helper()
	return must[*manifest.Verification](t)(manifest.Verify(t.Context(), dir, nil))
}

// wantContents fails the test unless a folder has these files.
func wantContents(t *testing.T, dir, when string, want map[string]string) {
	t.Helper()
	if got := contents(t, dir); !maps.Equal(got, want) {
		t.Errorf("%s: the folder holds %q, want %q", when, got, want)
	}
}

// A run replaces the files of the run before, and takes away what it has not; files of the
// user stay, whatever they are.
func TestRerun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "out")
	must[*manifest.Report](t)(deliver(dir, "draw", map[string]string{"a": "1", "b": "1", "c": "1", "deep/er/d": "1", "e": "1"}))
	wantContents(t, dir, "the first run", map[string]string{"a": "1", "b": "1", "c": "1", "deep/er/d": "1", "e": "1"})
	write(t, filepath.Join(dir, "b"), "changed by the user")
	write(t, filepath.Join(dir, "c"), "changed by the user")
	write(t, filepath.Join(dir, "note"), "of the user")
	write(t, filepath.Join(dir, "f"), "of the user")
	r := must[*manifest.Report](t)(deliver(dir, "draw", map[string]string{"a": "2", "b": "2", "f": "2"}))
	wantContents(t, dir, "the second", map[string]string{
		"a": "2", "b": "2", "b.~1~": "changed by the user", "c": "changed by the user", "note": "of the user", "f": "2", "f.~1~": "of the user",
	})
	if !slices.Equal(r.Removed, []string{"deep/er/d", "e"}) || !slices.Equal(r.Left, []string{"c"}) || !maps.Equal(r.Aside, map[string]string{"b": "b.~1~", "f": "f.~1~"}) {
		t.Errorf("it reports %+v", r)
	}
	if _, err := os.Stat(filepath.Join(dir, "deep")); err == nil {
		t.Error("an empty folder is left")
	}
	if v := verify(t, dir); !v.Verified || v.Files != 3 || !slices.Equal(v.Foreign, []string{"b.~1~", "c", "f.~1~", "note"}) {
		t.Errorf("verified as %+v", v)
	}
}

// Runs of several commands share a folder: each replaces its own files, and all are known.
func TestCommandsShareAFolder(t *testing.T) {
	dir := t.TempDir()
	must[*manifest.Report](t)(deliver(dir, "image generate", map[string]string{"grid": "g", "latents": "g", "same": "both"}))
	must[*manifest.Report](t)(deliver(dir, "image decode", map[string]string{"grid": "d", "image": "d", "same": "both"}))
	want := map[string]string{"grid": "d", "grid.~1~": "g", "latents": "g", "same": "both", "image": "d"}
	wantContents(t, dir, "another command", want)
	if v := verify(t, dir); !v.Verified || len(v.Runs) != 2 || v.Files != 5 {
		t.Errorf("verified as %+v", v)
	}
	must[*manifest.Report](t)(deliver(dir, "image decode", map[string]string{"grid": "d2"}))
	wantContents(t, dir, "the other again", map[string]string{"grid": "d2", "grid.~1~": "g", "latents": "g", "same": "both"})
	must[*manifest.Report](t)(deliver(dir, "image generate", map[string]string{"latents": "g2"}))
	wantContents(t, dir, "the first again", map[string]string{"grid": "d2", "latents": "g2"})
	if v := verify(t, dir); !v.Verified || len(v.Runs) != 2 {
		t.Errorf("verified as %+v", v)
	}
}

// Manifests from before they had a verb are those of the command that they name.
func TestRunsFromBeforeVerbs(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "old"), "abc")
	write(t, filepath.Join(dir, manifest.FileName), fmt.Sprintf(`{"command": ["pcd", "image", "generate", "--steps", "2"], "version": "v0", "started": "2026-01-01T00:00:00Z", "status": "finished", "files": {"old": %q}}`, abc))
	must[*manifest.Report](t)(deliver(dir, "image generate", map[string]string{"new": "2"}))
	wantContents(t, dir, "the same command", map[string]string{"new": "2"})
}

// What a user has put in the place of a manifest or of a file stays, and what is said in a
// manifest reaches nothing outside of its folder.
func TestWhatIsInTheWay(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "precious")
	write(t, outside, "abc")
	write(t, filepath.Join(dir, manifest.FileName), `{"name": "my web page", "icons": []}`)
	if err := os.Symlink(outside, filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "b"), "not to be written")
	if err := os.Chmod(filepath.Join(dir, "b"), 0o444); err != nil {
		t.Fatal(err)
	}
	must[*manifest.Report](t)(deliver(dir, "draw", map[string]string{"a": "1", "b": "1"}))
	wantContents(t, dir, "a folder of the user", map[string]string{
		"a": "1", "a.~1~": "abc", "b": "1", "b.~1~": "not to be written", "manifest.json.~1~": `{"name": "my web page", "icons": []}`,
	})
	if info, err := os.Lstat(filepath.Join(dir, "a.~1~")); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	for _, name := range []string{"../precious", outside, "deep/../../precious"} {
		text := fmt.Sprintf(`{"command": ["pcd", "draw"], "version": "v0", "started": "2026-01-01T00:00:00Z", "status": "finished", "files": {%q: %q}}`, name, abc)
		write(t, filepath.Join(dir, manifest.FileName), text)
		must[*manifest.Report](t)(deliver(dir, "draw", map[string]string{"a": "2"}))
		if got, err := os.ReadFile(outside); err != nil || string(got) != "abc" {
			t.Fatalf("a manifest that lists %q has changed a file outside: %q, %v", name, got, err)
		}
	}
	// Neither through a link within the folder.
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, manifest.FileName), fmt.Sprintf(`{"command": ["pcd", "draw"], "version": "v0", "started": "2026-01-01T00:00:00Z", "status": "finished", "files": {"link/precious": %q}}`, abc))
	must[*manifest.Report](t)(deliver(dir, "draw", map[string]string{"a": "3"}))
	if got, err := os.ReadFile(outside); err != nil || string(got) != "abc" {
		t.Errorf("a file behind a link is %q, %v", got, err)
	}
}

// A folder or a device in the place of a file is an error before anything is made, and
// nothing changes.
func TestPlacesThatAreTaken(t *testing.T) {
	dir := t.TempDir()
	must[*manifest.Report](t)(deliver(dir, "draw", map[string]string{"a": "1", "b": "1"}))
	for _, name := range []string{"c", manifest.FileName} {
		kept := filepath.Join(t.TempDir(), "kept")
		path := filepath.Join(dir, name)
		if err := os.Rename(path, kept); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		_, err := deliver(dir, "draw", map[string]string{"a": "2", "c": "2"})
		var w *atomicfile.WriteError
		if !errors.Is(err, atomicfile.ErrPlace) || !errors.As(err, &w) || w.Path != path {
			t.Errorf("a folder at %s: %v, want a WriteError with its name", name, err)
		}
		wantContents(t, dir, name, map[string]string{"a": "1", "b": "1"})
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(kept, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "a")
	if _, err := deliver(dir, "draw", map[string]string{"a/b/c": "2"}); !errors.Is(err, atomicfile.ErrPlace) {
		t.Errorf("a file in the place of a folder: %v", err)
	}
	if _, err := deliver(file, "draw", map[string]string{"a": "2"}); !errors.Is(err, atomicfile.ErrPlace) {
		t.Errorf("a file as a folder: %v", err)
	}
}

// Files that were made and not recorded would get lost: they are an error.
func TestEverythingIsRecorded(t *testing.T) {
	m := manifest.New(nil, 0, nil)
	dir := filepath.Join(t.TempDir(), "out")
	f, err := manifest.Open(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Add("a", func(path string) error { return errors.Join(text("a")(path), text("b")(path+".b")) }); err != nil {
		t.Fatal(err)
	}
	if err := f.Deliver(); err == nil || !strings.Contains(err.Error(), "a.b") {
		t.Errorf("Deliver = %v", err)
	}
	f.Close()
	wantContents(t, dir, "nothing is delivered", map[string]string{})
}
