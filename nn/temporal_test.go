package nn

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

func newTemporal(t testing.TB, c TemporalUNetConfig) *TemporalUNet {
	t.Helper()
	n, err := NewTemporalUNet(c)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// option0 is the smaller published network with random weights.
func option0(t *testing.T) *TemporalUNet {
	t.Helper()
	n := newTemporal(t, TemporalUNetConfig{DimMults: []int{1, 2, 4}, Workers: 2})
	load(t, n, "model.", readTensors(t, "testdata/temporal_option0.safetensors"))
	return n
}

// checkPredictions compares predictions and products for the same samples at
// several timesteps, one after the other in out and vjp.
func checkPredictions(t *testing.T, n *TemporalUNet, x, cotangent tensor.Batch, times []int, out, vjp []float32, tol [2]float64) {
	t.Helper()
	for k, step := range times {
		dst := tensor.New(x.N, x.Shape...)
		if err := n.Predict(t.Context(), dst, x, step); err != nil {
			t.Fatal(err)
		}
		lo, hi := k*len(x.Data), (k+1)*len(x.Data)
		golden.Close(t, fmt.Sprintf("prediction at t=%d", step), dst.Data, out[lo:hi], tol[0], 1e-4)
		if err := n.VJP(t.Context(), dst, x, cotangent, step); err != nil {
			t.Fatal(err)
		}
		golden.Close(t, fmt.Sprintf("VJP at t=%d", step), dst.Data, vjp[lo:hi], tol[1], 1e-3)
	}
}

func TestTemporalUNetAgainstPublished(t *testing.T) {
	a := golden.Open(t, "testdata/temporal_option0_io.npz")
	x, c := batchOf(t, a.Float32("x"), 64, 4), batchOf(t, a.Float32("cotangent"), 64, 4)
	checkPredictions(t, option0(t), x, c, a.Ints("t_values"), a.Float32("out"), a.Float32("vjp_x"), [2]float64{3.1e-5, 5e-5})
}

func TestTemporalUNetStagesAgainstPublished(t *testing.T) {
	n := option0(t)
	a := golden.Open(t, "testdata/temporal_option0_activations.npz")
	x := batchOf(t, golden.Open(t, "testdata/temporal_option0_io.npz").Float32("x"), 64, 4)
	got := activations(t, &n.engine, 7, bindings{samples: 1, in: [ports][]float32{x.Sample(0)}, out: [ports][]float32{make([]float32, 256)}})
	ours := map[string]string{"time_emb": "time_embedding", "downs.0": "downs.0.4", "downs.1": "downs.1.4", "downs.2": "downs.2.1",
		"skip.0": "downs.0.1", "skip.1": "downs.1.1", "skip.2": "downs.2.1", "mid": "mid_block2", "ups.0": "ups.0.4", "ups.1": "ups.1.4"}
	for _, name := range a.Names() {
		stage, ok := ours[name]
		if !ok {
			stage = name
		}
		golden.Close(t, "activation "+name, got[stage], a.Float32(name), 1e-4, 1e-4)
	}
}

func TestTemporalUNetGradientsAgainstPublished(t *testing.T) {
	n := option0(t)
	a := golden.Open(t, "testdata/temporal_option0_param_grads.npz")
	io := golden.Open(t, "testdata/temporal_option0_io.npz")
	tr := n.NewTraining(3)
	pred, grad := tensor.New(3, 64, 4), tensor.New(3, 64, 4)
	x := Examples{X: batchOf(t, io.Float32("x"), 64, 4), T: a.Ints("t_mixed")}
	if !slices.Equal(x.T, io.Ints("t_mixed")) {
		t.Fatalf("gradients are of the timesteps %v, the prediction of %v", x.T, io.Ints("t_mixed"))
	}
	if err := tr.Forward(t.Context(), pred, x); err != nil {
		t.Fatal(err)
	}
	golden.Close(t, "prediction at mixed timesteps", pred.Data, io.Float32("out_mixed_t"), 3.1e-5, 1e-4)
	loss := meanSquares(grad.Data, pred.Data, a.Float32("target"))
	golden.Close(t, "loss", []float64{loss}, a.Float64("loss_mse"), 0, 1e-3)
	if err := tr.Backward(t.Context(), grad); err != nil {
		t.Fatal(err)
	}
	checkGradients(t, n.Params(), a.Float64("grad_norm_mse"), a.Float32("grad_first16_mse"))
}

func TestTemporalUNetTiny(t *testing.T) {
	n := newTemporal(t, TemporalUNetConfig{Width: 8, DimMults: []int{1, 2, 4}})
	load(t, n, "", readArchive(t, "testdata/temporal_tiny_weights.npz", ""))
	a := golden.Open(t, "testdata/temporal_tiny_io.npz")
	x := batchOf(t, a.Float32("x"), 64, 4)
	out := a.Float32("out")
	for i, step := range a.Ints("t") {
		dst := tensor.New(1, 64, 4)
		if err := n.Predict(t.Context(), dst, x.Rows(i, i+1), step); err != nil {
			t.Fatal(err)
		}
		golden.Close(t, fmt.Sprintf("prediction of sample %d", i), dst.Data, out[i*256:(i+1)*256], 5e-5, 1e-4)
	}
}

func TestMultiplyAdds(t *testing.T) {
	for _, c := range []struct {
		dims []int
		want float64 // millions, published
	}{{[]int{1, 2, 4}, 18.25}, {[]int{1, 2, 4, 8}, 38.99}} {
		got, useful := newTemporal(t, TemporalUNetConfig{DimMults: c.dims}).MultiplyAdds()
		golden.Close(t, fmt.Sprintf("multiply-adds of %v", c.dims), []float64{float64(got) / 1e6}, []float64{c.want}, 0.005, 0)
		if ratio := float64(useful) / float64(got); ratio > 0.97 || ratio < 0.85 {
			t.Errorf("%v needs %.3f of the multiply-adds, want a little less than all", c.dims, ratio)
		}
	}
}

// TestTemporalUNetAgainstOption1 compares the larger network with formula weights to
// PyTorch in double precision.
func TestTemporalUNetAgainstOption1(t *testing.T) {
	n := newTemporal(t, TemporalUNetConfig{Workers: 2})
	if got := n.params.count(); got != 3_954_052 || len(n.Params()) != 196 {
		t.Fatalf("%d parameters in %d tensors, want 3954052 in 196", got, len(n.Params()))
	}
	names, err := os.ReadFile("testdata/temporal_option1_names.txt")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range strings.Fields(string(names)) {
		if got := n.Params()[i].Name; got != want {
			t.Fatalf("tensor %d is %s, want %s", i, got, want)
		}
	}
	formulaWeights(n, "block.2.weight")
	a := golden.Open(t, "testdata/temporal_option1.npz")
	x, c := batchOf(t, a.Float32("x"), 64, 4), batchOf(t, a.Float32("cotangent"), 64, 4)
	checkPredictions(t, n, x, c, a.Ints("t"), a.Float32("out"), a.Float32("vjp"), [2]float64{4.5e-5, 6.8e-5})
	tr := n.NewTraining(2)
	if err := tr.Forward(t.Context(), tensor.New(2, 64, 4), Examples{X: x, T: a.Ints("t_mixed")}); err != nil {
		t.Fatal(err)
	}
	if err := tr.Backward(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	checkGradients(t, n.Params(), a.Float64("norms"), a.Float32("first16"))
}

// TestTemporalUNetPublishedLoss is a step of the published training: the first and
// the last waypoint of the noisy state and of the prediction are overwritten with
// clean ones, so they get no gradient.
func TestTemporalUNetPublishedLoss(t *testing.T) {
	checkPublishedLoss(t, option0(t), golden.Open(t, "testdata/temporal_option0_param_grads.npz"))
}

func checkPublishedLoss(t *testing.T, n *TemporalUNet, a *golden.Archive) {
	t.Helper()
	s, err := schedule.Exponential(25, 1e-4, 1)
	if err != nil {
		t.Fatal(err)
	}
	start, eps, times := a.Float32("x_start"), a.Float32("noise"), a.Ints("t_train")
	ends := [2][]float32{a.Float32("hard_start"), a.Float32("hard_goal")}
	x, pred, grad := tensor.New(3, 64, 4), tensor.New(3, 64, 4), tensor.New(3, 64, 4)
	overwrite := func(b tensor.Batch) {
		for i := range 3 {
			copy(b.Sample(i)[:4], ends[0][4*i:4*i+4])
			copy(b.Sample(i)[252:], ends[1][4*i:4*i+4])
		}
	}
	for i, step := range times {
		s.At(step).Diffuse(x.Sample(i), start[256*i:256*(i+1)], eps[256*i:256*(i+1)])
	}
	overwrite(x)
	tr := n.NewTraining(3)
	if err := tr.Forward(t.Context(), pred, Examples{X: x, T: times}); err != nil {
		t.Fatal(err)
	}
	overwrite(pred)
	loss := meanSquares(grad.Data, pred.Data, eps)
	golden.Close(t, "loss", []float64{loss}, a.Float64("loss_train"), 0, 1e-3)
	for i := range 3 {
		clear(grad.Sample(i)[:4])
		clear(grad.Sample(i)[252:])
	}
	if err := tr.Backward(t.Context(), grad); err != nil {
		t.Fatal(err)
	}
	checkGradients(t, n.Params(), a.Float64("grad_norm_train"), a.Float32("grad_first16_train"))
}
