package lerobot

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The data sets of testdata were written by another library, apache/arrow-go, as the one that
// LeRobot uses writes them: episode e goes round a circle from the angle e on.
func TestDataSetsAreRead(t *testing.T) {
	var sets []*Frames
	for _, layout := range []string{"v2", "v3"} {
		d, err := Open("testdata/" + layout)
		if err != nil {
			t.Fatal(err)
		}
		f, err := d.Read("observation.state", "action", "observation.environment_state", "timestamp")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(f.Ends, []int64{20, 40, 60, 80}) {
			t.Errorf("%s: episodes end at %v", layout, f.Ends)
		}
		for i := range 80 {
			u := 0.05*float64(i%20) + float64(i/20)
			x, y := float32(256+150*math.Cos(u)), float32(256+150*math.Sin(u))
			state, action, corners := f.Vectors["observation.state"].Sample(i), f.Vectors["action"].Sample(i), f.Vectors["observation.environment_state"].Sample(i)
			if state[0] != x || state[1] != y || action[0] != x+5 || action[1] != y-5 || corners[15] != 150+x || f.Vectors["timestamp"].Sample(i)[0] != float32(i%20)/10 {
				t.Fatalf("%s: row %d is %v, %v, %v, want x %g and y %g", layout, i, state, action, corners, x, y)
			}
		}
		sets = append(sets, f)
	}
	for key, v := range sets[0].Vectors {
		if !slices.Equal(v.Data, sets[1].Vectors[key].Data) {
			t.Errorf("%s differs between the layouts", key)
		}
	}
}

// copied returns a copy of a data set whose files are changed.
func copied(t testing.TB, layout string, change func(dir string)) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/"+layout)); err != nil {
		t.Fatal(err)
	}
	change(dir)
	return dir
}

func replace(t testing.TB, path, old, new string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(raw), old) {
		t.Fatalf("%s has no %s: %v", path, old, err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(raw), old, new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestBrokenDataSetsAreRefused wants an [Error] that says what is wrong.
func TestBrokenDataSetsAreRefused(t *testing.T) {
	info := func(old, new string) func(dir string) {
		return func(dir string) { replace(t, filepath.Join(dir, infoFile), old, new) }
	}
	for name, c := range map[string]struct {
		says   string
		key    string
		change func(dir string)
	}{
		"old layout":     {"v2.0, v2.1 or v3.0", "action", info(`"v3.0"`, `"v1.6"`)},
		"no info":        {"cannot be read", "action", func(dir string) { os.Remove(filepath.Join(dir, infoFile)) }},
		"no feature":     {"has no feature", "observation.pos", func(string) {}},
		"video":          {"dataset.video=false", "observation.images.top", func(string) {}},
		"integers":       {"want up to", "task_index", func(string) {}},
		"more frames":    {"lists 90", "action", info(`"total_frames": 80`, `"total_frames": 90`)},
		"fewer frames":   {"more than the 50 frames", "action", info(`"total_frames": 80`, `"total_frames": 50`)},
		"fewer episodes": {"4 episodes", "action", info(`"total_episodes": 4`, `"total_episodes": 3`)},
		"huge":           {"lists", "action", info(`"total_frames": 80`, `"total_frames": 2000000000`)},
		"too many":       {"frames", "action", info(`"total_frames": 80`, `"total_frames": 3000000000`)},
		"other size": {"want 3", "observation.state", info(`"observation.state": {
      "dtype": "float32",
      "shape": [
        2`, `"observation.state": {
      "dtype": "float32",
      "shape": [
        3`)},
		"negative shape": {"has the shape", "action", info("16\n", "-16\n")},
		"no such column": {"is missing", "action.more", info(`"action": {`, `"action.more": {"dtype": "float32", "shape": [2]}, "action": {`)},
		"no files":       {"data", "action", func(dir string) { os.RemoveAll(filepath.Join(dir, "data")) }},
		"a file is gone": {"holds 60 frames", "action", func(dir string) { os.Remove(filepath.Join(dir, "data/chunk-000/file-001.parquet")) }},
		"files exchanged": {"of episode", "action", func(dir string) {
			os.Rename(filepath.Join(dir, "data/chunk-000/file-001.parquet"), filepath.Join(dir, "data/chunk-000/file+000.parquet"))
		}},
		"no parquet": {"no parquet file", "action", func(dir string) {
			os.WriteFile(filepath.Join(dir, "data/chunk-000/file-001.parquet"), []byte("PAR1"), 0o644)
		}},
		"a truncated file": {"parquet", "action", func(dir string) { os.Truncate(filepath.Join(dir, "data/chunk-000/file-000.parquet"), 3000) }},
	} {
		dir := copied(t, "v3", c.change)
		d, err := Open(dir)
		if err == nil {
			_, err = d.Read(c.key)
		}
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an *Error with %q", name, err, c.says)
		}
	}
}

// A picture has its channels first or last, as libraries of pictures and of networks have them.
func TestSizesOfPictures(t *testing.T) {
	for _, c := range []struct {
		shape         []int
		height, width int // 0 is refused
	}{
		{[]int{96, 128, 3}, 96, 128}, {[]int{3, 96, 128}, 96, 128}, {[]int{3, 5, 3}, 3, 5}, {[]int{maxSide, 1, 3}, maxSide, 1},
		{[]int{maxSide + 1, 1, 3}, 0, 0}, {[]int{3, 1, maxSide + 1}, 0, 0}, {[]int{96, 128}, 0, 0}, {[]int{96, 128, 4}, 0, 0}, {[]int{4, 96, 128}, 0, 0}, {nil, 0, 0},
	} {
		height, width, err := Feature{Shape: c.shape}.Picture()
		if height != c.height || width != c.width || (err != nil) != (c.height == 0) {
			t.Errorf("shape %v: %d×%d, %v; want %d×%d", c.shape, height, width, err, c.height, c.width)
		}
	}
}

// FuzzTable wants any file to be read or refused.
func FuzzTable(f *testing.F) {
	raw, err := os.ReadFile("testdata/v2/data/chunk-000/episode_000000.parquet")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add(raw[:len(raw)-9])
	f.Fuzz(func(t *testing.T, raw []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "x.parquet"), raw, 0o644); err != nil {
			t.Fatal(err)
		}
		table, err := openTable(dir, "x.parquet")
		if err != nil {
			return
		}
		defer table.close()
		if v, err := table.numbers(nil, "action", 2); err == nil && int64(len(v)) != 2*table.rows() {
			t.Errorf("%d numbers in %d rows", len(v), table.rows())
		}
		_, _ = table.integers(episodeKey)
	})
}
