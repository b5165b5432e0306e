package nav2d_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/go-pcd/pcd/internal/experiment/nav2d"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/tensor"
)

// paths are demonstrations of nothing in particular.
func paths(n int) tensor.Batch {
	x := tensor.New(n, 64, 4)
	noise.New(3).Normal(x.Data, x.Size(), noise.Address{})
	return x
}

func smallRecipe() nav2d.Recipe {
	r := nav2d.DefaultRecipe(2)
	r.Network = plan.Network{Horizon: 64, Width: 8, DimMults: []int{1, 2, 4}}
	r.Train.Batch, r.Train.Validation = 4, 0
	return r
}

// TestTrainingFromModel goes on from the weights of a model: with a vanishing rate
// they stay what they were, and the new card names the old one.
func TestTrainingFromModel(t *testing.T) {
	from, err := untrained("")
	if err != nil {
		t.Fatal(err)
	}
	from.Card = plan.Card{Map: "empty", Steps: 7}
	r := smallRecipe()
	r.Train.Rate = 1e-12
	training, err := nav2d.NewTraining(t.TempDir(), r, paths(8), from, plan.Card{Map: "highways"})
	if err != nil {
		t.Fatal(err)
	}
	if err := training.Run(context.Background(), nil, nil); err != nil {
		t.Fatal(err)
	}
	path, err := training.Finish()
	if err != nil {
		t.Fatal(err)
	}
	m := openModel(t, path)
	if m.Card.Map != "highways" || m.Card.Start == nil || !reflect.DeepEqual(*m.Card.Start, from.Card) {
		t.Errorf("card %+v, want one that starts from %+v", m.Card, from.Card)
	}
	want := from.Net.Params()
	for i, p := range m.Net.Params() {
		for j, v := range p.Data {
			if d := v - want[i].Data[j]; d > 1e-3 || d < -1e-3 { // files hold half precision
				t.Fatalf("%s[%d] = %v, want %v", p.Name, j, v, want[i].Data[j])
			}
		}
	}
}

func openModel(t *testing.T, path string) *plan.Model {
	t.Helper()
	m, err := plan.OpenModel(path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTrainingFromAnotherNetwork(t *testing.T) {
	from, err := untrained("")
	if err != nil {
		t.Fatal(err)
	}
	r := smallRecipe()
	r.Network.Width = 16
	var refused *plan.ModelError
	if _, err := nav2d.NewTraining(t.TempDir(), r, paths(8), from, plan.Card{}); !errors.As(err, &refused) {
		t.Errorf("err = %v, want a *plan.ModelError", err)
	}
}
