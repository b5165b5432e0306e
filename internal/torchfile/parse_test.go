package torchfile_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/internal/pickle"
	"github.com/go-pcd/pcd/internal/torchfile"
)

// The pieces of pickles, as the instructions that push them.
const (
	storage  = "(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x06tQ" // six elements under key 0
	rebuild  = "ctorch._utils\n_rebuild_tensor_v2\n"
	tail     = "\x89ccollections\nOrderedDict\n)RtR" // requires_grad, hooks, call
	matrix   = rebuild + "(" + storage + "K\x00K\x02K\x03\x86K\x03K\x01\x86" + tail
	evil     = "cos\nsystem\nX\x02\x00\x00\x00ls\x85R"
	sdKey    = "X\x0b\x00\x00\x00state_dicts"
	wKey     = "X\x01\x00\x00\x00w"
	otherKey = "X\x01\x00\x00\x00o"
)

// view describes a tensor over storage 0 with the given integers.
func view(offset int, shape, stride []int) string {
	return rebuild + "(" + storage + num(offset) + tuple(shape) + tuple(stride) + tail
}

func num(n int) string {
	return "\x8a\x08" + string(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

func tuple(v []int) string {
	s := "("
	for _, n := range v {
		s += num(n)
	}
	return s + "t"
}

// entry is one file of an archive.
type entry struct {
	name   string
	body   []byte
	method uint16
}

func archive(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		w, err := z.CreateHeader(&zip.FileHeader{Name: e.name, Method: e.method})
		if err != nil {
			t.Fatal(err)
		}
		w.Write(e.body)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func numbers(n int) []byte {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(i)
	}
	return dtype.AppendFloat32s(dtype.F32, nil, v)
}

func build(t testing.TB, program string) []byte {
	return archive(t, entry{name: "x/data.pkl", body: []byte(program)}, entry{name: "x/data/0", body: numbers(6)})
}

func names(f *torchfile.File) (out []string) {
	for _, t := range f.Tensors {
		out = append(out, t.Name)
	}
	return out
}

func TestLayouts(t *testing.T) {
	for _, c := range []struct {
		what, program string
		opts          torchfile.Options
		names         []string
		skipped       []string
	}{
		{"bare tensor", matrix + ".", torchfile.Options{}, []string{""}, nil},
		{"dict", "}(" + wKey + matrix + otherKey + "K\x01u.", torchfile.Options{}, []string{"w"}, nil},
		{"integer keys and sequences", "}K\x05]" + matrix + "a" + matrix + "\x85as.", torchfile.Options{}, []string{"5.0", "5.1.0"}, nil},
		{"parameter", "ctorch._utils\n_rebuild_parameter\n(" + matrix + "\x88ccollections\nOrderedDict\n)RtR.", torchfile.Options{}, []string{""}, nil},
		{"checkpoint beside objects", "}(" + otherKey + evil + sdKey + "}" + wKey + matrix + "su.", torchfile.Options{}, []string{"state_dicts.w"}, []string{"os.system"}},
		{"objects skipped on request", "}(" + otherKey + evil + wKey + matrix + "u.", torchfile.Options{SkipObjects: true}, []string{"w"}, []string{"os.system"}},
		{"shared container", "}(" + wKey + "]" + matrix + "aq\x00" + otherKey + "h\x00u.", torchfile.Options{}, []string{"w.0", "o.0"}, nil},
		{"nothing", "}.", torchfile.Options{}, nil, nil},
	} {
		f, err := torchfile.Parse(build(t, c.program), c.opts)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if got := names(f); !slices.Equal(got, c.names) || !slices.Equal(f.Skipped, c.skipped) {
			t.Errorf("%s: tensors %q, skipped %q; want %q, %q", c.what, got, f.Skipped, c.names, c.skipped)
		}
	}
}

func TestTensorFields(t *testing.T) {
	f, err := torchfile.Parse(build(t, view(1, []int{2, 2}, []int{1, 2})+"."), torchfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := f.Tensors[0]
	if !slices.Equal(got.Shape, []int{2, 2}) || !slices.Equal(got.Stride, []int{1, 2}) || got.Offset != 1 {
		t.Errorf("view = %v %v %d, want [2 2] [1 2] 1", got.Shape, got.Stride, got.Offset)
	}
	s := got.Storage
	if s.Key != "0" || s.Location != "cpu" || s.DType != dtype.F32 || s.Elements != 6 {
		t.Errorf("storage = %+v", s)
	}
	if b, err := s.Bytes(); err != nil || !bytes.Equal(b, numbers(6)) {
		t.Errorf("bytes = %v, %v", b, err)
	}
}

func TestForeignNamesAreRefused(t *testing.T) {
	for what, program := range map[string]string{
		"beside tensors":        "}(" + wKey + matrix + otherKey + evil + "u.",
		"popped":                evil + "0}.",
		"root":                  evil + ".",
		"in place of a storage": rebuild + "(" + evil + "K\x00)) " + ".",
		"named only":            "}" + otherKey + "cos\nsystem\ns.",
		"within state_dicts":    "}" + sdKey + "}" + otherKey + evil + "ss.",
	} {
		_, err := torchfile.Parse(build(t, program), torchfile.Options{})
		var ge *torchfile.GlobalError
		if what == "in place of a storage" {
			var e *torchfile.Error
			if !errors.As(err, &e) {
				t.Errorf("%s: %v, want an error", what, err)
			}
			continue
		}
		if !errors.As(err, &ge) || ge.Names[0] != "os.system" {
			t.Errorf("%s: %v, want a GlobalError that names os.system", what, err)
		}
	}
}

func TestHostilePickles(t *testing.T) {
	deep := strings.Repeat("]", 200) + strings.Repeat("a", 199)
	laughs := "]" + matrix + "aq\x00" // each list holds the one before eight times
	for i := range 60 {
		get := "h" + string([]byte{byte(i)})
		laughs += "](" + strings.Repeat(get, 8) + "eq" + string([]byte{byte(i + 1)})
	}
	for _, c := range []struct{ what, program, reason string }{
		{"cycle", "]q\x00h\x00a.", "holds itself"},
		{"cycle through a dict", "}q\x00" + wKey + "]h\x00as.", "holds itself"},
		{"depth", deep + ".", "exceeds the limit of 64"},
		{"billion laughs", laughs + ".", "more values than bytes"},
		{"odd key", "}\x88" + matrix + "s.", "a key is bool"},
		{"too many elements", view(0, []int{7}, []int{1}) + ".", "does not fit"},
		{"expanded", view(0, []int{1000}, []int{0}) + ".", "does not fit"},
		{"overflowing shape", view(0, []int{1 << 40, 1 << 40}, []int{0, 0}) + ".", "does not fit"},
		{"negative shape", view(0, []int{-1}, []int{1}) + ".", "wrong type"},
		{"out of bounds", view(1, []int{2, 3}, []int{3, 1}) + ".", "reach outside"},
		{"huge stride", view(0, []int{3, 2}, []int{1 << 62, 1}) + ".", "reach outside"},
		{"negative offset", view(-1, []int{1}, []int{1}) + ".", "reach outside"},
		{"ranks differ", view(0, []int{2, 3}, []int{1}) + ".", "the same number"},
		{"many axes", view(0, make([]int, 17), make([]int, 17)) + ".", "at most 16"},
		{"few arguments", rebuild + "(" + storage + "tR.", "1 arguments"},
		{"no storage", rebuild + "(NK\x00))tR.", "wrong type"},
		{"missing storage", strings.Replace(matrix, "\x000X", "\x009X", 1) + ".", "missing from the archive"},
		{"wrong length", strings.Replace(matrix, "K\x06tQ", "K\x05tQ", 1) + ".", "24 bytes, want 5 elements"},
		{"overflowing length", strings.Replace(matrix, "K\x06tQ", num(1<<62)+"tQ", 1) + ".", "24 bytes, want"},
		{"two types", "]" + matrix + "a" + strings.Replace(strings.Replace(matrix, "Float", "Int", 1), "K\x06tQ", "K\x06tQ", 1) + "a.", "described as"},
		{"quantised storage", strings.Replace(matrix, "Float", "QInt8", 1) + ".", "torch.QInt8Storage"},
		{"stored elsewhere", "K\x01Q.", "want a storage"},
		{"python 2 dict", "ccollections\nOrderedDict\n]\x85R.", "Python 2"},
		{"parameter of nothing", "ctorch._utils\n_rebuild_parameter\n)R.", "want a tensor"},
	} {
		_, err := torchfile.Parse(build(t, c.program), torchfile.Options{})
		if err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, want %q", c.what, err, c.reason)
		}
	}
}

func TestHostileArchives(t *testing.T) {
	pkl := func(name string) entry { return entry{name: name, body: []byte(matrix + ".")} }
	data := entry{name: "x/data/0", body: numbers(6)}
	good := archive(t, pkl("x/data.pkl"), data)
	for _, c := range []struct {
		what   string
		data   []byte
		reason string
	}{
		{"empty", nil, "unreadable"},
		{"truncated", good[:len(good)/2], "unreadable"},
		{"no pickle", archive(t, data), "data.pkl: missing"},
		{"two pickles", archive(t, pkl("x/data.pkl"), pkl("y/data.pkl"), data), "a second data.pkl"},
		{"duplicate entries", archive(t, pkl("x/data.pkl"), data, data), "two entries"},
		{"TorchScript", archive(t, pkl("x/constants.pkl"), pkl("x/data.pkl"), data), "TorchScript"},
		{"compressed pickle", archive(t, entry{"x/data.pkl", []byte(matrix + "."), zip.Deflate}, data), "compressed"},
		{"compressed storage", archive(t, pkl("x/data.pkl"), entry{"x/data/0", numbers(6), zip.Deflate}), "compressed"},
		{"big endian", archive(t, pkl("x/data.pkl"), data, entry{name: "x/byteorder", body: []byte("big")}), "byte order"},
		{"huge pickle", archive(t, entry{name: "x/data.pkl", body: make([]byte, 5<<20)}), "exceeds the limit"},
		{"damaged pickle", damage(good, []byte("_rebuild")), "checksum"},
		{"not a pickle", archive(t, entry{name: "x/data.pkl", body: []byte("hello")}), "not a readable pickle"},
	} {
		_, err := torchfile.Parse(c.data, torchfile.Options{})
		if err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, want %q", c.what, err, c.reason)
		}
	}
	f, err := torchfile.Parse(damage(good, numbers(6)[4:]), torchfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Tensors[0].Storage.Bytes(); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("bytes of a damaged storage: %v, want a checksum error", err)
	}
	if _, err := torchfile.Parse(archive(t, pkl("x/data.pkl"), data, entry{name: "x/byteorder", body: []byte("little")}), torchfile.Options{}); err != nil {
		t.Errorf("little endian: %v", err)
	}
}

// damage flips a bit of the first occurrence of part.
func damage(data, part []byte) []byte {
	out := bytes.Clone(data)
	out[bytes.Index(out, part)] ^= 1
	return out
}

func TestErrorsUnwrap(t *testing.T) {
	_, err := torchfile.Parse(build(t, "K"), torchfile.Options{})
	var pe *pickle.Error
	if !errors.As(err, &pe) {
		t.Errorf("%v does not wrap a pickle.Error", err)
	}
}

// FuzzParse varies the pickle and leaves the archive around it intact.
func FuzzParse(f *testing.F) {
	for _, p := range []string{
		matrix + ".", "}(" + wKey + matrix + otherKey + evil + "u.", "]q\x00h\x00a.",
		"}(" + otherKey + evil + sdKey + "}" + wKey + matrix + "su.",
		view(1, []int{2, 2}, []int{1, 2}) + ".", view(0, []int{1 << 40, 1 << 40}, []int{0, 0}) + ".",
		"}K\x05]" + matrix + "a" + matrix + "\x85as.",
	} {
		f.Add([]byte(p), false)
		f.Add([]byte(p), true)
	}
	f.Fuzz(func(t *testing.T, program []byte, skip bool) {
		file, err := torchfile.Parse(build(t, string(program)), torchfile.Options{SkipObjects: skip})
		if err != nil {
			return
		}
		for _, x := range file.Tensors {
			b, err := x.Storage.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			n, ok := dtype.Elements(x.Shape, x.Storage.Elements)
			if !ok {
				t.Fatalf("%q: shape %v over %d elements", x.Name, x.Shape, x.Storage.Elements)
			}
			size := x.Storage.DType.Size()
			dtype.Gather(make([]byte, int(n)*size), b, size, x.Shape, x.Stride, x.Offset) // panics outside the storage
		}
	})
}

// FuzzArchive varies the whole file.
func FuzzArchive(f *testing.F) {
	f.Add(build(f, matrix+"."))
	f.Add(archive(f, entry{"x/data.pkl", []byte(matrix + "."), zip.Deflate}))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := torchfile.Parse(data, torchfile.Options{})
		if err != nil {
			return
		}
		for _, x := range file.Tensors {
			if _, err := x.Storage.Bytes(); err != nil {
				var e *torchfile.Error
				if !errors.As(err, &e) {
					t.Fatal(err)
				}
			}
		}
	})
}
