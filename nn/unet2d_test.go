package nn

import (
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/tensor"
)

// newUNet2D reads the network of a case.
func newUNet2D(t *testing.T, dir string) *UNet2DCondition {
	t.Helper()
	config, err := parseUNet2D(readFile(t, dir+"/config.json"))
	if err != nil {
		t.Fatal(err)
	}
	config.Workers = 2
	n, err := NewUNet2DCondition(config)
	if err != nil {
		t.Fatal(err)
	}
	fillParams(t, n, golden.Safetensors(t, dir+"/weights.safetensors"))
	return n
}

func TestUNet2DConditionAgainstPublished(t *testing.T) {
	imageCases(t, "unet_", func(t *testing.T, c golden.Case) {
		n, io := newUNet2D(t, c.Dir), golden.Safetensors(t, c.Dir+"/io.safetensors")
		x, cotangent := asBatch(t, io["in.sample"]), asBatch(t, io["in.cotangent"])
		context, times := asBatch(t, io["in.encoder_hidden_states"]), io["in.timesteps"].Ints()
		bound, err := n.Bind(x.Shape[1], x.Shape[2], context)
		if err != nil {
			t.Fatal(err)
		}
		out, dx, dContext := x.Clone(), x.Clone(), context.Clone()
		for i, step := range times { // every sample has a timestep of its own
			one := func(b tensor.Batch) tensor.Batch { return b.Rows(i, i+1) }
			if err := bound.Predict(t.Context(), one(out), one(x), step); err != nil {
				t.Fatal(err)
			}
			if err := bound.vjpCondition(t.Context(), one(dx), one(dContext), one(x), one(cotangent), step); err != nil {
				t.Fatal(err)
			}
		}
		c.Check(t, "out.sample", out.Data, io["out.sample"])
		c.Check(t, "out.vjp.sample", dx.Data, io["out.vjp.sample"])
		c.Check(t, "out.vjp.encoder_hidden_states", dContext.Data, io["out.vjp.encoder_hidden_states"])
		b := bindings{samples: x.N, size: bound.size, in: portsOf(x, context), out: portsOf(out), times: times}
		checkActivations(t, c, &n.engine, b, io)
		checkUNet2DGradients(t, c, n, Examples{X: x, T: times, Condition: context}, cotangent, io)
	})
}

// checkUNet2DGradients compares the gradients of the parameters: those of the inner
// product with a cotangent, and those of the mean squared distance from it.
func checkUNet2DGradients(t *testing.T, c golden.Case, n *UNet2DCondition, x Examples, cotangent tensor.Batch, io map[string]golden.Array) {
	t.Helper()
	tr, err := n.NewTraining(x.X.N, x.X.Shape[1], x.X.Shape[2], x.Condition.Shape[0])
	if err != nil {
		t.Fatal(err)
	}
	out, grad := x.X.Clone(), x.X.Clone()
	step := func(gradient func()) {
		if err := tr.Forward(t.Context(), out, x); err != nil {
			t.Fatal(err)
		}
		gradient()
		tr.ZeroGrad()
		if err := tr.Backward(t.Context(), grad); err != nil {
			t.Fatal(err)
		}
	}
	step(func() { grad.CopyFrom(cotangent) })
	c.Check(t, "out.sample", out.Data, io["out.sample"])
	checkGradientsNamed(t, c, n, "out.vjp.param.", io)
	var loss float64
	step(func() { loss = meanSquares(grad.Data, out.Data, cotangent.Data) })
	c.Check(t, "out.mse_loss", []float32{float32(loss)}, io["out.mse_loss"])
	checkGradientsNamed(t, c, n, "out.mse_grad.", io)
}
