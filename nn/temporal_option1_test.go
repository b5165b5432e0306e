package nn

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/weights"
)

// TestTemporalUNetAgainstOption1Vectors compares outputs, products, activations, both losses
// and their gradients, with the published form of a checkpoint.
func TestTemporalUNetAgainstOption1Vectors(t *testing.T) {
	folder := os.Getenv("PCD_GOLDEN") // its checkpoint has 16 MB and is not kept here
	if folder == "" {
		t.Skip("PCD_GOLDEN names no folder of vectors; TestTemporalUNetAgainstOption1 has the same network with weights of a formula")
	}
	n := option1(t, filepath.Join(folder, "weights/option1/checkpoints/ema_model_current_state_dict.pth"))
	open := func(name string) *golden.Archive {
		return golden.Open(t, filepath.Join(folder, "temporal_unet", "option1_"+name+".npz"))
	}
	io := open("io")
	x, c := batchOf(t, io.Float32("x"), 64, 4), batchOf(t, io.Float32("cotangent"), 64, 4)
	checkPredictions(t, n, x, c, io.Ints("t_values"), io.Float32("out"), io.Float32("vjp_x"), [2]float64{4.5e-5, 6.8e-5})
	checkTemporalStages(t, n, x.Sample(0), open("activations"))

	g := open("param_grads")
	tr := n.NewTraining(3)
	pred, grad := tensor.New(3, 64, 4), tensor.New(3, 64, 4)
	if err := tr.Forward(t.Context(), pred, Examples{X: x, T: g.Ints("t_mixed")}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(g.Ints("t_mixed"), io.Ints("t_mixed")) {
		t.Fatal("gradients and prediction are of different timesteps")
	}
	golden.Close(t, "prediction at mixed timesteps", pred.Data, io.Float32("out_mixed_t"), 4.5e-5, 1e-4)
	loss := meanSquares(grad.Data, pred.Data, g.Float32("target"))
	golden.Close(t, "loss", []float64{loss}, g.Float64("loss_mse"), 0, 1e-3)
	if err := tr.Backward(t.Context(), grad); err != nil {
		t.Fatal(err)
	}
	checkGradients(t, n.Params(), g.Float64("grad_norm_mse"), g.Float32("grad_first16_mse"))
	for _, p := range n.Params() {
		clear(p.Grad)
	}
	checkPublishedLoss(t, n, g)
}

// option1 is the larger published network with the weights of a checkpoint.
func option1(t *testing.T, path string) *TemporalUNet {
	t.Helper()
	n := newTemporal(t, TemporalUNetConfig{Workers: 2})
	sd, err := weights.Open(path, weights.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sd.Close()
	tensors := map[string][]float32{}
	for _, x := range sd.Tensors() {
		if tensors[x.Name], err = x.Float32s(nil); err != nil {
			t.Fatal(err)
		}
	}
	load(t, n, "model.", tensors)
	return n
}

// checkTemporalStages compares activations, whose names differ from ours at the ends of
// levels.
func checkTemporalStages(t *testing.T, n *TemporalUNet, x []float32, a *golden.Archive) {
	t.Helper()
	got := activations(t, &n.engine, 7, bindings{samples: 1, in: [ports][]float32{x}, out: [ports][]float32{make([]float32, len(x))}})
	ours := map[string]string{"time_emb": "time_embedding", "downs.0": "downs.0.4", "downs.1": "downs.1.4", "downs.2": "downs.2.4", "downs.3": "downs.3.1",
		"skip.0": "downs.0.1", "skip.1": "downs.1.1", "skip.2": "downs.2.1", "skip.3": "downs.3.1", "mid": "mid_block2",
		"ups.0": "ups.0.4", "ups.1": "ups.1.4", "ups.2": "ups.2.4"}
	for _, name := range a.Names() {
		stage, ok := ours[name]
		if !ok {
			stage = name
		}
		golden.Close(t, "activation "+name, got[stage], a.Float32(name), 1e-4, 1e-4)
	}
}
