package project

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/tensor"
)

// array is a numeric array of an .npz file.
type array struct {
	shape []int
	data  []float64
}

// row returns the part of the array behind the leading indices.
func (a array) row(index ...int) []float64 {
	size, off := len(a.data), 0
	for i, k := range index {
		size /= a.shape[i]
		off += k * size
	}
	return a.data[off : off+size]
}

func float32s(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, e := range v {
		out[i] = float32(e)
	}
	return out
}

// readNPZ reads the little-endian, C-ordered float and int arrays of a file in
// testdata.
func readNPZ(t testing.TB, name string) map[string]array {
	t.Helper()
	z, err := zip.OpenReader("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	out := map[string]array{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(f.Name, ".npy")] = parseNPY(t, f.Name, raw)
	}
	return out
}

func parseNPY(t testing.TB, name string, raw []byte) array {
	t.Helper()
	const prefix = 10 // magic, version, length of the header
	if !bytes.HasPrefix(raw, []byte("\x93NUMPY\x01")) {
		t.Fatalf("%s is not an npy file of version 1", name)
	}
	n := int(binary.LittleEndian.Uint16(raw[8:]))
	header, body := string(raw[prefix:prefix+n]), raw[prefix+n:]
	_, dims, _ := strings.Cut(header, "'shape': (")
	dims, _, _ = strings.Cut(dims, ")")
	a := array{}
	size := 1
	for d := range strings.SplitSeq(dims, ",") {
		if d = strings.TrimSpace(d); d != "" {
			k, err := strconv.Atoi(d)
			if err != nil {
				t.Fatal(err)
			}
			a.shape = append(a.shape, k)
			size *= k
		}
	}
	a.data = make([]float64, size)
	for i := range a.data {
		switch {
		case strings.Contains(header, "'<f4'"):
			a.data[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:])))
		case strings.Contains(header, "'<f8'"):
			a.data[i] = math.Float64frombits(binary.LittleEndian.Uint64(body[8*i:]))
		case strings.Contains(header, "'<i4'"):
			a.data[i] = float64(int32(binary.LittleEndian.Uint32(body[4*i:])))
		default:
			t.Fatalf("%s: dtype of %s is not known", name, header)
		}
	}
	return a
}

// farthest returns the largest difference of two vectors and its index.
func farthest(a, b []float64) (d float64, at int) {
	for i := range a {
		if e := math.Abs(a[i] - b[i]); !(e <= d) {
			d, at = e, i
		}
	}
	return d, at
}

// farthest32 returns the largest difference of stored and expected values.
func farthest32(a []float32, b []float64) (d float64) {
	for i, v := range a {
		if e := math.Abs(float64(v) - b[i]); !(e <= d) {
			d = e
		}
	}
	return d
}

// gaussianHull returns m normal exemplars and n normal points in d dimensions.
func gaussianHull(n, m, d int) (exemplars, x tensor.Batch) {
	r := rand.New(rand.NewPCG(3, 4))
	exemplars, x = tensor.New(m, d), tensor.New(n, d)
	for _, b := range []tensor.Batch{exemplars, x} {
		for i := range b.Data {
			b.Data[i] = float32(r.NormFloat64())
		}
	}
	return exemplars, x
}
