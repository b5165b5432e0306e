package pusht_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/env/pusht"
)

func newVector(t testing.TB, n int, o pusht.VectorOptions) *pusht.Vector {
	t.Helper()
	v, err := pusht.NewVector(n, o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func reset(t testing.TB, v *pusht.Vector, starts []pusht.State, seeds []uint32) {
	t.Helper()
	if err := v.Reset(starts, seeds); err != nil {
		t.Fatal(err)
	}
}

func execute(t testing.TB, v *pusht.Vector, actions []float32) {
	t.Helper()
	if err := v.Execute(actions); err != nil {
		t.Fatal(err)
	}
}

// wander returns a chunk of targets that depends on the environment.
func wander(n, chunk, round int) []float32 {
	actions := make([]float32, 0, n*chunk*2)
	for i := range n {
		for k := range chunk {
			a := 0.05*float64(round*chunk+k) + float64(i)
			actions = append(actions, float32(256+170*math.Sin(a)), float32(256+170*math.Cos(1.3*a)))
		}
	}
	return actions
}

func TestVectorMatchesWorlds(t *testing.T) {
	const n, chunk, rounds = 7, 8, 5
	conditions := pusht.InitialConditions(n, 3)
	v := newVector(t, n, pusht.VectorOptions{})
	reset(t, v, conditions, nil)
	worlds := make([]*pusht.World, n)
	var last [n][]float64
	for i := range worlds {
		worlds[i] = placed(t, conditions[i])
		last[i] = worlds[i].Observe(nil)
	}
	for round := range rounds {
		actions := wander(n, chunk, round)
		execute(t, v, actions)
		for i, w := range worlds {
			for k := range chunk {
				last[i] = w.Observe(nil)
				at := 2 * (i*chunk + k)
				step(t, w, float64(actions[at]), float64(actions[at+1]))
			}
		}
		seen := v.Observe(nil)
		for i, w := range worlds {
			for k, want := range append(last[i], w.Observe(nil)...) {
				if got := seen[40*i+k]; got != float32(want) {
					t.Fatalf("round %d, environment %d: observation %d = %v, want %v", round, i, k, got, want)
				}
			}
		}
	}
	rec := v.Recording()
	if rec.Chunks != rounds {
		t.Errorf("%d chunks recorded, want %d", rec.Chunks, rounds)
	}
	for i, w := range worlds {
		at := (i*361 + rounds*chunk) * 5
		if got := stateOf(rec.States[at : at+5]); got != w.State() {
			t.Errorf("environment %d: recorded state %v, want %v", i, got, w.State())
		}
	}
}

func TestVectorIndependentOfWorkers(t *testing.T) {
	const n = 23
	seeds := make([]uint32, n)
	for i := range seeds {
		seeds[i] = pusht.FirstEnvironmentSeed + uint32(i)
	}
	var want pusht.Recording
	for _, workers := range []int{1, 2, 7, 64} {
		v := newVector(t, n, pusht.VectorOptions{Workers: workers, EpisodeSteps: 40})
		for range 2 { // a second episode equals the first
			reset(t, v, pusht.InitialConditions(3, 42)[2:], seeds)
			for round := range 5 {
				execute(t, v, wander(n, 8, round))
			}
		}
		got := *v.Recording()
		if workers == 1 {
			want = got
			continue
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers: recording differs from that of one", workers)
		}
	}
}

// A random reset that overlaps pushes the block in the substep of the placement
// that follows, as a lone world does.
func TestVectorRandomReset(t *testing.T) {
	start := pusht.InitialConditions(1, 42)
	seeds := make([]uint32, 30)
	for i := range seeds {
		seeds[i] = pusht.FirstEnvironmentSeed + uint32(i)
	}
	v := newVector(t, len(seeds), pusht.VectorOptions{})
	reset(t, v, start, seeds)
	rec, moved := v.Recording(), 0
	for i, seed := range seeds {
		w := placed(t, pusht.NewRandomStarts(seed).Next())
		if err := w.Place(start[0]); err != nil {
			t.Fatal(err)
		}
		got := stateOf(rec.States[i*361*5 : i*361*5+5])
		if got != w.State() {
			t.Errorf("seed %d: start %v, want %v", seed, got, w.State())
		}
		if got.Block.Position.Dist(start[0].Block.Position) > 1e-3 {
			moved++
		}
	}
	if moved == 0 || moved > len(seeds)/2 {
		t.Errorf("%d of %d starts moved the block", moved, len(seeds))
	}
}

// nearlyDone is a state six pixels short of the goal, and the target of the agent
// that pushes the block there along its axis.
func nearlyDone() (start pusht.State, push geom.Vec2) {
	axis := geom.Vec2{X: -math.Sqrt2 / 2, Y: math.Sqrt2 / 2}
	start.Block = pusht.Goal
	start.Block.Position = start.Block.Position.Sub(axis.Scale(6))
	start.Agent = start.Block.Position.Sub(axis.Scale(15))
	return start, pusht.Goal.Position.Sub(axis.Scale(15))
}

func TestEpisodeEnds(t *testing.T) {
	almost, push := nearlyDone()
	far := pusht.InitialConditions(1, 42)[0]
	v := newVector(t, 2, pusht.VectorOptions{EpisodeSteps: 24})
	reset(t, v, []pusht.State{almost, far}, nil)
	first := v.Observe(nil)
	for i := range 20 {
		if first[i] != first[20+i] {
			t.Fatalf("first observation is not repeated: %v", first[:40])
		}
	}
	actions := make([]float32, 0, 32)
	for range 8 {
		actions = append(actions, float32(push.X), float32(push.Y))
	}
	for range 8 {
		actions = append(actions, 85, 359)
	}
	execute(t, v, actions)
	rec := v.Recording()
	n := rec.Length[0]
	if n >= 8 || v.Score(0) != 1 {
		t.Fatalf("executed %d actions with score %v; want the task done within the chunk", n, v.Score(0))
	}
	if v.Done() {
		t.Error("all done while one environment runs")
	}
	frozen := v.Observe(nil)[:40]
	wantPadding(t, rec, 0, n)

	execute(t, v, wander(2, 8, 0))
	execute(t, v, wander(2, 8, 1))
	if !v.Done() || v.Recording().Length[1] != 24 {
		t.Errorf("after 24 actions: done %v, length %d", v.Done(), v.Recording().Length[1])
	}
	if got := v.Observe(nil)[:40]; !reflect.DeepEqual(got, frozen) {
		t.Errorf("observation changed after the end: %v, was %v", got, frozen)
	}
	wantPadding(t, v.Recording(), 0, n)
	if got, want := v.Recording().Actions[2*8:2*24], append(wander(2, 8, 0)[:16], wander(2, 8, 1)[:16]...); !reflect.DeepEqual(got, want) {
		t.Errorf("actions after the end are not recorded: %v", got)
	}
	before := append([]float64(nil), v.Recording().States...)
	execute(t, v, wander(2, 8, 2)) // beyond the last step
	if !reflect.DeepEqual(before, v.Recording().States) {
		t.Error("a chunk beyond the episode changed the states")
	}
}

func wantPadding(t *testing.T, rec *pusht.Recording, environment, n int) {
	t.Helper()
	rows := rec.Steps + 1
	states := rec.States[environment*rows*5 : (environment+1)*rows*5]
	rewards := rec.Rewards[environment*rec.Steps : (environment+1)*rec.Steps]
	if rewards[n-1] != 1 {
		t.Errorf("reward of the last action = %v, want 1", rewards[n-1])
	}
	for i := n; i < rec.Steps; i++ {
		if rewards[i] != rewards[n-1] || !reflect.DeepEqual(states[5*i+5:5*i+10], states[5*n:5*n+5]) {
			t.Fatalf("row %d after the end at %d is not a repetition", i, n)
		}
	}
}

func TestUnaskedChunksAreNaN(t *testing.T) {
	v := newVector(t, 1, pusht.VectorOptions{EpisodeSteps: 20, ActionSteps: 8})
	reset(t, v, pusht.InitialConditions(1, 42), nil)
	execute(t, v, wander(1, 8, 0))
	rec := v.Recording()
	if want := 3 * 40; len(rec.Observations) != want { // the third chunk is cut short
		t.Fatalf("%d observations, want %d", len(rec.Observations), want)
	}
	for i, x := range rec.Observations {
		if (x == x) != (i < 40) {
			t.Fatalf("observation %d = %v", i, x)
		}
	}
	for i, x := range rec.Actions {
		if (x == x) != (i < 16) {
			t.Fatalf("action %d = %v", i, x)
		}
	}
}

func TestVectorRefusesBadInput(t *testing.T) {
	var option *pusht.OptionError
	for _, c := range []struct {
		n int
		o pusht.VectorOptions
	}{{0, pusht.VectorOptions{}}, {1, pusht.VectorOptions{Workers: -1}}, {1, pusht.VectorOptions{ActionSteps: -8}}, {1, pusht.VectorOptions{EpisodeSteps: -1}}} {
		if _, err := pusht.NewVector(c.n, c.o); !errors.As(err, &option) {
			t.Errorf("NewVector(%d, %+v) = %v, want an OptionError", c.n, c.o, err)
		}
	}
	v := newVector(t, 2, pusht.VectorOptions{})
	if err := v.Execute(make([]float32, 32)); !errors.Is(err, pusht.ErrNotStarted) {
		t.Errorf("Execute before Reset = %v", err)
	}
	start := pusht.InitialConditions(2, 42)
	reset(t, v, start, nil)
	before := append([]float64(nil), v.Recording().States...)

	var length *pusht.LengthError
	if err := v.Reset(make([]pusht.State, 3), nil); !errors.As(err, &length) {
		t.Errorf("Reset with 3 starts = %v", err)
	}
	if err := v.Reset(start, []uint32{1}); !errors.As(err, &length) {
		t.Errorf("Reset with 1 seed = %v", err)
	}
	if err := v.Execute(make([]float32, 30)); !errors.As(err, &length) {
		t.Errorf("Execute with 30 numbers = %v", err)
	}
	bad := start[1]
	bad.Agent.X = -1
	var state *pusht.StateError
	if err := v.Reset([]pusht.State{start[0], bad}, nil); !errors.As(err, &state) || state.Environment != 1 {
		t.Errorf("Reset outside the window = %v", err)
	}
	actions := wander(2, 8, 0)
	actions[2*(8+5)+1] = float32(math.NaN())
	var target *pusht.TargetError
	if err := v.Execute(actions); !errors.As(err, &target) || target.Environment != 1 || target.Action != 5 {
		t.Errorf("Execute with NaN = %v", err)
	}
	if !reflect.DeepEqual(before, v.Recording().States) || v.Recording().Chunks != 0 {
		t.Error("refused input changed the environments")
	}
}

func ExampleVector() {
	v, err := pusht.NewVector(4, pusht.VectorOptions{EpisodeSteps: 16})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := v.Reset(pusht.InitialConditions(1, pusht.ConditionSeed), nil); err != nil {
		fmt.Println(err)
		return
	}
	for !v.Done() {
		seen := v.Observe(nil) // [4, 2, 20]
		actions := make([]float32, 4*pusht.ActionSteps*2)
		for i := range 4 { // a policy that stays where it is
			for k := range pusht.ActionSteps {
				copy(actions[2*(i*pusht.ActionSteps+k):], seen[40*i+38:40*i+40])
			}
		}
		if err := v.Execute(actions); err != nil {
			fmt.Println(err)
			return
		}
	}
	r := v.Recording()
	fmt.Println(r.Length, r.Chunks, v.Score(0) < 0.1)
	// Output: [16 16 16 16] 2 true
}

func BenchmarkVector(b *testing.B) {
	const n = 200
	v := newVector(b, n, pusht.VectorOptions{})
	starts := pusht.InitialConditions(n, 42)
	reset(b, v, starts, nil)
	chunk := make([][]float32, 45)
	for round := range chunk {
		chunk[round] = wander(n, 8, round)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if v.Done() {
			reset(b, v, starts, nil)
		}
		execute(b, v, chunk[v.Recording().Chunks%45])
	}
	b.ReportMetric(float64(b.N)*n*8/b.Elapsed().Seconds(), "steps/s")
}
