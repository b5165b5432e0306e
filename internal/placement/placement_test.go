package placement

import (
	"math"
	"testing"

	_ "github.com/go-pcd/pcd/internal/push/bundled"
	_ "github.com/go-pcd/pcd/plan/bundled"
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

// Robots and pushing are drawn by every sampler at every place, and are in their sets where they are projected.
func TestRobotsAndPushing(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, many numbers")
	}
	o := Default()
	o.Experiments, o.Trials, o.Samples, o.Pushes, o.Workers = []string{"nav2d", "pusht"}, 1, 2, 2, 1
	rows, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, r := range rows {
		seen[r.Experiment]++
		if r.Samples != 2 || len(r.Measures) == 0 || r.Steps < 1 || r.Certified != (r.Place != None) || r.Certified && r.SamplesOutside != 0 {
			t.Errorf("%s by %s at %s: %+v", r.Experiment, r.Dynamics, r.Place, r)
		}
		for _, m := range r.Measures {
			if m.N < 2 || m.Mean != m.Mean || m.Mean < 0 {
				t.Errorf("%s by %s at %s: %+v", r.Experiment, r.Dynamics, r.Place, m)
			}
		}
	}
	if len(seen) != 2 || seen["nav2d"]%len(Places) != 0 || seen["pusht"] != 3*len(Places) {
		t.Errorf("rows by experiment: %v", seen)
	}
}

func TestSummaries(t *testing.T) {
	if got, want := summary("x", []float64{1, 2, 3, 6}), (Measure{"x", 3, math.Sqrt(14.0 / 3 / 4), 4}); math.Abs(got.SE-want.SE) > 1e-15 || got.Mean != want.Mean || got.N != want.N {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := summary("x", []float64{4}); got != (Measure{"x", 4, 0, 1}) {
		t.Errorf("of one number %+v", got)
	}
	if got := pointsApart([]float32{0, 0, 1, 1}, []float32{3, 4, 1, 2}); got != 3 {
		t.Errorf("paths are apart by %v, want 3", got)
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
