package cost_test

import (
	"context"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/tensor"
)

// clock is a cost of one path whose value is the timestep that it was asked for.
type clock struct{ at int }

func (c clock) Check([]tensor.Shape) error { return nil }
func (c clock) At(t int) cost.Cost         { return clock{t} }

func (c clock) Add(_ context.Context, value []float64, _, x []tensor.Batch, weight float64) error {
	for k := range x[0].N {
		value[k] += weight * float64(c.at)
	}
	return nil
}

// TestMadeOfTimed wants the timestep to reach a cost that others are made of.
func TestMadeOfTimed(t *testing.T) {
	x := []tensor.Batch{tensor.New(1, 4, 2)}
	for name, c := range map[string]cost.Cost{
		"sum": cost.Sum(clock{}), "scale": cost.Scale(clock{}, 1), "each": cost.Each(clock{}), "detach": cost.Detach(clock{}),
		"swept": cost.NewSwept(clock{}, 0), "swept twice": cost.Swept{Cost: cost.Sum(cost.Swept{Cost: clock{}})},
	} {
		value := []float64{0}
		if err := cost.At(c, 7).Add(t.Context(), value, nil, x, 1); err != nil || value[0] != 7 {
			t.Errorf("%s: %v at timestep %v, want 7", name, err, value[0])
		}
	}
}

// TestMadeOfNothing wants the cost that another is made of to be asked for.
func TestMadeOfNothing(t *testing.T) {
	path := tensor.Shape{4, 2}
	two := []tensor.Shape{path, path}
	for name, c := range map[string]cost.Cost{
		"sum": cost.Sum(nil), "scale": cost.Scale(nil, 1), "graph": cost.Pairwise(nil), "each": cost.Each(nil, nil),
		"detach": cost.Detach(nil), "swept": cost.NewSwept(nil, 1),
	} {
		if err := c.Check(two); err == nil || !strings.Contains(err.Error(), name+" cannot take") {
			t.Errorf("%s: %v, want an error that names it", name, err)
		}
	}
}

// TestSweptOfOtherPaths asks one cost for paths of other lengths than before, of which the first
// is as long as it was.
func TestSweptOfOtherPaths(t *testing.T) {
	used := cost.NewSwept(cost.Each(cost.Smoothness{}, cost.Smoothness{}), 1)
	for _, length := range []int{5, 3, 7} {
		x := []tensor.Batch{filled(t, 2, 4, 2), filled(t, 2, length, 2)}
		got, want := []float64{0, 0}, []float64{0, 0}
		if err := used.Add(t.Context(), got, nil, x, 1); err != nil {
			t.Fatal(err)
		}
		if err := (cost.Swept{Cost: used.Cost, Between: 1}).Add(t.Context(), want, nil, x, 1); err != nil {
			t.Fatal(err)
		}
		if got[0] != want[0] || got[1] != want[1] {
			t.Errorf("paths of 4 and %d waypoints: %v, want %v", length, got, want)
		}
	}
}

// filled returns paths whose coordinates go up and down.
func filled(t *testing.T, n int, shape ...int) tensor.Batch {
	t.Helper()
	b := tensor.New(n, shape...)
	for i := range b.Data {
		b.Data[i] = float32(i*i%17) / 5
	}
	return b
}
