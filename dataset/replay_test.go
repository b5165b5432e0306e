package dataset_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-pcd/pcd/dataset"
)

// wantReplay is what testdata/replay.zarr was written from.
func wantReplay(t testing.TB) map[string]dataset.Array {
	const rows = 23
	var action, state, keypoint []float32
	var wide []float64
	var count []int32
	var small []uint8
	var even []bool
	var big []int64
	for n := range rows {
		a := []float32{float32(n) / 2, float32(100 - n)}
		action = append(action, a...)
		keypoint = slices.Concat(keypoint, a, a, a)
		wide = append(wide, float64(a[0]), float64(a[1]))
		for k := range 5 {
			state = append(state, float32(10*n+k))
		}
		count, small, even, big = append(count, int32(n)), append(small, uint8(n)), append(even, n%2 == 0), append(big, int64(n))
	}
	want := map[string]dataset.Array{}
	for _, a := range []dataset.Array{
		array(t, "action", []int{rows, 2}, action), array(t, "state", []int{rows, 5}, state), array(t, "keypoint", []int{rows, 3, 2}, keypoint),
		array(t, "zlib", []int{rows, 2}, wide), array(t, "gzip", []int{rows}, count), array(t, "lz4", []int{rows}, small),
		array(t, "plain", []int{rows}, even), array(t, "big", []int{rows}, big),
	} {
		want[a.Name] = a
	}
	return want
}

func TestReadZarrStore(t *testing.T) {
	b, err := dataset.OpenReplay("testdata/replay.zarr", dataset.ReplayOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(b.EpisodeEnds, []int64{9, 13, 23}) || b.Rows() != 23 {
		t.Errorf("episode ends %v", b.EpisodeEnds)
	}
	if lo, hi := b.Episode(0); lo != 0 || hi != 9 {
		t.Errorf("Episode(0) = %d, %d", lo, hi)
	}
	if lo, hi := b.Episode(2); lo != 13 || hi != 23 {
		t.Errorf("Episode(2) = %d, %d", lo, hi)
	}
	want := wantReplay(t)
	if len(b.Arrays) != len(want) {
		t.Errorf("%d arrays, want %d", len(b.Arrays), len(want))
	}
	for _, a := range b.Arrays {
		if !reflect.DeepEqual(a, want[a.Name]) {
			t.Errorf("%s is %+v, want %+v", a.Name, a, want[a.Name])
		}
	}
	var ke *dataset.KeyError
	if _, err := b.Array("img"); !errors.As(err, &ke) || len(ke.Have) != 8 {
		t.Errorf("Array(img) = %v, want a KeyError that lists 8 names", err)
	}
}

func TestReplayKeys(t *testing.T) {
	b, err := dataset.OpenReplay("testdata/replay.zarr", dataset.ReplayOptions{Keys: []string{"state", "action"}})
	if err != nil || len(b.Arrays) != 2 || b.Arrays[0].Name != "action" {
		t.Errorf("two keys = %v, %v", b, err)
	}
	var ke *dataset.KeyError
	for _, key := range []string{"img", "../meta/episode_ends", ""} {
		if _, err := dataset.OpenReplay("testdata/replay.zarr", dataset.ReplayOptions{Keys: []string{key}}); !errors.As(err, &ke) || ke.Want != key {
			t.Errorf("key %q: %v, want a KeyError", key, err)
		}
	}
}

func TestReplayNPZ(t *testing.T) {
	b, err := dataset.OpenReplay("testdata/replay.zarr", dataset.ReplayOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "replay.npz")
	if err := b.WriteNPZ(path); err != nil {
		t.Fatal(err)
	}
	got, err := dataset.OpenReplay(path, dataset.ReplayOptions{})
	if err != nil || !reflect.DeepEqual(got, b) {
		t.Errorf("round trip = %+v, %v, want %+v", got, err, b)
	}
	flat := filepath.Join(dir, "flat.npz")
	action, _ := b.Array("action")
	if err := dataset.WriteNPZ(flat, action, array(t, "episode_ends", []int{2}, []int32{5, 23})); err != nil {
		t.Fatal(err)
	}
	got, err = dataset.OpenReplay(flat, dataset.ReplayOptions{})
	if err != nil || !slices.Equal(got.EpisodeEnds, []int64{5, 23}) || len(got.Arrays) != 1 {
		t.Errorf("names without folders: %v, %v", got, err)
	}
	for what, arrays := range map[string][]dataset.Array{
		"no ends":   {action},
		"two names": {action, array(t, "data/action", []int{1}, []float32{1}), array(t, "episode_ends", []int{1}, []int64{23})},
		"2-D ends":  {action, array(t, "episode_ends", []int{1, 1}, []int64{23})},
		"real ends": {action, array(t, "episode_ends", []int{1}, []float32{23})},
	} {
		if err := dataset.WriteNPZ(flat, arrays...); err != nil {
			t.Fatal(err)
		}
		if _, err := dataset.OpenReplay(flat, dataset.ReplayOptions{}); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := dataset.OpenReplay(filepath.Join(dir, "absent"), dataset.ReplayOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent path: %v", err)
	}
}

func TestEpisodesAreChecked(t *testing.T) {
	rows := array(t, "x", []int{4, 1}, make([]float32, 4))
	for _, c := range []struct {
		ends  []int64
		index int
	}{
		{[]int64{4}, -1},
		{[]int64{1, 4}, -1},
		{[]int64{0, 4}, 0},
		{[]int64{3, 3, 4}, 1},
		{[]int64{3, 2, 4}, 1},
		{[]int64{-1, 4}, 0},
		{[]int64{3}, 0},
		{[]int64{3, 5}, 1},
	} {
		err := (&dataset.ReplayBuffer{Arrays: []dataset.Array{rows}, EpisodeEnds: c.ends}).Check()
		var ee *dataset.EpisodeError
		if c.index < 0 {
			if err != nil {
				t.Errorf("ends %v: %v", c.ends, err)
			}
		} else if !errors.As(err, &ee) || ee.Index != c.index {
			t.Errorf("ends %v: %v, want an EpisodeError for %d", c.ends, err, c.index)
		}
	}
	other := array(t, "y", []int{3}, make([]float32, 3))
	err := (&dataset.ReplayBuffer{Arrays: []dataset.Array{rows, other}, EpisodeEnds: []int64{4}}).Check()
	var se *dataset.ShapeError
	if !errors.As(err, &se) || se.Array != "y" {
		t.Errorf("arrays of different length: %v, want a ShapeError", err)
	}
}

// store returns a copy of the test store in memory, with changes.
func store(t testing.TB, changes map[string]string) fstest.MapFS {
	t.Helper()
	m := fstest.MapFS{}
	root := os.DirFS("testdata/replay.zarr")
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(root, p)
		m[p] = &fstest.MapFile{Data: b}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for p, text := range changes {
		if text == "" {
			delete(m, p)
			continue
		}
		m[p] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestHostileZarr(t *testing.T) {
	meta := func(change ...string) string {
		text := `{"zarr_format":2,"shape":[23,2],"chunks":[16,2],"dtype":"<f4","compressor":{"id":"blosc"},"fill_value":0,"filters":null,"order":"C"}`
		for i := 0; i < len(change); i += 2 {
			if !strings.Contains(text, change[i]) {
				t.Fatalf("%s is not in the metadata", change[i])
			}
			text = strings.Replace(text, change[i], change[i+1], 1)
		}
		return text
	}
	const file = "data/action/.zarray"
	for _, c := range []struct {
		what    string
		changes map[string]string
		reason  string
	}{
		{"unchanged", map[string]string{file: meta()}, ""},
		{"metadata cut", map[string]string{file: meta()[:40]}, "not the metadata"},
		{"zarr 3", map[string]string{file: meta(`:2,"shape"`, `:3,"shape"`)}, "zarr format 3"},
		{"structured type", map[string]string{file: meta(`"<f4"`, `[["a","<f4"]]`)}, "structured types"},
		{"object type", map[string]string{file: meta(`"<f4"`, `"|O"`)}, "Python objects"},
		{"other compressor", map[string]string{file: meta(`blosc`, `lzma`)}, `compressor "lzma"`},
		{"filters", map[string]string{file: meta(`"filters":null`, `"filters":[{"id":"delta"}]`)}, "filters"},
		{"order", map[string]string{file: meta(`"C"`, `"K"`)}, `order "K"`},
		{"separator", map[string]string{file: meta(`"order":"C"`, `"order":"C","dimension_separator":"../"`)}, "dimension separator"},
		{"rank", map[string]string{file: meta(`[16,2]`, `[16]`)}, "want 1 to"},
		{"zero chunk", map[string]string{file: meta(`[16,2]`, `[0,2]`)}, "chunks of"},
		{"negative shape", map[string]string{file: meta(`[23,2]`, `[-23,2]`)}, "shape [-23 2]"},
		{"huge shape", map[string]string{file: meta(`[23,2]`, `[4611686018427387904,4611686018427387904]`)}, "exceeds the limit"},
		{"huge chunk", map[string]string{file: meta(`[16,2]`, `[1000000000,2]`)}, "bytes of a chunk"},
		{"more chunks than files", map[string]string{file: meta(`[23,2]`, `[2000000,2]`)}, "missing chunk"},
		{"shape out of proportion to the files", map[string]string{file: meta(`[23,2]`, `[20000000,2]`)}, "file of this size"},
		{"chunk out of proportion to the files", map[string]string{file: meta(`[16,2]`, `[20000000,2]`)}, "file of this size"},
		{"chunk missing", map[string]string{"data/action/1.0": ""}, "missing chunk"},
		{"chunk cut", map[string]string{"data/action/1.0": string(mustRead(t, "testdata/replay.zarr/data/action/1.0")[:40])}, "damaged chunk"},
		{"chunk of another array", map[string]string{"data/action/1.0": string(mustRead(t, "testdata/replay.zarr/data/state/0.0"))}, "damaged chunk"},
		{"chunk too long", map[string]string{"data/plain/1": "12345"}, "5 bytes, want 4"},
		{"enormous chunk", map[string]string{"data/plain/1": strings.Repeat("x", 1<<17)}, "more than the 65544 bytes"},
		{"gzip cut", map[string]string{"data/gzip/0": string(mustRead(t, "testdata/replay.zarr/data/gzip/0")[:20])}, "damaged chunk"},
		{"lz4 size", map[string]string{"data/lz4/0": "\x01\x00\x00\x00\x10a"}, "does not declare"},
		{"no ends", map[string]string{"meta/episode_ends/.zarray": ""}, "missing"},
		{"long metadata", map[string]string{file: meta() + strings.Repeat(" ", 2<<20)}, "more than the 1048576 bytes"},
		{"other number of rows", map[string]string{file: meta(`[23,2]`, `[22,2]`)}, "rows"},
	} {
		_, err := dataset.ReadReplayZarr(store(t, c.changes), dataset.ReplayOptions{})
		if c.reason == "" {
			if err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, want %q", c.what, err, c.reason)
		}
	}
	if _, err := dataset.ReadReplayZarr(fstest.MapFS{}, dataset.ReplayOptions{}); err == nil {
		t.Error("an empty folder is read")
	}
	var le *dataset.LimitError
	opts := dataset.ReplayOptions{ReadOptions: dataset.ReadOptions{MaxBytes: 100}}
	if _, err := dataset.ReadReplayZarr(store(t, nil), opts); !errors.As(err, &le) {
		t.Errorf("a limit of 100 bytes: %v, want a LimitError", err)
	}
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// FuzzZarr varies the metadata of an array and one of its chunks.
func FuzzZarr(f *testing.F) {
	for _, name := range []string{"action", "state", "keypoint", "zlib", "big"} {
		dir := "testdata/replay.zarr/data/" + name + "/"
		first := "0.0"
		switch name {
		case "keypoint":
			first = "0.0.0"
		case "big":
			first = "0"
		}
		f.Add(mustRead(f, dir+".zarray"), mustRead(f, dir+first))
	}
	f.Fuzz(func(t *testing.T, meta, chunk []byte) {
		m := fstest.MapFS{"a/.zarray": {Data: meta}}
		for _, name := range []string{"0", "1", "0.0", "1.0", "0.0.0", "0/0"} {
			m["a/"+name] = &fstest.MapFile{Data: chunk}
		}
		a, err := dataset.ReadZarr(m, "a", dataset.ReadOptions{MaxBytes: 1 << 20})
		if err == nil && a.Elements()*a.DType().Size() > 1<<20 {
			t.Errorf("shape %v is above the limit", a.Shape)
		}
	})
}
