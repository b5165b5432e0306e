package weights_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/weights"
)

// TestGGUF compares all tensors of a file with what its writer means, exactly.
func TestGGUF(t *testing.T) {
	sd, err := weights.Open("testdata/gguf/model.gguf", weights.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sd.Close()
	io := golden.Safetensors(t, "testdata/gguf/io.safetensors")
	kinds := map[weights.DType]int{}
	compared := 0
	for _, tensor := range sd.Tensors() {
		kinds[tensor.DType]++
		want, ok := io["out."+tensor.Name]
		if !ok {
			continue
		}
		compared++
		if !slices.Equal(tensor.Shape, want.Shape) {
			t.Errorf("%s has shape %v, want %v", tensor.Name, tensor.Shape, want.Shape)
			continue
		}
		got, err := tensor.Float32s(nil)
		if err != nil {
			t.Fatal(err)
		}
		golden.Close(t, tensor.Name, got, want.Data, 0, 0)
	}
	if compared != len(io)-2 || kinds[weights.F16] == 0 || kinds[weights.BF16] == 0 || kinds[weights.F32] == 0 { // but for tokens and text
		t.Errorf("%d of %d tensors compared; types %v", compared, len(io)-2, kinds)
	}
}

// TestGGUFRefuses changes a file: every change is an error.
func TestGGUFRefuses(t *testing.T) {
	good, err := os.ReadFile("testdata/gguf/model.gguf")
	if err != nil {
		t.Fatal(err)
	}
	for what, raw := range map[string][]byte{
		"version":   slices.Concat(good[:4], []byte{9, 0, 0, 0}, good[8:]),
		"tensors":   slices.Concat(good[:8], bytes.Repeat([]byte{255}, 8), good[16:]),
		"pairs":     slices.Concat(good[:16], bytes.Repeat([]byte{255}, 8), good[24:]),
		"truncated": good[:len(good)-60],
		"header":    good[:100],
		"only":      good[:4],
	} {
		if _, err := weights.Parse(raw, weights.Options{}); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	for kind, says := range map[uint32]string{12: "Q4_K", 77: "77"} {
		if _, err := weights.Parse(oneTensor(kind, 32), weights.Options{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("a tensor of type %d: %v, want an error that says %s", kind, err, says)
		}
	}
	if _, err := weights.Parse(oneTensor(8, 31), weights.Options{}); err == nil {
		t.Error("rows of 31 numbers in blocks of 32: no error")
	}
	if _, err := weights.Parse(oneTensor(0, 32), weights.Options{}); err != nil {
		t.Errorf("32 float32 numbers: %v", err)
	}
}

// oneTensor is a file with one tensor of a type, of n numbers in 128 bytes.
func oneTensor(kind uint32, n uint64) []byte {
	le := binary.LittleEndian
	raw := le.AppendUint64(le.AppendUint64(le.AppendUint32([]byte("GGUF"), 3), 1), 0)
	raw = append(le.AppendUint64(raw, 1), 'x')
	raw = le.AppendUint64(le.AppendUint32(raw, 1), n)
	raw = le.AppendUint64(le.AppendUint32(raw, kind), 0)
	return append(raw, make([]byte, 31-(len(raw)+31)%32+128)...)
}

// FuzzGGUF wants errors, not panics, and tensors that can be read.
func FuzzGGUF(f *testing.F) {
	f.Add(oneTensor(0, 32))
	f.Add(oneTensor(8, 32))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !bytes.HasPrefix(raw, []byte("GGUF")) {
			return
		}
		sd, err := weights.Parse(raw, weights.Options{})
		if err != nil {
			return
		}
		for _, tensor := range sd.Tensors() {
			if dtype.Float(tensor.DType) {
				if _, err := tensor.Float32s(nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// TestTrainingCheckpoints reads the tensors of checkpoints that hold classes of a library of
// trainings, without it.
func TestTrainingCheckpoints(t *testing.T) {
	io := golden.Safetensors(t, "testdata/checkpoint_objects/io.safetensors")
	for _, name := range []string{"objects.ckpt", "nested.ckpt"} {
		sd, err := weights.Open("testdata/checkpoint_objects/"+name, weights.Options{SkipObjects: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		defer sd.Close()
		found := 0
		for _, tensor := range sd.Tensors() {
			bare := tensor.Name[strings.LastIndex(tensor.Name, "state_dict.")+len("state_dict."):]
			want, ok := io["out."+bare]
			if !ok {
				continue
			}
			found++
			got, err := tensor.Float32s(nil)
			if err != nil {
				t.Fatal(err)
			}
			golden.Close(t, tensor.Name, got, want.Data, 0, 0)
		}
		if found != len(io) {
			t.Errorf("%s: %d of %d tensors found among %d", name, found, len(io), sd.Len())
		}
	}
}

// TestRowsAndShapes takes parts of tensors and other axes of them.
func TestRowsAndShapes(t *testing.T) {
	x := weights.New("x", []int{3, 2}, []float32{1, 2, 3, 4, 5, 6})
	rows, err := x.Rows(1, 3)
	if err != nil {
		t.Fatal(err)
	}
	square, err := rows.Reshape(2, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := square.Float32s(nil); err != nil || !slices.Equal(got, []float32{3, 4, 5, 6}) {
		t.Errorf("rows 1 and 2 are %v (error %v)", got, err)
	}
	if _, err := x.Rows(2, 4); err == nil {
		t.Error("rows beyond the last: no error")
	}
	if _, err := x.Reshape(4, 2); err == nil {
		t.Error("more elements: no error")
	}
}
