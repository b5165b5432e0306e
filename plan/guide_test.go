package plan

import (
	"slices"
	"sync"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/tensor"
)

// What one run is shown does not reach another with the same cost: the rule about
// the whole batch has no memory.
func TestBatchRuleBelongsToTheRun(t *testing.T) {
	team := teamOfEqual(2)
	team.Map = nav2d.Empty()
	for i := range team.Robots {
		team.Robots[i].Model = referenceModel(t, "empty")
	}
	b, ok := newInMapUnits(cost.Hinge{Range: 1}, team, settings(t, "mmd")).(pcd.Batchwide)
	if !ok {
		t.Fatal("the cost of the preset mmd is not batch-wide")
	}
	at := func(v float32) []tensor.Batch {
		x := []tensor.Batch{tensor.New(1, 64, channels), tensor.New(1, 64, channels)}
		x[0].Data[0] = v
		return x
	}
	value := func(c cost.Cost, first float32) float64 {
		v := make([]float64, 1)
		if err := c.Add(t.Context(), v, nil, at(first), 1); err != nil {
			t.Fatal(err)
		}
		return v[0]
	}
	whole := b.(batchwide)
	for _, c := range []struct {
		first       float32
		same, other cost.Cost
	}{{1 + batchTolerance/2, whole.inMapUnits, whole.limited}, {1.5, whole.limited, whole.inMapUnits}} {
		if got := value(b, c.first); got != value(c.same, c.first) || got == value(c.other, c.first) {
			t.Errorf("an element of %v: the cost is %v, want %v", c.first, got, value(c.same, c.first))
		}
	}
}

// One problem of the preset mmd may be sampled by several callers at once.
func TestOneProblemManyRuns(t *testing.T) {
	team := teamOfEqual(2)
	team.Map, team.Step = nav2d.Empty(), nav2d.Step
	for i := range team.Robots {
		team.Robots[i].Model, team.Robots[i].Limit = referenceModel(t, "empty"), 1
		team.Robots[i].Name = []string{"a", "b"}[i]
	}
	p, err := team.Problem(PCDLB, 0.1, settings(t, "mmd"))
	if err != nil {
		t.Fatal(err)
	}
	sample := func(seed uint64) []float32 {
		r, err := pcd.Sample(t.Context(), p, pcd.Options{Samples: 2, Seed: seed, Workers: 1})
		if err != nil {
			t.Error(err)
			return nil
		}
		return r.Samples[0].Data
	}
	var alone, together [2][]float32
	for i := range alone {
		alone[i] = sample(uint64(i))
	}
	var wg sync.WaitGroup
	for i := range together {
		wg.Go(func() { together[i] = sample(uint64(i)) })
	}
	wg.Wait()
	for i := range alone {
		if !slices.Equal(alone[i], together[i]) {
			t.Errorf("run %d differs beside others", i)
		}
	}
}

// teamOfEqual returns a team of published robots, without a map.
func teamOfEqual(n int) (t Team) {
	for range n {
		t.Robots = append(t.Robots, Robot{Radius: nav2d.RobotRadius})
	}
	return t
}
