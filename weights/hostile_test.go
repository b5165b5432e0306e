package weights_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/internal/torchfile"
	"github.com/go-pcd/pcd/weights"
)

// doubles writes a safetensors file with one float64 tensor.
func doubles(t *testing.T, values ...float64) string {
	t.Helper()
	header := fmt.Sprintf(`{"a":{"dtype":"F64","shape":[%d],"data_offsets":[0,%d]}}`, len(values), 8*len(values))
	data := file(header, 0)
	for _, v := range values {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	path := filepath.Join(t.TempDir(), "in.safetensors")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// A conversion to a type that cannot hold a number says which one, also when float32
// cannot hold it either; infinity stays infinity.
func TestConvertRefusesNumbersOutOfRange(t *testing.T) {
	many := make([]float64, 3000)
	many[2500] = 1e300
	for _, c := range []struct {
		dtype   weights.DType
		values  []float64
		element int // -1: accepted
	}{
		{weights.F16, []float64{1, 1e300}, 1},
		{weights.F16, []float64{65519}, -1}, // rounds to 65504
		{weights.F16, []float64{0, 0, -65521}, 2},
		{weights.F16, []float64{math.Inf(1)}, -1},
		{weights.F32, []float64{1e300}, 0},
		{weights.F32, []float64{math.MaxFloat32}, -1},
		{weights.BF16, []float64{math.MaxFloat32}, 0},
		{weights.F16, many, 2500},
	} {
		in, out := doubles(t, c.values...), filepath.Join(t.TempDir(), "out.safetensors")
		_, err := weights.Convert(in, out, weights.ConvertOptions{DType: c.dtype})
		var re *weights.RangeError
		switch {
		case c.element < 0 && err != nil:
			t.Errorf("%v to %v: %v", c.values, c.dtype, err)
		case c.element >= 0 && (!errors.As(err, &re) || re.Element != c.element || re.Value != c.values[c.element]):
			t.Errorf("%v: %v, want a *weights.RangeError for element %d", c.dtype, err, c.element)
		}
		if _, statErr := os.Stat(out); c.element >= 0 && statErr == nil {
			t.Error("a file was written")
		}
	}
}

// Options that cannot be meant and files that cannot be written are told apart from
// input that is wrong.
func TestConvertTellsErrorsApart(t *testing.T) {
	in := doubles(t, 1)
	var option *weights.OptionError
	if _, err := weights.Convert(in, "out.pth", weights.ConvertOptions{}); !errors.As(err, &option) {
		t.Errorf("another format: %v, want a *weights.OptionError", err)
	}
	if _, err := weights.Convert(in, "out.safetensors", weights.ConvertOptions{DType: weights.I64}); !errors.As(err, &option) {
		t.Errorf("integers: %v, want a *weights.OptionError", err)
	}
	var write *weights.WriteError
	below := filepath.Join(in, "below.safetensors") // a file is no folder
	if _, err := weights.Convert(in, below, weights.ConvertOptions{}); !errors.As(err, &write) || write.Path != below {
		t.Errorf("below a file: %v, want a *weights.WriteError", err)
	}
	if _, err := weights.Convert(doubles(t, 1e300), filepath.Join(t.TempDir(), "x.safetensors"), weights.ConvertOptions{DType: weights.F16}); errors.As(err, &write) {
		t.Errorf("numbers out of range: %v, which is no fault of the output", err)
	}
}

// Names of tensors reach messages quoted, and of a thousand misfits few are listed.
func TestLoadErrorCanBePrinted(t *testing.T) {
	var sd weights.StateDict
	for i := range 1000 {
		if err := sd.Add(weights.New(fmt.Sprintf("\x1b[2J%d\nx", i), nil, []float32{0})); err != nil {
			t.Fatal(err)
		}
	}
	err := weights.Load([]weights.Target{target("w", 1)}, &sd, weights.LoadOptions{})
	text := err.Error()
	if strings.Contains(text, "\x1b") || strings.Contains(text, "0\nx") || !strings.Contains(text, `"\x1b[2J0\nx"`) {
		t.Errorf("raw names in %q", text)
	}
	if n := strings.Count(text, "\n"); n > 30 || !strings.Contains(text, "980 more") {
		t.Errorf("%d lines: %s", n, text)
	}
}

// Every element of a tensor is in its bytes, for every element type and layout.
func TestRaw(t *testing.T) {
	for _, x := range open(t, "testdata/mixed.pth").Tensors() {
		err := x.Raw(func(raw []byte) error {
			if len(raw) != x.Bytes() {
				t.Errorf("%s: %d bytes, want %d", x.Name, len(raw), x.Bytes())
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// A header of few bytes for each of very many tensors is refused while it is read.
func TestTensorsAreLimited(t *testing.T) {
	var header strings.Builder
	for i := range 1<<16 + 1 {
		fmt.Fprintf(&header, `,"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`, i)
	}
	text := "{" + header.String()[1:] + "}"
	file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
	path := filepath.Join(t.TempDir(), "many.safetensors")
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	var limit *torchfile.LimitError
	if _, err := weights.Open(path, weights.Options{}); !errors.As(err, &limit) || limit.Limit != 1<<16 {
		t.Errorf("Open = %v, want a LimitError", err)
	}
}

// So is one of very many texts: of all that a header may hold they take the longest.
func TestTextsAreLimited(t *testing.T) {
	var header strings.Builder
	for i := range 1<<12 + 1 {
		fmt.Fprintf(&header, `,"%d":""`, i)
	}
	var limit *torchfile.LimitError
	if _, err := weights.Parse(file(`{"__metadata__":{`+header.String()[1:]+`}}`, 0), weights.Options{}); !errors.As(err, &limit) || limit.Limit != 1<<12 {
		t.Errorf("Parse = %v, want a LimitError", err)
	}
	few := strings.Repeat("x", 1<<20)
	sd, err := weights.Parse(file(`{"__metadata__":{"a":"`+few+`","b":""}}`, 0), weights.Options{})
	if err != nil || sd.Metadata["a"] != few {
		t.Errorf("a long text: %v", err)
	}
}

// What is no file is not opened: a pipe would be waited for, a device may have no end.
func TestOnlyFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	device, index := filepath.Join(dir, "device.safetensors"), filepath.Join(dir, "model.safetensors.index.json")
	for _, link := range []string{device, index} {
		if err := os.Symlink(os.DevNull, link); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{device, index, dir} {
		if _, err := weights.Open(path, weights.Options{}); !errors.Is(err, regular.ErrKind) {
			t.Errorf("Open(%s) = %v, want %v", path, err, regular.ErrKind)
		}
	}
	empty := filepath.Join(dir, "empty.safetensors")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := weights.Open(empty, weights.Options{}); err == nil || !strings.Contains(err.Error(), "is empty") {
		t.Errorf("Open of an empty file = %v", err)
	}
}
