package golden

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"testing"
)

// Array is a reference array with its shape. Numbers of half precision are widened.
type Array struct {
	Shape []int
	Data  []float32
}

// Ints returns the elements of an array of integers.
func (a Array) Ints() []int {
	out := make([]int, len(a.Data))
	for i, v := range a.Data {
		out[i] = int(v)
	}
	return out
}

// Safetensors reads all arrays of a file. Integers must be exact in float32.
func Safetensors(t testing.TB, path string) map[string]Array {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := binary.LittleEndian.Uint64(raw)
	var header map[string]json.RawMessage
	if err := json.Unmarshal(raw[8:8+n], &header); err != nil {
		t.Fatal(err)
	}
	delete(header, "__metadata__")
	out := map[string]Array{}
	for name, entry := range header {
		var h struct {
			DType   string
			Shape   []int
			Offsets [2]int `json:"data_offsets"`
		}
		if err := json.Unmarshal(entry, &h); err != nil {
			t.Fatal(err)
		}
		body := raw[8+int(n)+h.Offsets[0] : 8+int(n)+h.Offsets[1]]
		out[name] = Array{h.Shape, decode(t, h.DType, body)}
	}
	return out
}

// Float64s reads the rows of a float64 array of two axes.
func Float64s(t testing.TB, path, name string) (out [][]float64) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := binary.LittleEndian.Uint64(raw)
	var header map[string]json.RawMessage
	if err := json.Unmarshal(raw[8:8+n], &header); err != nil {
		t.Fatal(err)
	}
	var h struct {
		DType   string
		Shape   []int
		Offsets [2]int `json:"data_offsets"`
	}
	if err := json.Unmarshal(header[name], &h); err != nil || h.DType != "F64" || len(h.Shape) != 2 {
		t.Fatalf("array %s is %s %v, want F64 of two axes (error %v)", name, h.DType, h.Shape, err)
	}
	body := raw[8+int(n)+h.Offsets[0]:]
	for i := range h.Shape[0] {
		row := make([]float64, h.Shape[1])
		for j := range row {
			row[j] = math.Float64frombits(binary.LittleEndian.Uint64(body[8*(i*len(row)+j):]))
		}
		out = append(out, row)
	}
	return out
}

// decode widens the elements of an array.
func decode(t testing.TB, dtype string, body []byte) []float32 {
	t.Helper()
	le := binary.LittleEndian
	size := map[string]int{"F32": 4, "F16": 2, "I64": 8, "U8": 1, "F64": 8}[dtype]
	if size == 0 {
		t.Fatalf("arrays of type %s are not read", dtype)
	}
	out := make([]float32, len(body)/size)
	for i := range out {
		b := body[i*size:]
		switch dtype {
		case "F32":
			out[i] = math.Float32frombits(le.Uint32(b))
		case "F16":
			out[i] = half(le.Uint16(b))
		case "I64":
			out[i] = float32(int64(le.Uint64(b)))
		case "F64":
			out[i] = float32(math.Float64frombits(le.Uint64(b)))
		case "U8":
			out[i] = float32(b[0])
		}
	}
	return out
}

// half returns the value of a finite binary16 number.
func half(h uint16) float32 {
	sign := float64(1 - 2*int(h>>15))
	exponent, fraction := int(h>>10&31), float64(h&1023)
	if exponent == 0 {
		return float32(sign * math.Ldexp(fraction, -24))
	}
	return float32(sign * math.Ldexp(1024+fraction, exponent-25))
}

// Case is a reference case of the image networks: a folder of files and the tolerance of
// every tensor, from the index of the folder above it.
type Case struct {
	Name       string
	Dir        string
	Tolerances map[string]Tolerance
}

// Tolerance says how far a number may be from the reference.
type Tolerance struct {
	Abs, Rel float64
	PerCall  []float64 `json:"abs_per_call"` // of chains: Abs of every call
}

// Cases returns the cases of a folder that an index.json lists and accept names.
func Cases(t testing.TB, folder string, accept func(name string) bool) []Case {
	t.Helper()
	raw, err := os.ReadFile(folder + "/index.json")
	if err != nil {
		t.Fatal(err)
	}
	var index struct{ Cases []Case }
	if err := json.Unmarshal(raw, &index); err != nil {
		t.Fatal(err)
	}
	var cases []Case
	for _, c := range index.Cases {
		if accept(c.Name) {
			c.Dir = folder + "/" + c.Name
			cases = append(cases, c)
		}
	}
	return cases
}

// Check compares a tensor at the tolerance of the index.
func (c Case) Check(t *testing.T, name string, got []float32, want Array) {
	t.Helper()
	tolerance, ok := c.Tolerances[name]
	if !ok {
		t.Errorf("%s: %s has no tolerance in the index", c.Name, name)
		return
	}
	Close(t, name, got, want.Data, tolerance.Abs, tolerance.Rel)
}
