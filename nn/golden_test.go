package nn

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/tensor"
)

// readTensors reads the float32 tensors of a safetensors file.
func readTensors(t *testing.T, path string) map[string][]float32 {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := binary.LittleEndian.Uint64(raw)
	var header map[string]struct {
		Offsets [2]int `json:"data_offsets"`
	}
	if err := json.Unmarshal(raw[8:8+n], &header); err != nil {
		t.Fatal(err)
	}
	out := map[string][]float32{}
	for name, h := range header {
		body := raw[8+int(n)+h.Offsets[0] : 8+int(n)+h.Offsets[1]]
		v := make([]float32, len(body)/4)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))
		}
		out[name] = v
	}
	return out
}

// readArchive reads the float32 tensors of an npz file whose names start with the
// prefix, without it, and those that no prefix distinguishes.
func readArchive(t *testing.T, path, prefix string) map[string][]float32 {
	t.Helper()
	a := golden.Open(t, path)
	out := map[string][]float32{}
	for _, name := range a.Names() {
		out[strings.TrimPrefix(name, prefix)] = a.Float32(name)
	}
	return out
}

// network is what the tests need of both networks.
type network interface {
	Params() []*Param
	Refresh()
}

// load sets every parameter from the tensor with its name after a prefix.
func load(t *testing.T, n network, prefix string, tensors map[string][]float32) {
	t.Helper()
	for _, p := range n.Params() {
		v, ok := tensors[prefix+p.Name]
		if !ok || len(v) != len(p.Data) {
			t.Fatalf("tensor %s has %d elements, want %v", prefix+p.Name, len(v), p.Shape)
		}
		copy(p.Data, v)
	}
	n.Refresh()
}

// formulaWeights sets weights that need no file: with i the rank of the name in
// byte order and k the flat index, sin(0.7 i + 0.013 k)/√fan-in for matrices and
// convolutions, 1 + 0.1 sin(0.2 i + 0.1 k) for the weights of normalisations and
// 0.1 cos(0.3 i + 0.05 k) for biases.
func formulaWeights(n network, norm string) {
	var names []string
	for _, p := range n.Params() {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	for _, p := range n.Params() {
		i := float64(slices.Index(names, p.Name))
		f := func(k float64) float64 { return 0.1 * math.Cos(0.3*i+0.05*k) }
		if len(p.Shape) > 1 {
			scale := 1 / math.Sqrt(float64(fanIn(p)))
			f = func(k float64) float64 { return math.Sin(0.7*i+0.013*k) * scale }
		} else if strings.HasSuffix(p.Name, norm) {
			f = func(k float64) float64 { return 1 + 0.1*math.Sin(0.2*i+0.1*k) }
		}
		for k := range p.Data {
			p.Data[k] = float32(f(float64(k)))
		}
	}
	n.Refresh()
}

func fanIn(p *Param) int {
	if strings.HasPrefix(p.Name, "up") && strings.HasSuffix(p.Name, ".conv.weight") {
		return p.Shape[0] * p.Shape[2] // transposed: input channels come first
	}
	return p.Shape.Size() / p.Shape[0]
}

func batchOf(t *testing.T, data []float32, shape ...int) tensor.Batch {
	t.Helper()
	b, err := tensor.Of(data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fill returns a batch with element (i, h, d) set by f.
func fill(n, length, channels int, f func(i, h, d float64) float64) tensor.Batch {
	b := tensor.New(n, length, channels)
	for k := range b.Data {
		i, h, d := k/(length*channels), k/channels%length, k%channels
		b.Data[k] = float32(f(float64(i), float64(h), float64(d)))
	}
	return b
}

// meanSquares writes the gradient of the mean of (pred - target)² and returns its
// value.
func meanSquares(grad, pred, target []float32) float64 {
	sum := 0.0
	for i, p := range pred {
		d := float64(p) - float64(target[i])
		sum += d * d
		grad[i] = float32(2 * d / float64(len(pred)))
	}
	return sum / float64(len(pred))
}

// checkGradients compares norms and first elements of all gradients.
func checkGradients(t *testing.T, params []*Param, norms []float64, first []float32) {
	t.Helper()
	for i, p := range params {
		sum := 0.0
		for _, g := range p.Grad {
			sum += float64(g) * float64(g)
		}
		golden.Close(t, "gradient norm of "+p.Name, []float64{math.Sqrt(sum)}, norms[i:i+1], 1e-6, 1e-3)
		n := min(16, len(p.Grad))
		golden.Close(t, "gradient of "+p.Name, p.Grad[:n], first[16*i:16*i+n], 1e-3*norms[i]+1e-6, 0)
	}
}

// activations returns the named stages of a prediction for one sample, each as
// [channels][length], which is how the reference stores them.
func activations(t *testing.T, e *engine, time int, b bindings) map[string][]float32 {
	t.Helper()
	s := newSession(e.prepare(key{purpose: observing}), 1)
	if err := s.run(t.Context(), float64(time), b); err != nil {
		t.Fatal(err)
	}
	out := map[string][]float32{}
	w := s.workers[0]
	w.first, w.n = 0, 1
	for _, st := range s.plan.stages {
		m := w.matrix(st.signal, 0)
		v := make([]float32, 0, m.Rows*m.Cols)
		for c := range m.Cols {
			for h := range m.Rows {
				v = append(v, m.Data[h*m.Stride+c])
			}
		}
		out[st.name] = v
	}
	return out
}
