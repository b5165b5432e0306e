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
		format       weights.Format
		tensors      int
	}{
		{"testdata/golden/temporal_unet_tiny.pth", "d83f9314fc1bb09606c05a0812732638f79087d064a371a28660bc12c2d0246b", weights.PyTorch, 160},
		{"testdata/golden/conditional_unet1d_tiny.pth", "7f7763f949278f84e9b30c0d14458810d1ed873d786957f3ebe25f2efb815457", weights.PyTorch, 146},
		{"testdata/golden/conditional_unet1d_tiny.safetensors", "7f7763f949278f84e9b30c0d14458810d1ed873d786957f3ebe25f2efb815457", weights.Safetensors, 146},
	} {
		sd := open(t, c.path)
		if got := digest(t, sd); got != c.digest || sd.Format != c.format || sd.Len() != c.tensors {
			t.Errorf("%s: digest %s, %v, %d tensors; want %s, %v, %d", c.path, got, sd.Format, sd.Len(), c.digest, c.format, c.tensors)
		}
	}
}

// The sums were published with the file; they were added up in another order.
func TestGoldenSums(t *testing.T) {
	var want struct {
		Tensors []struct {
			Name   string
			Shape  []int
			Sum    float64
			AbsSum float64 `json:"abs_sum"`
		}
	}
	readJSON(t, "testdata/golden/temporal_unet_tiny.json", &want)
	got := open(t, "testdata/golden/temporal_unet_tiny.pth").Tensors()
	if len(got) != len(want.Tensors) {
		t.Fatalf("%d tensors, want %d", len(got), len(want.Tensors))
	}
	for i, w := range want.Tensors {
		v, err := got[i].Float32s(nil)
		if err != nil {
			t.Fatal(err)
		}
		var sum, abs float64
		for _, x := range v {
			sum += float64(x)
			abs += math.Abs(float64(x))
		}
		const tol = 1e-12 // of float64 sums of a few thousand terms
		if got[i].Name != w.Name || !slices.Equal(got[i].Shape, w.Shape) ||
			math.Abs(sum-w.Sum) > tol*(1+w.AbsSum) || math.Abs(abs-w.AbsSum) > tol*(1+w.AbsSum) {
			t.Errorf("tensor %d: %s %v sum %v abs %v, want %+v", i, got[i].Name, got[i].Shape, sum, abs, w)
		}
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
