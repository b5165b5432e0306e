package dataset_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/weights"
)

func TestReadNPZ(t *testing.T) {
	for _, name := range []string{"stored", "deflated"} {
		arrays, err := dataset.ReadNPZ("testdata/npy/"+name+".npz", dataset.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want := []dataset.Array{array(t, "a", []int{2, 3, 4}, base[float32](1)), array(t, "b", []int{3}, []int64{0, 1, 2})}
		if !reflect.DeepEqual(arrays, want) {
			t.Errorf("%s = %v, want %v", name, arrays, want)
		}
	}
	z, err := dataset.OpenNPZ("testdata/npy/stored.npz", dataset.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var ke *dataset.KeyError
	if _, err := z.Read("c"); !errors.As(err, &ke) || !slices.Equal(ke.Have, []string{"a", "b"}) {
		t.Errorf("Read(c) = %v, want a KeyError that lists a and b", err)
	}
	if _, err := dataset.OpenNPZ("testdata/absent.npz", dataset.ReadOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
}

// Arrays that share the bytes of one entry cannot add up to more than the limit.
// An error names the file and the array once.
func TestNPZErrorsNameTheirPlaceOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	if err := dataset.WriteNPZ(path, array(t, "x", []int{2}, []float32{1, 2})); err != nil {
		t.Fatal(err)
	}
	_, err := dataset.ReadNPZ(path, dataset.ReadOptions{MaxBytes: 4})
	if want := "dataset: " + path + ": x: npy: bytes for shape [2]: 8"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("too large: %v, want %s", err, want)
	}
	var missing *dataset.KeyError
	_, err = dataset.OpenReplay(path, dataset.ReplayOptions{})
	if want := "dataset: " + path + ": no array episode_ends"; !errors.As(err, &missing) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("no replay: %v, want %s", err, want)
	}
	_, err = dataset.OpenReplay(filepath.Dir(path), dataset.ReplayOptions{})
	if want := "dataset: " + filepath.Dir(path) + ": "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("no store: %v, want %s", err, want)
	}
}

func TestNPZTotalLimit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.npz")
	if err := dataset.WriteNPZ(path, array(t, "a", []int{30}, make([]float32, 30)), array(t, "b", []int{30}, make([]float32, 30))); err != nil {
		t.Fatal(err)
	}
	var le *dataset.LimitError
	if _, err := dataset.ReadNPZ(path, dataset.ReadOptions{MaxBytes: 239}); !errors.As(err, &le) {
		t.Errorf("240 bytes in two arrays with a limit of 239: %v, want a LimitError", err)
	}
	if _, err := dataset.ReadNPZ(path, dataset.ReadOptions{MaxBytes: 240}); err != nil {
		t.Errorf("240 bytes with a limit of 240: %v", err)
	}
}

// Reference arrays read here agree with what another reader makes of them.
func TestNPZAgreesWithNpyio(t *testing.T) {
	for _, path := range []string{"testdata/golden/linear.npz", "testdata/golden/limits.npz", "testdata/golden/conditional_unet1d_part.npz", "../internal/recorded/testdata/golden/layout/expected.npz"} {
		arrays, err := dataset.ReadNPZ(path, dataset.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want := golden.Open(t, path)
		for i, name := range want.Names() {
			v, err := arrays[i].Float32s()
			if err != nil || arrays[i].Name != name || !slices.Equal(arrays[i].Shape, want.Shape(name)) || !slices.Equal(v, want.Float32(name)) {
				t.Errorf("%s: array %s differs: %v", path, name, err)
			}
		}
	}
}

func TestNPZRoundTrip(t *testing.T) {
	arrays := []dataset.Array{
		array(t, "data/x", []int{2, 3, 4}, base[float32](7)),
		array(t, "y", []int{24}, base[float64](7)),
		array(t, "n", []int{2}, []int64{-1 << 60, 3}),
		array(t, "m", []int{2}, []int32{-5, 3}),
		array(t, "u", []int{1, 2}, []uint8{0, 255}),
		array(t, "f", []int{2}, []bool{false, true}),
		array(t, "none", []int{0}, []float32{}),
	}
	path := filepath.Join(t.TempDir(), "x.npz")
	if err := dataset.WriteNPZ(path, arrays...); err != nil {
		t.Fatal(err)
	}
	got, err := dataset.ReadNPZ(path, dataset.ReadOptions{})
	if err != nil || !reflect.DeepEqual(got, arrays) {
		t.Errorf("round trip = %v, %v; want %v", got, err, arrays)
	}
	one, _ := os.ReadFile(path)
	if err := dataset.WriteNPZ(path, arrays...); err != nil {
		t.Fatal(err)
	}
	if two, _ := os.ReadFile(path); !bytes.Equal(one, two) {
		t.Error("two files of the same arrays differ")
	}
	// A failed write leaves the old file and nothing else.
	if err := dataset.WriteNPZ(path, arrays[0], arrays[0]); err == nil {
		t.Error("two arrays of one name are written")
	}
	left, _ := os.ReadDir(filepath.Dir(path))
	if now, _ := os.ReadFile(path); !bytes.Equal(one, now) || len(left) != 1 {
		t.Errorf("after a failure: %d files, equal %v", len(left), bytes.Equal(one, now))
	}
}

func TestNPZStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, a large file")
	}
	for _, compress := range []bool{false, true} {
		var b bytes.Buffer
		w := dataset.NewNPZWriter(&b, compress)
		aw, err := w.Create("x", weights.F32, 100000, 3)
		if err != nil {
			t.Fatal(err)
		}
		row := []float32{0, 0, 0}
		for i := range 100000 {
			row[0], row[2] = float32(i), -float32(i)
			if err := dataset.Append(aw, row); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Create("y", weights.F32, 1); err == nil {
			t.Error("an array begins before the one before is closed")
		}
		var te *dataset.TypeError
		if err := dataset.Append(aw, []float64{1}); !errors.As(err, &te) {
			t.Errorf("float64 into float32: %v, want a TypeError", err)
		}
		var se *dataset.ShapeError
		if err := dataset.Append(aw, row); !errors.As(err, &se) {
			t.Errorf("a row too many: %v, want a ShapeError", err)
		}
		if err := aw.Close(); err != nil {
			t.Fatal(err)
		}
		short, err := w.Create("short", weights.U8, 2)
		if err != nil {
			t.Fatal(err)
		}
		if err := short.Close(); !errors.As(err, &se) {
			t.Errorf("an array without its elements: %v, want a ShapeError", err)
		}
		if err := w.Close(); err == nil {
			t.Error("an archive with an open array is closed")
		}
		if err := dataset.Append(short, []uint8{1, 2}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(short.Close(), w.Close()); err != nil {
			t.Fatal(err)
		}
		z, err := dataset.NewNPZ(bytes.NewReader(b.Bytes()), int64(b.Len()), "x", dataset.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := z.Read("x")
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := a.Float32s(); !slices.Equal(a.Shape, []int{100000, 3}) || v[299999] != -99999 || v[3] != 1 {
			t.Errorf("compress %v: shape %v", compress, a.Shape)
		}
	}
}

// entry adds a file to an archive.
func entry(t testing.TB, z *zip.Writer, name string, body []byte) {
	t.Helper()
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err == nil {
		_, err = w.Write(body)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func archive(t testing.TB, files ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		entry(t, z, files[i].(string), files[i+1].([]byte))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestHostileNPZ(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, many files")
	}
	good := npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 8)
	bomb := npy("{'descr': '|u1', 'fortran_order': False, 'shape': (20000000,)}", 20000000)
	damaged := archive(t, "a.npy", readFile(t, "npy/c_order.npy"))
	damaged[60] ^= 0x10
	for _, c := range []struct {
		what   string
		data   []byte
		reason string
	}{
		{"not a zip", []byte("hello"), "not a zip"},
		{"a single array", good, "want an archive of named arrays (.npz)"},
		{"truncated", archive(t, "a.npy", good)[:40], "not a zip"},
		{"other entry", archive(t, "a.txt", good), "not an array"},
		{"duplicate", archive(t, "a.npy", good, "a.npy", good), "appears twice"},
		{"trailing bytes", archive(t, "a.npy", append(slices.Clone(good), 0)), "more bytes"},
		{"missing bytes", archive(t, "a.npy", good[:len(good)-1]), "ends after 1"},
		{"bomb", archive(t, "a.npy", bomb), "exceeds the limit"},
		{"damaged", damaged, "a: "},
	} {
		z, err := dataset.NewNPZ(bytes.NewReader(c.data), int64(len(c.data)), "file", dataset.ReadOptions{MaxBytes: 10 << 20})
		if err == nil {
			_, err = z.Read("a")
		}
		var fe *dataset.FormatError
		if !errors.As(err, &fe) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, want a FormatError: %s", c.what, err, c.reason)
		}
	}
}

// An entry that declares more than deflate can hold is refused unread.
func TestNPZDeclaredSize(t *testing.T) {
	data := archive(t, "a.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 8))
	at := bytes.LastIndex(data, []byte("PK\x01\x02")) + 24 // uncompressed size in the directory
	copy(data[at:], []byte{0, 0, 0, 0x40})
	z, err := dataset.NewNPZ(bytes.NewReader(data), int64(len(data)), "file", dataset.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Read("a"); err == nil || !strings.Contains(err.Error(), "cannot hold") {
		t.Errorf("1 GiB declared in 80 bytes: %v, want a refusal", err)
	}
}

func FuzzNPZ(f *testing.F) {
	f.Add(readFile(f, "npy/stored.npz"))
	f.Add(readFile(f, "npy/deflated.npz"))
	f.Add(archive(f, "a.npy", npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1,2)}", 8), "meta/b.npy", npy("{'descr': '|b1', 'fortran_order': False, 'shape': ()}", 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		z, err := dataset.NewNPZ(bytes.NewReader(data), int64(len(data)), "file", dataset.ReadOptions{MaxBytes: 1 << 20})
		if err != nil {
			return
		}
		for _, name := range z.Names() {
			a, err := z.Read(name)
			if err == nil && a.DType().Size()*a.Elements() > 1<<20 {
				t.Errorf("%s has %d elements, more than the limit", name, a.Elements())
			}
		}
	})
}
