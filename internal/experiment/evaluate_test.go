package experiment_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/manifest"
)

// TestShardsShareAFolder divides five cells among three shards, loses one of them
// in the middle, and runs it again: it computes what it lacks and nothing else.
func TestShardsShareAFolder(t *testing.T) {
	spec, dir := fakeSpec{Letters: "abcde", Units: 3}, t.TempDir()
	whole := newFake("m")
	whole.evaluate(t, spec, experiment.Options{Dir: t.TempDir()})

	shard := func(i int) experiment.Options {
		return experiment.Options{Dir: dir, Shard: experiment.Shard{Index: i, Count: 3}}
	}
	newFake("m").evaluate(t, spec, shard(0))
	ctx, cancel := context.WithCancel(t.Context())
	lost := shard(1)
	lost.Progress = func(done, _ int) {
		if done == 2 {
			cancel()
		}
	}
	s, err := newFake("m").Evaluate(ctx, spec, lost)
	if !errors.Is(err, context.Canceled) || s != (experiment.Summary{Cells: 5, Finished: 2, Shard: experiment.Part{Name: "1/3", Cells: 2}, Dir: dir}) {
		t.Fatalf("the lost shard: %+v, %v", s, err)
	}
	newFake("m").evaluate(t, spec, shard(2))

	f := newFake("m")
	missing, err := f.Missing(dir)
	if want := []string{"cell-b (2 of 3 units)", "cell-e"}; err != nil || !slices.Equal(missing, want) {
		t.Errorf("missing %q, %v, want %q", missing, err, want)
	}
	s = f.evaluate(t, spec, shard(1))
	if want := []string{"b2", "e0", "e1", "e2"}; !slices.Equal(f.computed, want) || s.Finished != 5 || s.Computed != 2 || s.Shard.Finished != 2 {
		t.Errorf("the shard that was lost computes %q, %+v, want %q", f.computed, s, want)
	}
	if missing, err := f.Missing(dir); err != nil || len(missing) != 0 {
		t.Errorf("missing %q, %v", missing, err)
	}
	again := newFake("m")
	again.evaluate(t, spec, experiment.Options{Dir: dir, Shard: experiment.Shard{Index: 3, Count: 4}})
	again.evaluate(t, spec, experiment.Options{Dir: dir})
	if len(again.computed) != 0 || len(again.squares(t, dir)) != 5 {
		t.Errorf("a finished evaluation computes %q", again.computed)
	}
}

// TestRefusesOthers goes on with other settings, with a preset that means something
// else and with another model, from cells that are finished.
func TestRefusesOthers(t *testing.T) {
	spec, dir := fakeSpec{Letters: "ab", Units: 2, Seed: 1<<63 + 1}, t.TempDir()
	newFake("m").evaluate(t, spec, experiment.Options{Dir: dir})
	refused := func(name, want string, f *fake, spec fakeSpec) {
		t.Helper()
		var mismatch *experiment.MismatchError
		s, err := f.Evaluate(t.Context(), spec, experiment.Options{Dir: dir})
		if !errors.As(err, &mismatch) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "cell-a.json") || s.Cells != 0 {
			t.Errorf("%s: %v, want a mismatch of cell-a.json that says %q", name, err, want)
		}
	}
	other := spec
	other.Seed++
	refused("another seed", "seed: 9223372036854775809 instead of 9223372036854775810", newFake("m"), other)
	refused("another model", "other models", newFake("n"), spec)
	preset["scale"] = 3
	defer func() { preset["scale"] = 2; delete(preset, "new") }()
	refused("another meaning of the preset", "settings.scale: 2 instead of 3", newFake("m"), spec)
	preset["scale"], preset["new"] = 2, false
	newFake("m").evaluate(t, spec, experiment.Options{Dir: dir}) // what was done before
	preset["new"] = true
	refused("a new choice", "settings.new: false instead of true", newFake("m"), spec)
}

// TestCellsWithoutDigests goes on from a cell of before there were digests: its
// model is known by its card, and nothing is added to what is known of it.
func TestCellsWithoutDigests(t *testing.T) {
	dir := t.TempDir()
	old := `{"cell": {"letter": "a", "units": 1, "seed": 0}, "squares": [0], "worst": -1.7976931348623157e+308, "machine": {}, "version": "devel", "model": {"name": "m"}}`
	if err := os.WriteFile(filepath.Join(dir, "cell-a.json"), []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	spec := fakeSpec{Letters: "a", Units: 2}
	var mismatch *experiment.MismatchError
	if _, err := newFake("n").Evaluate(t.Context(), spec, experiment.Options{Dir: dir}); !errors.As(err, &mismatch) {
		t.Errorf("another card: %v", err)
	}
	f := newFake("m")
	f.evaluate(t, spec, experiment.Options{Dir: dir})
	results, err := f.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := results["cell-a"]
	if !slices.Equal(f.computed, []string{"a1"}) || !slices.Equal(r.Squares, []int{0, 1}) || r.Digests != nil || r.Settings != nil {
		t.Errorf("computed %q, result %+v", f.computed, r)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "cell-a.json")); err != nil || !strings.Contains(string(text), `"worst": null`) {
		t.Errorf("%s, %v, want null for no number", text, err)
	}
}

// TestEveryCallHasItsManifest runs two shards and a call that fails.
func TestEveryCallHasItsManifest(t *testing.T) {
	spec, dir := fakeSpec{Letters: "ab", Units: 1, Seed: 4}, t.TempDir()
	for i := range 2 {
		newFake("m").evaluate(t, spec, experiment.Options{Dir: dir, Shard: experiment.Shard{Index: i, Count: 2}, Command: []string{"pcd"}, Seed: spec.Seed})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	spec.Units = 2
	if _, err := newFake("m").Evaluate(ctx, spec, experiment.Options{Dir: dir}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "calls", "*.json"))
	if err != nil || len(files) != 3 {
		t.Fatalf("%q, %v, want three manifests", files, err)
	}
	counts := map[manifest.Status]int{}
	written := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			manifest.Manifest
			Settings struct {
				Spec     fakeSpec
				Settings map[string]any
			} `json:"settings"`
		}
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		counts[m.Status]++
		if len(m.Inputs) != 1 || m.Settings.Spec.Letters != "ab" || len(m.Settings.Settings) != 1 {
			t.Errorf("%s: inputs %v, settings %+v", file, m.Inputs, m.Settings)
		}
		if m.Status == manifest.Finished {
			for name, digest := range m.Files {
				written[name] = digest
			}
		}
	}
	if counts[manifest.Finished] != 2 || counts[manifest.Interrupted] != 1 {
		t.Errorf("states %v", counts)
	}
	for _, name := range []string{"cell-a.json", "cell-b.json"} {
		if digest, err := manifest.DigestFile(filepath.Join(dir, name)); err != nil || written[name] != digest {
			t.Errorf("%s: digest %q, %v, want %q", name, written[name], err, digest)
		}
	}
}

// TestSlowerShardDoesNotGoBack computes a cell twice at once: the one that is
// behind leaves what the other has written.
func TestSlowerShardDoesNotGoBack(t *testing.T) {
	spec, dir := fakeSpec{Letters: "a", Units: 4}, t.TempDir()
	overtaken := false
	newFake("m").evaluate(t, spec, experiment.Options{Dir: dir, Progress: func(done, _ int) {
		if done == 2 && !overtaken {
			overtaken = true
			other := newFake("m")
			other.evaluate(t, spec, experiment.Options{Dir: dir})
			info, err := os.Stat(filepath.Join(dir, "cell-a.json"))
			if err != nil {
				t.Error(err)
			}
			t.Cleanup(func() {
				if now, err := os.Stat(filepath.Join(dir, "cell-a.json")); err != nil || !os.SameFile(info, now) {
					t.Error("the slower one has replaced the finished cell")
				}
			})
		}
	}})
	if got := newFake("m").squares(t, dir)["cell-a"]; !slices.Equal(got, []int{0, 1, 4, 9}) {
		t.Errorf("squares %v", got)
	}
}

// TestNothingBegins refuses what makes no evaluation and leaves no files.
func TestNothingBegins(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	good := fakeSpec{Letters: "ab", Units: 1}
	for name, c := range map[string]struct {
		spec fakeSpec
		o    experiment.Options
	}{
		"no units":        {fakeSpec{Letters: "a"}, experiment.Options{}},
		"no cells":        {fakeSpec{Units: 1}, experiment.Options{}},
		"a cell twice":    {fakeSpec{Letters: "aa", Units: 1}, experiment.Options{}},
		"shard 2 of 2":    {good, experiment.Options{Shard: experiment.Shard{Index: 2, Count: 2}}},
		"negative shards": {good, experiment.Options{Shard: experiment.Shard{Count: -1}}},
		"into a file":     {good, experiment.Options{Dir: file}},
	} {
		dir := t.TempDir()
		if c.o.Dir == "" {
			c.o.Dir = filepath.Join(dir, "results")
		}
		var refused *experiment.SpecError
		if _, err := newFake("m").Evaluate(t.Context(), c.spec, c.o); !errors.As(err, &refused) {
			t.Errorf("%s: %v, want a *SpecError", name, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s leaves %v, %v", name, left, err)
		}
	}
}

// TestEmptyResults reports nothing as an error.
func TestEmptyResults(t *testing.T) {
	dir := t.TempDir()
	if _, err := newFake("m").Report(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
	empty := `{"cell": {"letter": "a", "units": 1, "seed": 0}, "squares": [], "machine": {}, "version": ""}`
	if err := os.WriteFile(filepath.Join(dir, "cell-a.json"), []byte(empty), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := newFake("m").Report(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty cell: %v", err)
	}
}

// TestManyObjects refuses a small file that would take much memory.
func TestManyObjects(t *testing.T) {
	dir := t.TempDir()
	text := `{"cell": {"letter": "a", "units": 1, "seed": 0}, "squares": [0], "more": [` + strings.Repeat("{},", 1<<16) + `{}]}`
	if err := os.WriteFile(filepath.Join(dir, "cell-a.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var refused *experiment.FileError
	if _, err := newFake("m").Read(dir); !errors.As(err, &refused) || !strings.Contains(err.Error(), "objects") {
		t.Errorf("%v, want a *FileError about objects", err)
	}
}

// TestShardFromScheduler reads what schedulers say.
func TestShardFromScheduler(t *testing.T) {
	type env = map[string]string
	slurm := func(id, count, min, step string) env {
		return env{"SLURM_ARRAY_TASK_ID": id, "SLURM_ARRAY_TASK_COUNT": count, "SLURM_ARRAY_TASK_MIN": min, "SLURM_ARRAY_TASK_STEP": step}
	}
	with := func(e env, name, value string) env { e[name] = value; return e }
	for name, c := range map[string]struct {
		env  env
		want experiment.Shard
		err  string
	}{
		"slurm from 0":             {slurm("2", "4", "0", "1"), experiment.Shard{Index: 2, Count: 4}, ""},
		"slurm from 1":             {slurm("4", "4", "1", "1"), experiment.Shard{Index: 3, Count: 4}, ""},
		"slurm in steps":           {slurm("9", "4", "3", "2"), experiment.Shard{Index: 3, Count: 4}, ""},
		"slurm without the lowest": {slurm("2", "4", "", ""), experiment.Shard{Index: 2, Count: 4}, ""},
		"one lost task of slurm":   {with(slurm("2", "1", "2", "1"), "PCD_SHARDS", "4"), experiment.Shard{Index: 2, Count: 4}, ""},
		"kubernetes":               {env{"JOB_COMPLETION_INDEX": "5", "PCD_SHARDS": "8"}, experiment.Shard{Index: 5, Count: 8}, ""},
		"kubernetes, no count":     {env{"JOB_COMPLETION_INDEX": "5"}, experiment.Shard{}, "PCD_SHARDS"},
		"kubernetes, beyond":       {env{"JOB_COMPLETION_INDEX": "8", "PCD_SHARDS": "8"}, experiment.Shard{}, "want 0 to 7"},
		"no number":                {slurm("x", "4", "0", "1"), experiment.Shard{}, `"x"`},
		"negative":                 {slurm("-1", "4", "0", "1"), experiment.Shard{}, `"-1"`},
		"no scheduler":             {env{}, experiment.Shard{}, "JOB_COMPLETION_INDEX"},
	} {
		got, err := experiment.ShardFromScheduler(func(name string) string { return c.env[name] })
		var refused *experiment.SpecError
		switch {
		case c.err == "" && (err != nil || got != c.want):
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, c.want)
		case c.err != "" && (!errors.As(err, &refused) || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %v, want a *SpecError with %q", name, err, c.err)
		}
	}
	for text, want := range map[string]experiment.Shard{"0/1": {Count: 1}, "3/4": {Index: 3, Count: 4}} {
		if got, err := experiment.ParseShard(text); err != nil || got != want {
			t.Errorf("ParseShard(%q) = %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1", "4/4", "-1/4", "0/0", "0/x", "0/99999999999"} {
		if got, err := experiment.ParseShard(text); err == nil {
			t.Errorf("ParseShard(%q) = %+v", text, got)
		}
	}
}

// TestWorst keeps the largest number, and none for none.
func TestWorst(t *testing.T) {
	var w experiment.Worst
	for _, text := range []string{"null", "-1.7976931348623157e308"} {
		if err := json.Unmarshal([]byte(text), &w); err != nil {
			t.Fatal(err)
		}
		if _, some := w.Value(); some {
			t.Errorf("%s is a number", text)
		}
	}
	w.Add(-2)
	w.Add(-3)
	text, err := json.Marshal(w)
	var again experiment.Worst
	if err != nil || json.Unmarshal(text, &again) != nil || string(text) != "-2" || !reflect.DeepEqual(w, again) {
		t.Errorf("%s, %v", text, err)
	}
}
