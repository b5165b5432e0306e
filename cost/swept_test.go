package cost_test

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/tensor"
)

// Two who pass each other between waypoints meet for a swept cost only, half-way.
func TestSweptSeesBetweenWaypoints(t *testing.T) {
	x := []tensor.Batch{tensor.New(1, 2, 2), tensor.New(1, 2, 2)}
	copy(x[0].Data, []float32{-1, 0, 1, 0})
	copy(x[1].Data, []float32{1, 0.25, -1, 0.25})
	crowd := cost.Crowd{Reach: []float64{0.25, 0.25}}
	value, swept := make([]float64, 1), make([]float64, 1)
	grad := []tensor.Batch{tensor.New(1, 2, 2), tensor.New(1, 2, 2)}
	if err := crowd.Add(t.Context(), value, nil, x, 1); err != nil || value[0] != 0 {
		t.Fatalf("at the waypoints the cost is %v, error %v", value[0], err)
	}
	c := cost.NewSwept(crowd, 1)
	if err := c.Add(t.Context(), swept, grad, x, 1); err != nil {
		t.Fatal(err)
	}
	middle := []tensor.Batch{tensor.New(1, 1, 2), tensor.New(1, 1, 2)}
	middle[1].Data[1] = 0.25
	if err := crowd.Add(t.Context(), value, nil, middle, 0.5); err != nil || math.Abs(value[0]-swept[0]) > 1e-12 || swept[0] == 0 {
		t.Errorf("swept cost %v, want half of that of the middle, %v; error %v", swept[0], value[0], err)
	}
	if g := grad[0].Data; g[1] == 0 || g[1] != g[3] || g[1] < 0 != (grad[1].Data[1] > 0) {
		t.Errorf("gradients %v and %v, want both ends to part", g, grad[1].Data)
	}
	if err := cost.NewSwept(crowd, -1).Check([]tensor.Shape{{2, 2}, {2, 2}}); err == nil {
		t.Error("a negative number of points is taken")
	}
	if err := c.Check([]tensor.Shape{{4}, {4}}); err == nil {
		t.Error("arguments that are no paths are taken")
	}
}
