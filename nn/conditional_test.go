package nn

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/tensor"
)

func newConditional(t testing.TB, c ConditionalUNet1DConfig) *ConditionalUNet1D {
	t.Helper()
	n, err := NewConditionalUNet1D(c)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// small is the network of the reference vectors.
func small(t *testing.T, scale bool) *ConditionalUNet1D {
	t.Helper()
	n := newConditional(t, ConditionalUNet1DConfig{TimeDim: 32, DownDims: []int{32, 64, 128}, ShiftOnly: !scale, Workers: 2})
	load(t, n, "", readArchive(t, "testdata/conditional_weights.npz", fmt.Sprintf("scale_%v/", scale)))
	return n
}

func bind(t *testing.T, n *ConditionalUNet1D, condition tensor.Batch) *Bound {
	t.Helper()
	b, err := n.Bind(condition)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestConditionalUNet1DAgainstPublished(t *testing.T) {
	a := golden.Open(t, "testdata/conditional_io.npz")
	x, c := batchOf(t, a.Float32("x"), 16, 2), batchOf(t, a.Float32("cotangent"), 16, 2)
	condition := batchOf(t, a.Float32("cond"), 40)
	for _, scale := range []bool{true, false} {
		b := bind(t, small(t, scale), condition)
		suffix := fmt.Sprintf("_%v", scale)
		out, vjp, vjpCond := a.Float32("out"+suffix), a.Float32("vjp_x"+suffix), a.Float32("vjp_cond"+suffix)
		for k, step := range a.Ints("t_values") {
			what := fmt.Sprintf("scale %v, t=%d: ", scale, step)
			dst, both, dCond := tensor.New(3, 16, 2), tensor.New(3, 16, 2), tensor.New(3, 40)
			if err := b.Predict(t.Context(), dst, x, step); err != nil {
				t.Fatal(err)
			}
			golden.Close(t, what+"prediction", dst.Data, out[k*96:(k+1)*96], 5e-5, 1e-4)
			if err := b.VJP(t.Context(), dst, x, c, step); err != nil {
				t.Fatal(err)
			}
			golden.Close(t, what+"VJP", dst.Data, vjp[k*96:(k+1)*96], 5e-5, 1e-4)
			if err := b.vjpCondition(t.Context(), both, dCond, x, c, step); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(both.Data, dst.Data) {
				t.Error(what + "vjpCondition and VJP differ in the product for x")
			}
			golden.Close(t, what+"VJP of the condition", dCond.Data, vjpCond[k*120:(k+1)*120], 5e-5, 1e-4)
		}
	}
}

func TestConditionalUNet1DStagesAgainstPublished(t *testing.T) {
	n := small(t, true)
	io := golden.Open(t, "testdata/conditional_io.npz")
	a := golden.Open(t, "testdata/conditional_activations.npz")
	x := batchOf(t, io.Float32("x"), 16, 2)
	got := activations(t, &n.engine, 7, bindings{samples: 1, in: [ports][]float32{x.Sample(0), io.Float32("cond")[:40]}, out: [ports][]float32{make([]float32, 32)}})
	for _, name := range a.Names() {
		stage := name
		switch name {
		case "diffusion_step_encoder":
			stage = "time_embedding"
		case "down_modules.2.2":
			stage = "down_modules.2.1" // the identity
		}
		golden.Close(t, "activation "+name, got[stage], a.Float32(name), 1e-4, 1e-4)
	}
}

func TestConditionalUNet1DGradientsAgainstPublished(t *testing.T) {
	io := golden.Open(t, "testdata/conditional_io.npz")
	a := golden.Open(t, "testdata/conditional_param_grads.npz")
	x := Examples{X: batchOf(t, io.Float32("x"), 16, 2), T: io.Ints("t_mixed"), Condition: batchOf(t, io.Float32("cond"), 40)}
	for _, scale := range []bool{false, true} {
		n := small(t, scale)
		tr := n.NewTraining(4)
		pred, grad := tensor.New(3, 16, 2), tensor.New(3, 16, 2)
		if err := tr.Forward(t.Context(), pred, x); err != nil {
			t.Fatal(err)
		}
		golden.Close(t, "prediction at mixed timesteps", pred.Data, io.Float32(fmt.Sprintf("out_mixed_%v", scale)), 5e-5, 1e-4)
		if !scale {
			continue // the reference has gradients of the other only
		}
		loss := meanSquares(grad.Data, pred.Data, a.Float32("target"))
		golden.Close(t, "loss", []float64{loss}, a.Float64("loss"), 0, 1e-3)
		if err := tr.Backward(t.Context(), grad); err != nil {
			t.Fatal(err)
		}
		checkGradients(t, n.Params(), a.Float64("grad_norm"), a.Float32("grad_first16"))
	}
}

func TestConditionalUNet1DTiny(t *testing.T) {
	n := newConditional(t, ConditionalUNet1DConfig{TimeDim: 16, DownDims: []int{8, 8, 16}})
	load(t, n, "", readArchive(t, "testdata/conditional_tiny_weights.npz", ""))
	a := golden.Open(t, "testdata/conditional_tiny_io.npz")
	x := batchOf(t, a.Float32("x"), 16, 2)
	b := bind(t, n, batchOf(t, a.Float32("cond"), 40))
	for i, step := range a.Ints("t") {
		dst := tensor.New(1, 16, 2)
		if err := b.Predict(t.Context(), dst, x.Rows(i, i+1), step); err != nil {
			t.Fatal(err)
		}
		golden.Close(t, fmt.Sprintf("prediction of sample %d", i), dst.Data, a.Float32("out")[i*32:(i+1)*32], 5e-5, 1e-4)
	}
}

// TestConditionalUNet1DAgainstFormula checks names and shapes of the published network, and
// its values with formula weights.
func TestConditionalUNet1DAgainstFormula(t *testing.T) {
	thorough.Test(t)
	n := newConditional(t, ConditionalUNet1DConfig{})
	raw, err := os.ReadFile("testdata/conditional_full_tensors.json")
	if err != nil {
		t.Fatal(err)
	}
	var want [][]any
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	if n.params.count() != 65_783_298 || len(n.Params()) != len(want) {
		t.Fatalf("%d parameters in %d tensors, want 65783298 in %d", n.params.count(), len(n.Params()), len(want))
	}
	for i, p := range n.Params() {
		got := []any{p.Name}
		for _, d := range p.Shape {
			got = append(got, float64(d))
		}
		if !slices.Equal(got, want[i]) {
			t.Errorf("tensor %d is %v, want %v", i, got, want[i])
		}
	}
	if got, _ := n.MultiplyAdds(); got != 295_280_640 {
		t.Errorf("%d multiply-adds, want 295280640", got)
	}
	formulaWeights(n, "block.1.weight")
	x := fill(2, 16, 2, func(i, h, d float64) float64 { return math.Sin(0.3*h + 1.1*d + 0.5*i) })
	b := bind(t, n, fill(2, 1, 40, func(i, _, j float64) float64 { return math.Cos(0.17*j + 0.9*i) }))
	cases := []struct {
		t            int
		sum, squares float64
		y, g         [6]float64 // elements [0,0], [0,7] and [1,15]
	}{
		{0, -14.08294, 110.46262, [6]float64{0.023747, -0.136100, 1.504358, -2.165507, 0.008354, -0.115562},
			[6]float64{0.005134, 0.005147, 0.021772, 0.021748, -0.007124, -0.007140}},
		{7, -14.08154, 110.51070, [6]float64{0.022340, -0.134205, 1.507223, -2.169444, 0.008156, -0.115291},
			[6]float64{0.007532, 0.007546, 0.029577, 0.029539, -0.008258, -0.008275}},
		{31, -14.07740, 110.65183, [6]float64{0.014083, -0.123053, 1.511370, -2.175152, 0.011497, -0.119794},
			[6]float64{0.008543, 0.008543, 0.030408, 0.030353, -0.008884, -0.008870}},
	}
	if testing.Short() { // the portable kernels take a while for so many weights
		cases = cases[:1]
	}
	for _, c := range cases {
		y, g := tensor.New(2, 16, 2), tensor.New(2, 16, 2)
		if err := b.Predict(t.Context(), y, x, c.t); err != nil {
			t.Fatal(err)
		}
		if err := b.VJP(t.Context(), g, x, y, c.t); err != nil { // of half the sum of squares
			t.Fatal(err)
		}
		var sum, squares float64
		for _, v := range y.Data {
			sum, squares = sum+float64(v), squares+float64(v)*float64(v)
		}
		golden.Close(t, "sums", []float64{sum, squares}, []float64{c.sum, c.squares}, 2e-4, 1e-5)
		at := func(b tensor.Batch) []float32 { return slices.Concat(b.Data[0:2], b.Data[14:16], b.Data[62:64]) }
		golden.Close(t, fmt.Sprintf("prediction at t=%d", c.t), at(y), c.y[:], 5e-5, 0)
		golden.Close(t, fmt.Sprintf("gradient at t=%d", c.t), at(g), c.g[:], 5e-5, 0)
	}
}
