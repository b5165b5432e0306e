package cost_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/tensor"
)

// robots splits robot-major rows into one batch per robot.
func robots(t *testing.T, data []float32, n int, shape ...int) []tensor.Batch {
	t.Helper()
	all, err := tensor.Of(data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	b := all.N / n
	out := make([]tensor.Batch, n)
	for i := range out {
		out[i] = all.Rows(i*b, (i+1)*b)
	}
	return out
}

func evaluate(t *testing.T, c cost.Cost, x []tensor.Batch) ([]float64, []float32) {
	t.Helper()
	shapes := make([]tensor.Shape, len(x))
	grad := make([]tensor.Batch, len(x))
	value := make([]float64, x[0].N)
	flat := make([]float32, 0)
	for i := range x {
		shapes[i], grad[i] = x[i].Shape, tensor.New(x[i].N, x[i].Shape...)
	}
	if err := c.Check(shapes); err != nil {
		t.Fatal(err)
	}
	if err := c.Add(context.Background(), value, grad, x, 1); err != nil {
		t.Fatal(err)
	}
	for _, g := range grad {
		flat = append(flat, g.Data...)
	}
	return value, flat
}

func TestCouplingCostsOfRobots(t *testing.T) {
	inputs := golden.Open(t, "testdata/coupling_lb.npz")
	for file, c := range map[string]cost.Cost{
		"lb":          cost.LogBarrier{Alpha: 1.9 * 0.05},
		"shd":         cost.Hinge{Range: 6 * 0.05},
		"cubic_hinge": cost.Hinge{Range: 6 * 0.05, Power: 3},
	} {
		g := golden.Open(t, "testdata/coupling_"+file+".npz")
		for _, n := range []int{2, 3, 4} {
			x := robots(t, inputs.Float32(fmt.Sprintf("y_N%d", n)), n, 64, 2)
			value, grad := evaluate(t, cost.Pairwise(c), x)
			golden.Close(t, fmt.Sprintf("%s N=%d value", file, n), value, g.Float32(fmt.Sprintf("cost_N%d", n)), 1e-5, 1e-4)
			golden.Close(t, fmt.Sprintf("%s N=%d gradient", file, n), grad, g.Float32(fmt.Sprintf("grad_N%d", n)), 1e-5, 1e-4)
		}
	}
}

func TestToyCouplingGradient(t *testing.T) {
	g := golden.Open(t, "testdata/coupling_gradient.npz")
	x, y := g.Float32("x"), g.Float32("y")
	_, grad := evaluate(t, cost.LogBarrier{Alpha: 1.5, Smoothing: 1e-6}, robots(t, append(x, y...), 2, 1))
	golden.Close(t, "dc/dx", grad[:len(x)], g.Float32("dc_dx"), 1e-6, 1e-6)
	golden.Close(t, "dc/dy", grad[len(x):], g.Float32("dc_dy"), 1e-6, 1e-6)
}

// Rows 0 to 2 of the vectors are parallel up to rounding: only the clamped value
// means anything there. Row 3 is so nearly parallel that float32 keeps two digits.
func TestCostsOfVectors(t *testing.T) {
	g := golden.Open(t, "testdata/vectors.npz")
	x := []tensor.Batch{robots(t, g.Float32("X"), 1, 16, 2)[0], robots(t, g.Float32("Y"), 1, 16, 2)[0]}
	n := len(x[0].Data)
	value, grad := evaluate(t, cost.LogBarrier{Alpha: 0.1}, x)
	golden.Close(t, "LB value", value, g.Float64("lb_cost_float64"), 1e-4, 1e-3)
	golden.Close(t, "LB gradient of X", grad[:n], g.Float64("lb_gX_float64"), 1e-4, 1e-3)
	golden.Close(t, "LB gradient of Y", grad[n:], g.Float64("lb_gY_float64"), 1e-4, 1e-3)

	golden.Close(t, "LB value in float32", value, g.Float32("lb_cost"), 1e-4, 1e-3)
	golden.Close(t, "LB gradients in float32", grad, append(g.Float32("lb_gX"), g.Float32("lb_gY")...), 1e-4, 1e-3)

	value, grad = evaluate(t, cost.DPP{}, x)
	golden.Close(t, "DPP value in float32", value[4:], g.Float32("dpp_cost")[4:], 1e-4, 1e-3)
	golden.Close(t, "DPP gradient of X in float32", grad[4*32:n], g.Float32("dpp_gX")[4*32:], 1e-4, 1e-3)
	golden.Close(t, "DPP gradient of Y in float32", grad[n+4*32:], g.Float32("dpp_gY")[4*32:], 1e-4, 1e-3)
	golden.Close(t, "DPP value", value, g.Float64("dpp_cost_float64"), 1e-4, 1e-3)
	const degenerate = 3 * 32
	golden.Close(t, "DPP gradient of X", grad[degenerate:n], g.Float64("dpp_gX_float64")[degenerate:], 1e-4, 1e-3)
	golden.Close(t, "DPP gradient of Y", grad[n+degenerate:], g.Float64("dpp_gY_float64")[degenerate:], 1e-4, 1e-3)
	for i := range degenerate {
		if grad[i] > 1e-2 || grad[i] < -1e-2 {
			t.Errorf("DPP gradient of parallel vectors = %v at %d, want at most 0.01", grad[i], i)
		}
	}
}
