package pusht

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/push"
	"github.com/go-pcd/pcd/tensor"
)

// demonstrations are episodes of an agent that runs to targets.
func demonstrations(t *testing.T, episodes, length int) *pusht.Demonstrations {
	t.Helper()
	d := &pusht.Demonstrations{Observations: tensor.New(episodes*length, pusht.ObservationSize), Actions: tensor.New(episodes*length, 2)}
	row := 0
	for e, start := range pusht.InitialConditions(episodes, 7) {
		w := pusht.NewWorld()
		if err := w.Place(start); err != nil {
			t.Fatal(err)
		}
		for k := range length {
			s := w.State()
			target := geom.Vec2{X: 256 + 80*math.Cos(float64(e)+0.2*float64(k)), Y: 256 + 80*math.Sin(0.2*float64(k))}
			for i, v := range s.Observe(nil) {
				d.Observations.Sample(row)[i] = float32(v)
			}
			copy(d.Actions.Sample(row), []float32{float32(target.X), float32(target.Y)})
			d.States = append(d.States, s)
			if err := w.Step(target); err != nil {
				t.Fatal(err)
			}
			row++
		}
		d.EpisodeEnds = append(d.EpisodeEnds, int64(row))
	}
	return d
}

func tinyRecipe() Recipe {
	r := DefaultRecipe(6)
	r.Network = push.Network{Widths: []int{8, 16}, Kernel: 3, Groups: 2, Time: 16}
	r.Validation, r.Train.Batch, r.Train.LogEvery, r.Train.ValidationEvery, r.Train.CheckpointEvery = 0.25, 8, 3, 3, 3
	return r
}

// Every example is a window of one episode with the two observations that belong to
// its first two actions; mirror images follow, held-out episodes come last.
func TestExamples(t *testing.T) {
	d := demonstrations(t, 8, 20)
	action, err := actionLimits(d.Actions)
	if err != nil {
		t.Fatal(err)
	}
	observation, err := dataset.FitLinear(d.Observations)
	if err != nil {
		t.Fatal(err)
	}
	spec := push.Spec{Action: action, Observation: observation}
	plain, err := newExamples(d, spec, 0.25, false)
	if err != nil {
		t.Fatal(err)
	}
	const perEpisode = 20 - 7
	if plain.Len() != 8*perEpisode || plain.HeldOut() != 2*perEpisode {
		t.Fatalf("%d examples, %d held out; want %d and %d", plain.Len(), plain.HeldOut(), 8*perEpisode, 2*perEpisode)
	}
	x0, cond := make([]float32, 32), make([]float32, 40)
	plain.Example(x0, cond, 2) // starts at row 1 of the first episode to learn from
	keep, err := dataset.Split(8, 0.25, splitSeed)
	if err != nil {
		t.Fatal(err)
	}
	lo, _ := d.Rows(slices.Index(keep, true))
	if got, want := (cond[38]-spec.Observation.Offset[18])/spec.Observation.Scale[18], d.Observations.Sample(lo + 2)[18]; math.Abs(float64(got-want)) > 1e-3 {
		t.Errorf("the newer observation has the agent at %v, want %v", got, want)
	}
	if got, want := (x0[2]-action.Offset[0])/action.Scale[0], d.Actions.Sample(lo + 2)[0]; math.Abs(float64(got-want)) > 1e-3 {
		t.Errorf("action 1 is %v, want %v", got, want)
	}
	mirrored, err := newExamples(d, spec, 0.25, true)
	if err != nil {
		t.Fatal(err)
	}
	if mirrored.Len() <= plain.Len() || mirrored.HeldOut() != plain.HeldOut() {
		t.Errorf("with mirror images %d examples and %d held out", mirrored.Len(), mirrored.HeldOut())
	}
}

// The range of the published policy is kept for data inside it.
func TestActionLimits(t *testing.T) {
	l, err := actionLimits(demonstrations(t, 1, 10).Actions)
	if err != nil {
		t.Fatal(err)
	}
	for c := range 2 {
		if l.Min[c] != push.PublishedActionMin[c] || l.Max[c] != push.PublishedActionMax[c] {
			t.Errorf("channel %d has the range [%v, %v]", c, l.Min[c], l.Max[c])
		}
	}
}

func TestTrainingEndsWithAModel(t *testing.T) {
	dir := t.TempDir()
	tr, err := NewTraining(dir, tinyRecipe(), demonstrations(t, 8, 20), push.Card{Data: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Run(context.Background(), nil, nil); err != nil {
		t.Fatal(err)
	}
	path, err := tr.Finish()
	if err != nil {
		t.Fatal(err)
	}
	m, err := push.OpenModel(path)
	if err != nil {
		t.Fatal(err)
	}
	if m.Card.Steps != 6 || m.Card.Loss == 0 || m.Card.Data != "test" || m.Steps != 32 {
		t.Errorf("the model says of itself %+v", m.Card)
	}
	again, err := NewTraining(dir, tinyRecipe(), demonstrations(t, 8, 20), push.Card{})
	if err != nil {
		t.Fatal(err)
	}
	if again.Done() != 6 {
		t.Errorf("opened again after %d steps, want 6", again.Done())
	}
}
