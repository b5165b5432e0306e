package dataset_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/weights"
)

// base is numpy.arange(24).reshape(2, 3, 4), divided.
func base[T float32 | float64](divisor T) []T {
	out := make([]T, 24)
	for i := range out {
		out[i] = T(i) / divisor
	}
	return out
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The files were written by NumPy.
func TestReadNPY(t *testing.T) {
	cube := []int{2, 3, 4}
	for _, c := range []struct {
		file  string
		shape []int
		want  any
	}{
		{"c_order", cube, base[float32](1)},
		{"version2", cube, base[float32](1)},
		{"python2", cube, base[float32](1)},
		{"fortran", cube, base[float64](1)},
		{"big_endian", cube, base[float32](1)},
		{"float16", cube, base[float32](4)},
		{"i1", []int{3}, []int32{0, 1, 127}},
		{"i2", []int{3}, []int32{0, 1, 32767}},
		{"i4", []int{3}, []int32{0, 1, 1<<31 - 1}},
		{"i8", []int{3}, []int64{0, 1, 1<<63 - 1}},
		{"u1", []int{3}, []uint8{0, 1, 255}},
		{"u2", []int{3}, []int32{0, 1, 65535}},
		{"u4", []int{3}, []int64{0, 1, 1<<32 - 1}},
		{"bool", []int{3}, []bool{true, false, true}},
		{"scalar", []int{}, []float64{2.5}},
		{"empty", []int{0, 3}, []float32{}},
	} {
		a, err := dataset.ReadNPY(bytes.NewReader(readFile(t, "npy/"+c.file+".npy")), dataset.ReadOptions{})
		if err != nil || !slices.Equal(a.Shape, c.shape) || !reflect.DeepEqual(a.Data, c.want) {
			t.Errorf("%s: %v %v, %v; want %v %v", c.file, a.Shape, a.Data, err, c.shape, c.want)
		}
	}
	for file, reason := range map[string]string{"object": "Python objects", "complex": `"<c8"`, "structured": "want", "text": `"<U2"`} {
		_, err := dataset.ReadNPY(bytes.NewReader(readFile(t, "npy/"+file+".npy")), dataset.ReadOptions{})
		var fe *dataset.FormatError
		if !errors.As(err, &fe) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v, want a FormatError: %s", file, err, reason)
		}
	}
}

// npy puts a header of version 1 before the bytes of elements.
func npy(header string, n int) []byte {
	b := append([]byte("\x93NUMPY\x01\x00"), binary.LittleEndian.AppendUint16(nil, uint16(len(header)))...)
	return append(append(b, header...), make([]byte, n)...)
}

func TestNPYHeaders(t *testing.T) {
	const good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n"
	for _, c := range []struct {
		what   string
		data   []byte
		reason string // empty: accepted
	}{
		{"as NumPy writes it", npy(good, 8), ""},
		{"other order and quotes", npy(`{"shape":(1,2),"fortran_order":True,"descr":"<f4"}`, 8), ""},
		{"spaces", npy(" { 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 2 , ) } \n", 8), ""},
		{"empty file", nil, "unexpected EOF"},
		{"wrong magic", []byte("\x93NUMPX\x01\x00\x00\x00"), "begins with"},
		{"version 4", []byte("\x93NUMPY\x04\x00\x00\x00\x00\x00"), "version 4"},
		{"no length", []byte("\x93NUMPY\x01\x00"), "unexpected EOF"},
		{"giant header", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), "the limit is"},
		{"truncated header", npy(good, 0)[:30], "unexpected EOF"},
		{"truncated data", npy(good, 7), "ends after 1 of 2 elements"},
		{"no header", npy("", 8), `want "{"`},
		{"code", npy("{'descr': __import__('os'), 'fortran_order': False, 'shape': (2,)}", 8), "want"},
		{"call in shape", npy("{'descr': '<f4', 'fortran_order': False, 'shape': range(2)}", 8), "want"},
		{"shape times", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1<<40,)}", 8), "want"},
		{"negative axis", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", 8), "want a length"},
		{"huge axis", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 8), "want a length"},
		{"many axes", npy("{'descr': '<f4', 'fortran_order': False, 'shape': ("+strings.Repeat("1,", 17)+")}", 8), "more than 16"},
		{"unclosed text", npy("{'descr", 8), "does not end"},
		{"escape", npy(`{'descr\n': 1}`, 8), "does not end"},
		{"duplicate key", npy("{'descr': '<f4', 'descr': '<f4', 'shape': (2,)}", 8), "appears twice"},
		{"missing key", npy("{'descr': '<f4', 'shape': (2,)}", 8), "want the keys"},
		{"unknown key", npy("{'descr': '<f4', 'x': (2,)}", 8), "unknown key"},
		{"trailing text", npy(good[:len(good)-1]+"{}", 8), "after the closing brace"},
		{"order as number", npy("{'descr': '<f4', 'fortran_order': 1, 'shape': (2,)}", 8), "False"},
		{"nested", npy(strings.Repeat("{'descr': ", 1000), 0), "want"},
	} {
		_, err := dataset.ReadNPY(bytes.NewReader(c.data), dataset.ReadOptions{})
		var fe *dataset.FormatError
		switch {
		case c.reason == "" && err != nil:
			t.Errorf("%s: %v", c.what, err)
		case c.reason != "" && (!errors.As(err, &fe) || !strings.Contains(err.Error(), c.reason)):
			t.Errorf("%s: %v, want a FormatError: %s", c.what, err, c.reason)
		}
	}
}

func TestNPYSizeLimits(t *testing.T) {
	header := func(shape string) []byte {
		return npy("{'descr': '<f4', 'fortran_order': False, 'shape': "+shape+"}", 8)
	}
	var le *dataset.LimitError
	for _, shape := range []string{"(1000000000000,)", "(4611686018427387904, 4611686018427387904)", "(600000000,)"} {
		_, err := dataset.ReadNPY(bytes.NewReader(header(shape)), dataset.ReadOptions{})
		if !errors.As(err, &le) || le.Limit != dataset.DefaultMaxBytes {
			t.Errorf("shape %s: %v, want a LimitError", shape, err)
		}
	}
	if _, err := dataset.ReadNPY(bytes.NewReader(header("(2,)")), dataset.ReadOptions{MaxBytes: 7}); !errors.As(err, &le) || le.Value != 8 {
		t.Errorf("8 bytes with a limit of 7: %v, want a LimitError", err)
	}
	// A claim below the limit costs no memory before the elements come.
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := dataset.ReadNPY(bytes.NewReader(header("(500000000,)")), dataset.ReadOptions{})
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; err == nil || used > 1<<20 {
		t.Errorf("a claim of 2 GB in 100 bytes: %v, %d bytes allocated; want an error and less than 1 MiB", err, used)
	}
}

func array[T dataset.Element](t testing.TB, name string, shape []int, data []T) dataset.Array {
	t.Helper()
	a, err := dataset.NewArray(name, shape, data)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// What NumPy writes and what is written here are the same bytes.
func TestWriteNPYLikeNumPy(t *testing.T) {
	for file, a := range map[string]dataset.Array{
		"c_order": array(t, "", []int{2, 3, 4}, base[float32](1)),
		"i4":      array(t, "", []int{3}, []int32{0, 1, 1<<31 - 1}),
		"i8":      array(t, "", []int{3}, []int64{0, 1, 1<<63 - 1}),
		"u1":      array(t, "", []int{3}, []uint8{0, 1, 255}),
		"bool":    array(t, "", []int{3}, []bool{true, false, true}),
		"scalar":  array(t, "", nil, []float64{2.5}),
		"empty":   array(t, "", []int{0, 3}, []float32{}),
	} {
		var b bytes.Buffer
		if err := dataset.WriteNPY(&b, a); err != nil {
			t.Fatal(err)
		}
		if want := readFile(t, "npy/"+file+".npy"); !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s = %q, want %q", file, b.Bytes(), want)
		}
	}
	if err := dataset.WriteNPY(&bytes.Buffer{}, dataset.Array{Data: []string{"x"}}); err == nil {
		t.Error("an array of strings is written")
	}
	if err := dataset.WriteNPY(&bytes.Buffer{}, dataset.Array{Shape: []int{2}, Data: []float32{1}}); err == nil {
		t.Error("an array with too few elements is written")
	}
}

func TestArrayAccess(t *testing.T) {
	a := array(t, "x", []int{2, 3}, []float64{1, 2, 3, 4, 5, 6.1})
	if v, err := a.Float32s(); err != nil || v[5] != 6.1 {
		t.Errorf("Float32s = %v, %v", v, err)
	}
	b, err := a.Batch()
	if err != nil || b.N != 2 || !slices.Equal(b.Shape, []int{3}) || b.Sample(1)[0] != 4 {
		t.Errorf("Batch = %+v, %v", b, err)
	}
	if v, err := dataset.Values[float64](a); err != nil || len(v) != 6 {
		t.Errorf("Values[float64] = %v, %v", v, err)
	}
	var te *dataset.TypeError
	if _, err := dataset.Values[int64](a); !errors.As(err, &te) || te.Got != weights.F64 || te.Want != "int64" {
		t.Errorf("Values[int64] = %v, want a TypeError", err)
	}
	if _, err := a.Int64s(); !errors.As(err, &te) {
		t.Errorf("Int64s of float64 = %v, want a TypeError", err)
	}
	for _, i := range []dataset.Array{array(t, "", []int{2}, []int32{-1, 7}), array(t, "", []int{2}, []int64{-1, 7})} {
		if v, err := i.Int64s(); err != nil || v[0] != -1 || v[1] != 7 {
			t.Errorf("Int64s = %v, %v", v, err)
		}
		if _, err := i.Batch(); !errors.As(err, &te) {
			t.Errorf("Batch of integers = %v, want a TypeError", err)
		}
	}
	if b, err := array(t, "", []int{2}, []float32{5, 6}).Batch(); err != nil || b.N != 2 || b.Size() != 1 {
		t.Errorf("Batch of one axis = %+v, %v", b, err)
	}
	var se *dataset.ShapeError
	if _, err := array(t, "", nil, []float32{5}).Batch(); !errors.As(err, &se) {
		t.Errorf("Batch of a scalar = %v, want a ShapeError", err)
	}
	if _, err := dataset.NewArray("x", []int{2, 2}, []float32{1}); !errors.As(err, &se) {
		t.Errorf("NewArray = %v, want a ShapeError", err)
	}
}

func FuzzNPY(f *testing.F) {
	for _, name := range []string{"c_order", "fortran", "big_endian", "float16", "version2", "python2", "bool", "object", "structured"} {
		f.Add(readFile(f, "npy/"+name+".npy"))
	}
	f.Add(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4611686018427387904)}", 8))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := dataset.ReadNPY(bytes.NewReader(data), dataset.ReadOptions{MaxBytes: 1 << 20})
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := dataset.WriteNPY(&b, a); err != nil {
			t.Fatal(err)
		}
		again, err := dataset.ReadNPY(&b, dataset.ReadOptions{})
		if err != nil || fmt.Sprint(a) != fmt.Sprint(again) {
			t.Errorf("%v comes back as %v, %v", a, again, err)
		}
	})
}
