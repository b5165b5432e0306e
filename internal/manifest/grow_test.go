package manifest_test

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/manifest"
)

// train is a run whose files grow in place.
func train(t *testing.T, dir string, names ...string) *manifest.Folder {
	t.Helper()
	m := manifest.New([]string{"pcd", "train"}, 0, nil)
	m.Verb = "train"
	f, err := manifest.Open(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Begin(false, names...); err != nil {
		t.Fatal(err)
	}
	return f
}

// ended ends a run and returns its report.
func ended(t *testing.T, f *manifest.Folder, with error) manifest.Report {
	t.Helper()
	if err := f.End(with); err != nil {
		t.Fatal(err)
	}
	return f.Report
}

// grow writes a file as the program does.
func grow(t *testing.T, path, content string) {
	t.Helper()
	if err := text(content)(path); err != nil {
		t.Fatal(err)
	}
}

// The manifest of a run whose files grow says so until it ends, and what it knows of them
// then; one that was killed is continued on what it wrote.
func TestFilesThatGrow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	must[*manifest.Report](t)(deliver(dir, "plan", map[string]string{"plan": "1"}))
	write(t, filepath.Join(dir, "model"), "of the user")
	killed := train(t, dir, "model", "figure")
	grow(t, filepath.Join(dir, "model"), "half")
	v := verify(t, dir)
	if v.Verified || v.Runs[0].Status != manifest.Running || !slices.Equal(v.Writing, []string{"figure", "model"}) || len(v.Missing)+len(v.Differs) > 0 || !slices.Equal(v.Foreign, []string{"model.~1~"}) {
		t.Errorf("while it runs: %+v", v)
	}
	_ = killed
	f := train(t, dir, "model", "figure")
	wantContents(t, dir, "continued", map[string]string{"plan": "1", "model": "half", "model.~1~": "of the user"})
	grow(t, filepath.Join(dir, "model"), "whole")
	grow(t, filepath.Join(dir, "figure"), "whole")
	if r := ended(t, f, nil); len(r.Files) != 3 || len(r.Removed)+len(r.Left)+len(r.Aside) > 0 {
		t.Errorf("it reports %+v", r)
	}
	if v := verify(t, dir); !v.Verified || v.Files != 3 || len(v.Runs) != 2 {
		t.Errorf("finished: %+v", v)
	}
	f = train(t, dir, "model")
	grow(t, filepath.Join(dir, "model"), "shorter")
	if r := ended(t, f, context.Canceled); !slices.Equal(r.Removed, []string{"figure"}) {
		t.Errorf("it reports %+v", r)
	}
	wantContents(t, dir, "without a figure", map[string]string{"plan": "1", "model": "shorter", "model.~1~": "of the user"})
	if v := verify(t, dir); v.Verified || v.Runs[0].Status != manifest.Interrupted || len(v.Differs)+len(v.Missing) > 0 {
		t.Errorf("interrupted: %+v", v)
	}
}

// What another command delivers while files grow is known in the end.
func TestDeliveryWhileFilesGrow(t *testing.T) {
	dir := t.TempDir()
	f := train(t, dir, "model")
	write(t, filepath.Join(dir, "model"), "half")
	must[*manifest.Report](t)(deliver(dir, "plan", map[string]string{"plan": "1"}))
	write(t, filepath.Join(dir, "model"), "whole")
	ended(t, f, nil)
	wantContents(t, dir, "both", map[string]string{"plan": "1", "model": "whole"})
	v := verify(t, dir)
	verbs := map[string]manifest.Status{}
	for _, r := range v.Runs {
		verbs[r.Verb] = r.Status
	}
	if want := map[string]manifest.Status{"train": manifest.Finished, "plan": manifest.Finished}; !v.Verified || !maps.Equal(verbs, want) {
		t.Errorf("%+v", v)
	}
}

// A run that continues what lies in its folder takes it for its own.
func TestContinuedRunsOwnTheirFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "model"), "of a version without manifests")
	m := manifest.New([]string{"pcd", "train"}, 0, nil)
	m.Verb = "train"
	f, err := manifest.Open(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Begin(true, "model"); err != nil || len(f.Report.Aside) > 0 {
		t.Errorf("it sets aside %v, %v", f.Report.Aside, err)
	}
}
