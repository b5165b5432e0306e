package placement

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd/tensor"
)

// TestToy compares the places on the blocks: states are in the walls only where they are
// projected, samples wherever anything is.
func TestToy(t *testing.T) {
	o := Default()
	o.Experiments, o.Toy, o.Workers = []string{"toy"}, 200, 1
	calls := 0
	o.Progress = func(done, total int) { calls++ }
	rows, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(Places) || calls != 1 {
		t.Fatalf("%d rows and %d calls, want %d and 1", len(rows), calls, len(Places))
	}
	for i, r := range rows {
		if r.Place != Places[i] || r.Samples != 200 || len(r.Measures) != 1 || r.Measures[0].N != 200 {
			t.Errorf("row %d: %+v", i, r)
		}
		projected := r.Place != None
		if r.Certified != projected || (r.SamplesOutside == 0) != projected || (r.StatesOutside == 0) != (r.Place == State) {
			t.Errorf("%s: certified %v, states outside by %g, samples by %g", r.Place, r.Certified, r.StatesOutside, r.SamplesOutside)
		}
	}
}

// TestEnergy compares the distance of two points from two others with its formula.
func TestEnergy(t *testing.T) {
	a, b := tensor.New(2, 1), tensor.New(2, 1)
	copy(a.Data, []float32{0, 1})
	copy(b.Data, []float32{3, 5})
	if got, want := energy(a, b), 2*(3+5+2+4)/4.0-1-2; math.Abs(got-want) > 1e-12 {
		t.Errorf("the distance is %v, want %v", got, want)
	}
}
