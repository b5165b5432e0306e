package imitation

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/lerobot"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/policy"
)

func circles(t *testing.T, layout string) *Demonstrations {
	t.Helper()
	d, err := lerobot.Open("../../lerobot/testdata/" + layout)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Read(d)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func small(steps int) Recipe {
	r := DefaultRecipe(steps)
	r.DownDims, r.Horizon, r.Actions, r.Diffusion = []int{16, 32}, 8, 4, 20
	r.Train.Batch, r.Train.Rate = 32, 3e-3
	return r
}

// observationAt is what the policy is told about a frame.
func observationAt(f *lerobot.Frames, row int) policy.Observation {
	o := policy.Observation{Vectors: map[string][]float32{}}
	for _, k := range []string{"observation.state", "observation.environment_state"} {
		o.Vectors[k] = slices.Clone(f.Vectors[k].Sample(row))
	}
	return o
}

// TestExamplesAreWhatPoliciesAreTold compares the conditions that are learned from with those that
// the policy makes of the same observations when it runs, bit for bit, and the actions.
func TestExamplesAreWhatPoliciesAreTold(t *testing.T) {
	d, r := circles(t, "v3"), small(10)
	frames := d.frames
	p, err := newPolicy(r, d)
	if err != nil {
		t.Fatal(err)
	}
	x, err := newExamples(r, p, d)
	if err != nil {
		t.Fatal(err)
	}
	// An episode of 20 frames has the windows that begin at frames -1 to 15.
	if x.Len() != 4*17 || x.HeldOut() != 17 {
		t.Fatalf("%d examples, %d of them held out, want 68 and 17", x.Len(), x.HeldOut())
	}
	actions, condition := make([]float32, 8*2), make([]float32, x.ConditionShape().Size())
	for i := range x.learned.Len() {
		x.Example(actions, condition, i)
		start, lo, hi := x.learned.At(i)
		first, second := max(lo, start), min(hi-1, start+1)
		told, err := p.Condition(t.Context(), []policy.Observation{observationAt(frames, first), observationAt(frames, second)})
		if err != nil || !slices.Equal(told.Data, condition) {
			t.Fatalf("example %d is told %v, the policy %v, %v", i, condition, told.Data, err)
		}
		for h := range 8 {
			want := frames.Vectors["action"].Sample(max(lo, min(hi-1, start+h)))
			for k, v := range want {
				lo, hi := float32(0), float32(0)
				s := bounds(frames.Vectors["action"])
				lo, hi = s.Low[k], s.High[k]
				if got := (actions[2*h+k]+1)/2*(hi-lo) + lo; math.Abs(float64(got-v)) > 1e-3 {
					t.Fatalf("example %d, action %d is %g, want %g", i, h, got, v)
				}
			}
		}
	}
}

// TestTrainedPoliciesAct trains on robots that go round circles, opens the folder and wants it to
// go on along them, nearer than half of what standing in the middle would be off.
func TestTrainedPoliciesAct(t *testing.T) {
	thorough.Test(t)
	d, dir := circles(t, "v2"), t.TempDir()
	frames := d.frames
	training, err := NewTraining(dir, small(700), d)
	if err != nil {
		t.Fatal(err)
	}
	if err := training.Run(context.Background(), nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := training.Finish(); err != nil {
		t.Fatal(err)
	}
	p, err := policy.Open(dir, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for _, row := range []int{5, 27, 44, 70} {
		a, err := policy.NewActor(p, policy.Sampling{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.Act(t.Context(), observationAt(frames, row))
		if err != nil {
			t.Fatal(err)
		}
		want := frames.Vectors["action"].Sample(row)
		worst = max(worst, math.Hypot(float64(got[0]-want[0]), float64(got[1]-want[1])))
	}
	t.Logf("off by up to %.1f of a circle of radius 150", worst)
	if worst > 75 {
		t.Errorf("a trained policy is off by %.1f, want at most 75 of a circle of radius 150", worst)
	}
}

// TestDataWithoutSightIsRefused wants to be told what is missing, and of videos what to record instead.
func TestDataWithoutSightIsRefused(t *testing.T) {
	d, err := lerobot.Open("../../lerobot/testdata/v3")
	if err != nil {
		t.Fatal(err)
	}
	delete(d.Features, "observation.environment_state")
	if _, err := Read(d); err == nil || !strings.Contains(err.Error(), "dataset.video=false") {
		t.Errorf("%v, want what to do about videos", err)
	}
	for _, key := range d.Keys("video") {
		delete(d.Features, key)
	}
	var e *DataError
	if _, err := Read(d); !errors.As(err, &e) || !strings.Contains(err.Error(), "observation.environment_state") {
		t.Errorf("%v, want a *DataError that names the feature", err)
	}
}
