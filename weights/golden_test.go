package weights_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/weights"
)

func open(t *testing.T, path string) *weights.StateDict {
	t.Helper()
	sd, err := weights.Open(path, weights.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sd.Close() })
	return sd
}

// digest covers names, shapes and float32 values in file order.
func digest(t *testing.T, sd *weights.StateDict) string {
	t.Helper()
	h := sha256.New()
	for _, x := range sd.Tensors() {
		h.Write(append([]byte(x.Name), 0))
		for _, d := range x.Shape {
			binary.Write(h, binary.LittleEndian, int64(d))
		}
		v, err := x.Float32s(nil)
		if err != nil {
			t.Fatal(err)
		}
		binary.Write(h, binary.LittleEndian, v)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// The digests were computed from the same files by PyTorch 1.13, and for the
// safetensors file from its raw bytes.
func TestGoldenFiles(t *testing.T) {
	for _, c := range []struct {
		path, digest string
		format       string
		tensors      int
	}{
		{"testdata/golden/temporal_unet_tiny.pth", "d83f9314fc1bb09606c05a0812732638f79087d064a371a28660bc12c2d0246b", "PyTorch", 160},
		{"testdata/golden/conditional_unet1d_tiny.pth", "7f7763f949278f84e9b30c0d14458810d1ed873d786957f3ebe25f2efb815457", "PyTorch", 146},
		{"testdata/golden/conditional_unet1d_tiny.safetensors", "7f7763f949278f84e9b30c0d14458810d1ed873d786957f3ebe25f2efb815457", "safetensors", 146},
	} {
		sd := open(t, c.path)
		if got := digest(t, sd); got != c.digest || sd.Format != c.format || sd.Len() != c.tensors {
			t.Errorf("%s: digest %s, %v, %d tensors; want %s, %v, %d", c.path, got, sd.Format, sd.Len(), c.digest, c.format, c.tensors)
		}
	}
}

// The sums were published with the files; they were added up in another order.
func TestGoldenSums(t *testing.T) {
	for _, c := range []struct{ sums, path string }{
		{"temporal_unet_tiny", "testdata/golden/temporal_unet_tiny.pth"},
		{"temporal_unet_option0", "../nn/testdata/temporal_option0.safetensors"},
	} {
		var want struct{ Tensors []tensorSums }
		readJSON(t, "testdata/golden/"+c.sums+".json", &want)
		sd := open(t, c.path)
		if sd.Len() != len(want.Tensors) {
			t.Fatalf("%s: %d tensors, want %d", c.path, sd.Len(), len(want.Tensors))
		}
		for _, w := range want.Tensors {
			tensor, ok := sd.Tensor(w.Name)
			if !ok {
				t.Fatalf("%s: no tensor %s", c.path, w.Name)
			}
			w.check(t, tensor)
		}
	}
}

// tensorSums is what was published of a tensor.
type tensorSums struct {
	Name   string
	Shape  []int
	Sum    float64
	AbsSum float64 `json:"abs_sum"`
}

func (w tensorSums) check(t *testing.T, got weights.Tensor) {
	t.Helper()
	v, err := got.Float32s(nil)
	if err != nil {
		t.Fatal(err)
	}
	var sum, abs float64
	for _, x := range v {
		sum += float64(x)
		abs += math.Abs(float64(x))
	}
	const tol = 1e-12 // of float64 sums of up to 200 000 terms
	if !slices.Equal(got.Shape, w.Shape) || math.Abs(sum-w.Sum) > tol*(1+w.AbsSum) || math.Abs(abs-w.AbsSum) > tol*(1+w.AbsSum) {
		t.Errorf("%s %v sum %v abs %v, want %+v", w.Name, got.Shape, sum, abs, w)
	}
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}
