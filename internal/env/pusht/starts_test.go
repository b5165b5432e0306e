package pusht_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/golden"
)

func TestInitialConditions(t *testing.T) {
	a := golden.Open(t, "testdata/initial_conditions.npz")
	conditions := pusht.InitialConditions(pusht.Conditions, pusht.ConditionSeed)
	var states, after, held, observed []float64
	for _, i := range a.Ints("init_index") {
		states = pushed(conditions[i], states)
		w := placed(t, conditions[i])
		after = pushed(w.State(), after)
		observed = append(observed, w.Observe(nil)...)
		for range 10 {
			step(t, w, conditions[i].Agent.X, conditions[i].Agent.Y)
		}
		held = pushed(w.State(), held)
	}
	golden.Close(t, "conditions", states, a.Float64("init_state"), 0, 0)
	golden.Close(t, "placed", after, a.Float64("init_after_set"), 1e-10, 0)
	golden.Close(t, "observations", observed, a.Float64("init_obs"), 1e-9, 0)
	golden.Close(t, "agent held for ten actions", held, a.Float64("init_after_hold10"), 1e-10, 0)
}

// Conditions beyond those of the reference file, as published.
func TestLastConditions(t *testing.T) {
	c := pusht.InitialConditions(50, 42)
	for i, want := range map[int][5]float64{
		25: {392, 162, 375, 188, 1.0173514663217542},
		33: {185, 434, 209, 372, 1.2547969288986494},
		41: {352, 216, 336, 112, -0.037756796231025014},
		49: {268, 258, 354, 231, -3.0057999508281092},
	} {
		if got := c[i].Array(); got != want {
			t.Errorf("condition %d = %v, want %v", i, got, want)
		}
	}
	if first := pusht.InitialConditions(7, 42); first[6] != c[6] {
		t.Errorf("condition 6 of 7 = %v, of 50 = %v", first[6], c[6])
	}
	for i := range c {
		if covered := pusht.Coverage(c[i].Block); pusht.Reward(covered) > 0.3 {
			t.Errorf("condition %d starts with reward %v", i, pusht.Reward(covered))
		}
	}
}

func TestLegacyPlacement(t *testing.T) {
	a := golden.Open(t, "testdata/initial_conditions.npz")
	inputs, want := a.Float64("legacy_input"), a.Float64("legacy_state")
	var got []float64
	for i := 0; i < len(inputs); i += 5 {
		w := pusht.NewWorld()
		if err := w.PlaceLegacy(stateOf(inputs[i : i+5])); err != nil {
			t.Fatal(err)
		}
		got = pushed(w.State(), got)
		if i == 0 {
			if err := w.PlaceLegacy(stateOf(inputs[5:10])); err != nil {
				t.Fatal(err)
			}
			golden.Close(t, "second placement", pushed(w.State(), nil), a.Float64("legacy_second_state"), 1e-10, 0)
		}
	}
	golden.Close(t, "legacy placement", got, want, 1e-10, 0)
}

func TestRandomStarts(t *testing.T) {
	a := golden.Open(t, "testdata/resets.npz")
	seeds, lists, drawn := a.Ints("reset_env_seed"), a.Ints("reset_seed_list"), a.Float64("reset_drawn_state")
	inputs := a.Float64("reset_then_set_input")
	var reset, velocity, angular, after []float64
	for i, seed := range seeds {
		starts := pusht.NewRandomStarts(uint32(seed))
		start := starts.Next()
		golden.Close(t, fmt.Sprintf("start of seed %d", seed), pushed(start, nil), drawn[5*i:5*i+5], 1e-14, 0)
		for k := 1; k < 4; k++ { // entry 0 of the list is never used
			if s := pusht.StartOfSeed(uint32(lists[4*i+k])); s != start {
				t.Errorf("seed %d: start %d = %v, want that of seed %d, %v", seed, k, start, lists[4*i+k], s)
			}
			start = starts.Next()
		}
		w := placed(t, stateOf(drawn[5*i:5*i+5]))
		reset = pushed(w.State(), reset)
		v, turning := w.BlockVelocity()
		velocity, angular = append(velocity, v.X, v.Y), append(angular, turning)
		if err := w.Place(stateOf(inputs[5*i : 5*i+5])); err != nil {
			t.Fatal(err)
		}
		after = pushed(w.State(), after)
	}
	golden.Close(t, "reset", reset, a.Float64("reset_state"), 1e-10, 0)
	golden.Close(t, "velocity left by the reset", velocity, a.Float64("reset_block_velocity"), 1e-8, 0)
	golden.Close(t, "angular velocity left by the reset", angular, a.Float64("reset_block_angular_velocity"), 1e-10, 0)
	golden.Close(t, "placed in the same world", after, a.Float64("reset_then_set_state"), 1e-10, 0)
}

func TestCoverage(t *testing.T) {
	a := golden.Open(t, "testdata/coverage.npz")
	poses := a.Float64("pose")
	var got []float64
	for i := 0; i < len(poses); i += 3 {
		s := pusht.StateOf([5]float64{0, 0, poses[i], poses[i+1], poses[i+2]})
		got = append(got, pusht.Coverage(s.Block))
	}
	golden.Close(t, "coverage", got, a.Float64("coverage"), 1e-12, 0)
}

func TestPublishedCoverage(t *testing.T) {
	for _, c := range []struct{ x, y, angle, want float64 }{
		{256, 256, math.Pi / 4, 1},
		{250, 260, 0.7, 0.804058946927},
		{256, 256, math.Pi/4 + 0.1, 0.834166022558},
		{270, 250, 0.5, 0.404203051313},
		{256, 256, math.Pi/4 + math.Pi, 0},
		{300, 300, 2, 0.421337902192},
		{258, 256, math.Pi / 4, 0.946760118259},
		{256, 256, 0, 0.323966707567},
	} {
		p := pusht.StateOf([5]float64{0, 0, c.x, c.y, c.angle}).Block
		got := pusht.Coverage(p)
		if math.Abs(got-c.want) > 1e-12 {
			t.Errorf("Coverage(%v) = %.12f, want %.12f", p, got, c.want)
		}
		if r, want := pusht.Reward(got), min(c.want/0.95, 1); math.Abs(r-want) > 2e-12 {
			t.Errorf("Reward(%v) = %v, want %v", got, r, want)
		}
		if done := pusht.Done(got); done != (c.want > 0.95) {
			t.Errorf("Done(%v) = %v", got, done)
		}
	}
	if pusht.Done(0.95) {
		t.Error("Done(0.95) = true; the limit itself does not complete the task")
	}
}
