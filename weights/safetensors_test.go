package weights_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/weights"
)

// file puts a header before n bytes.
func file(header string, n int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, n)...)
}

func TestSafetensorsHeaders(t *testing.T) {
	const a = `"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`
	for _, c := range []struct {
		what   string
		data   []byte
		reason string // empty: accepted
	}{
		{"one tensor", file(`{`+a+`}`, 8), ""},
		{"padding and metadata", file(`{"__metadata__":{"k":"v"},`+a+`}   `, 8), ""},
		{"no tensors", file(`{}`, 0), ""},
		{"scalar and empty", file(`{"s":{"dtype":"F16","shape":[],"data_offsets":[0,2]},"e":{"dtype":"I64","shape":[0,3],"data_offsets":[2,2]}}`, 2), ""},
		{"unaligned", file(`{"u":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"f":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}}`, 5), ""},
		{"header past the end", file(`{`+a+`}`, 8)[:20], "the file has 12: it may be cut off"},
		{"truncated data", file(`{`+a+`}`, 7), "the file has 7: it may be cut off"},
		{"trailing data", file(`{`+a+`}`, 9), "end at byte 8 of 9"},
		{"text after the header", file(`{`+a+`} x`, 8), "after the closing brace"},
		{"second object", file(`{`+a+`}{}`, 8), "after the closing brace"},
		{"array", file(`[1]`, 0), "unknown format"},
		{"unclosed", file(`{`+a, 8), "header"},
		{"duplicate name", file(`{`+a+`,`+a+`}`, 8), "appears twice"},
		{"duplicate name by escape", file(`{`+a+`,"\u0061"`+a[3:]+`}`, 8), "appears twice"},
		{"duplicate key", file(`{"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8), "appears twice"},
		{"unknown key", file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}}`, 8), "unknown key"},
		{"missing key", file(`{"a":{"dtype":"F32","shape":[2]}}`, 8), "want dtype, shape and data_offsets"},
		{"unknown type", file(`{"a":{"dtype":"F31","shape":[2],"data_offsets":[0,8]}}`, 8), `unknown element type "F31"`},
		{"wrong size", file(`{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}`, 8), "does not fill"},
		{"overflowing shape", file(`{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}}`, 8), "does not fill"},
		{"negative axis", file(`{"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}`, 8), "non-negative"},
		{"fractional axis", file(`{"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}}`, 8), "non-negative"},
		{"text axis", file(`{"a":{"dtype":"F32","shape":["2"],"data_offsets":[0,8]}}`, 8), "non-negative"},
		{"many axes", file(`{"a":{"dtype":"F32","shape":[`+strings.Repeat("1,", 16)+`2],"data_offsets":[0,8]}}`, 8), "at most 16"},
		{"offsets reversed", file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}`, 8), "bytes 8 to 0"},
		{"one offset", file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[8]}}`, 8), "1 offsets"},
		{"overlap", file(`{`+a+`,"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}`, 12), "an overlap"},
		{"same bytes", file(`{`+a+`,"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8), "an overlap"},
		{"gap", file(`{`+a+`,"b":{"dtype":"F32","shape":[2],"data_offsets":[12,20]}}`, 20), "a gap"},
		{"metadata of numbers", file(`{"__metadata__":{"k":1},`+a+`}`, 8), "want text"},
		{"giant header length", append(binary.LittleEndian.AppendUint64(nil, 1<<62), '{', '}'), "unknown format"},
		{"invalid JSON", file(`{"a":}`, 0), "header"},
	} {
		sd, err := weights.Parse(c.data, weights.Options{})
		var fe *weights.FormatError
		switch {
		case c.reason == "" && err != nil:
			t.Errorf("%s: %v", c.what, err)
		case c.reason != "" && (!errors.As(err, &fe) || !strings.Contains(err.Error(), c.reason) || sd != nil):
			t.Errorf("%s: %v, want a FormatError: %s", c.what, err, c.reason)
		}
	}
}

func TestSafetensorsAlignmentDoesNotMatter(t *testing.T) {
	one := []byte{0, 0, 0x80, 0x3f}
	data := append(file(`{"u":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"f":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}}`, 1), one...)
	sd, err := weights.Parse(data, weights.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, _ := sd.Tensor("f")
	if v, err := x.Float32s(nil); err != nil || v[0] != 1 {
		t.Errorf("unaligned tensor = %v, %v, want 1", v, err)
	}
}

// Writing what was read gives the same tensors in the same order, aligned, and
// the same bytes each time.
func TestSafetensorsRoundTrip(t *testing.T) {
	for _, path := range []string{"testdata/mixed.pth", "testdata/golden/conditional_unet1d_tiny.safetensors"} {
		sd := open(t, path)
		meta := map[string]string{"b": "2 < 3", "a": "é\n"}
		var one, two bytes.Buffer
		if err := weights.WriteSafetensors(&one, sd, meta); err != nil {
			t.Fatal(err)
		}
		back, err := weights.Parse(one.Bytes(), weights.Options{})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if !maps.Equal(back.Metadata, meta) {
			t.Errorf("%s: metadata %v, want %v", path, back.Metadata, meta)
		}
		if err := weights.WriteSafetensors(&two, back, meta); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("%s: the second file differs from the first", path)
		}
		compare(t, path, back, sd)
	}
}

// compare checks that two collections hold the same tensors in one order.
func compare(t *testing.T, what string, got, want *weights.StateDict) {
	t.Helper()
	if got.Len() != want.Len() {
		t.Fatalf("%s: %d tensors, want %d", what, got.Len(), want.Len())
	}
	for i, w := range want.Tensors() {
		g := got.Tensors()[i]
		if g.Name != w.Name || g.DType != w.DType || !slices.Equal(g.Shape, w.Shape) {
			t.Errorf("%s: tensor %d is %s %v %v, want %s %v %v", what, i, g.Name, g.DType, g.Shape, w.Name, w.DType, w.Shape)
			continue
		}
		if gs, ws := numbers(t, g), numbers(t, w); !slices.Equal(gs, ws) {
			t.Errorf("%s: %s = %v, want %v", what, g.Name, gs, ws)
		}
	}
}

func numbers(t *testing.T, x weights.Tensor) []string {
	t.Helper()
	if dtype.Float(x.DType) {
		v, err := x.Float32s(nil)
		if err != nil {
			t.Fatal(err)
		}
		return texts(v)
	}
	v, err := x.Int64s(nil)
	if err != nil {
		t.Fatal(err)
	}
	return texts(v)
}

func texts[T float32 | int64](v []T) []string {
	out := make([]string, len(v))
	for i, x := range v {
		out[i] = fmt.Sprint(x)
	}
	return out
}

// The writer's bytes for a fixed input are part of its contract.
func TestSafetensorsBytes(t *testing.T) {
	var sd weights.StateDict
	if err := sd.Add(weights.New("b", []int{2}, []float32{1, -2}), weights.New("a.w", []int{1, 1}, []float32{0.5})); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := weights.WriteSafetensors(&b, &sd, map[string]string{"format": "pcd"}); err != nil {
		t.Fatal(err)
	}
	header := `{"__metadata__":{"format":"pcd"},"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a.w":{"dtype":"F32","shape":[1,1],"data_offsets":[8,12]}}`
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	want := append(file(header, 0), 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0x3f)
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("file = %q, want %q", b.Bytes(), want)
	}
	if err := sd.Add(weights.New("b", nil, []float32{0})); err == nil {
		t.Error("a second tensor b is accepted")
	}
	for _, name := range []string{"__metadata__", "\xff"} {
		var bad weights.StateDict
		if err := bad.Add(weights.New(name, nil, []float32{0})); err != nil {
			t.Fatal(err)
		}
		if err := weights.WriteSafetensors(&b, &bad, nil); err == nil {
			t.Errorf("a tensor called %q is written", name)
		}
	}
}

func FuzzSafetensors(f *testing.F) {
	if b, err := os.ReadFile("testdata/golden/conditional_unet1d_tiny.safetensors"); err == nil {
		f.Add(b[:2000])
	}
	f.Add(file(`{"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}   `, 8))
	f.Add(file(`{"s":{"dtype":"F16","shape":[],"data_offsets":[0,2]},"e":{"dtype":"I64","shape":[0,3],"data_offsets":[2,2]}}`, 2))
	f.Add(file(`{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}}`, 8))
	f.Fuzz(func(t *testing.T, data []byte) {
		sd, err := weights.Parse(data, weights.Options{})
		if err != nil || sd.Format != "safetensors" {
			return
		}
		var b bytes.Buffer
		if err := weights.WriteSafetensors(&b, sd, sd.Metadata); err != nil {
			t.Fatal(err)
		}
		back, err := weights.Parse(b.Bytes(), weights.Options{})
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		for i, x := range sd.Tensors() {
			y := back.Tensors()[i]
			if x.Name != y.Name || x.DType != y.DType || !slices.Equal(x.Shape, y.Shape) {
				t.Fatalf("tensor %d: %v, want %v", i, y, x)
			}
			if dtype.Float(x.DType) {
				if _, err := x.Float32s(nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
