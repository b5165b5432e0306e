package policy

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/noise"
)

// TestSchedulers draws the same chunk by every sampler. The ancestral one is DDPM, up to
// rounding, and names may be written in capitals, as folders do.
func TestSchedulers(t *testing.T) {
	golden.Policies(t, goldenFolder, func(t *testing.T, g *golden.Policy) {
		if g.Name != "a_env" {
			return
		}
		p := open(t, g.Folder(), Options{Workers: 1})
		condition, err := p.Condition(t.Context(), observations(t, g, "in."))
		if err != nil {
			t.Fatal(err)
		}
		draw := func(scheduler string, steps int) []float32 {
			plan, err := p.Plan(t.Context(), condition, Sampling{Scheduler: scheduler, Steps: steps, Noise: noise.New(7)})
			if err != nil {
				t.Fatalf("%s: %v", scheduler, err)
			}
			return plan.Actions.Data
		}
		for _, name := range Schedulers() {
			for _, steps := range []int{1, 2, 5} {
				draw(name, steps)
			}
		}
		golden.Close(t, "euler-ancestral", draw("Euler-Ancestral", 10), draw("DDPM", 10), 1e-3, 1e-3)
		golden.Close(t, "ddim", draw("ddim", 10), draw("DDIM", 10), 0, 0)
		var bad *SamplingError
		if _, err := p.Plan(t.Context(), condition, Sampling{Scheduler: "unipc"}); !errors.As(err, &bad) {
			t.Errorf("an unknown scheduler: %v", err)
		}
	})
}

// The number of steps is one to those of the training, 0 the number of the folder; what is drawn otherwise is refused by name.
func TestStepsOfSampling(t *testing.T) {
	c, statistics := small()
	p, err := New(c, statistics, noise.New(1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for steps, want := range map[int]int{0: 10, 1: 1, 7: 7, 10: 10, -1: 0, 11: 0} {
		d, err := p.Dynamics(Sampling{Steps: steps})
		if want == 0 {
			if e, ok := errors.AsType[*SamplingError](err); !ok || !strings.Contains(e.Error(), "1 to the 10 of the training") {
				t.Errorf("%d steps: %v, want a SamplingError", steps, err)
			}
			continue
		}
		if err != nil || d.Steps() != want {
			t.Errorf("%d steps: %v, %v, want %d", steps, d, err, want)
		}
	}
}

// Pictures are scaled channel by channel, whatever their sides, and vectors number by number.
func TestNormalizeScalesChannels(t *testing.T) {
	c, statistics := small()
	camera := Feature{imagePrefix + ".top", Visual, []int{3, 32, 40}}
	c.Inputs, c.Backbone, c.GroupNorm, c.Keypoints = append(c.Inputs, camera), "resnet18", true, 4
	c.Modes[Visual] = MinMax
	statistics[camera.Key] = Statistics{Low: []float32{0, 0, 0}, High: []float32{1, 2, 4}}
	p, err := New(c, statistics, noise.New(1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]float32, 2*camera.Size()) // two pictures of ones
	for i := range rows {
		rows[i] = 1
	}
	p.Normalize(rows, rows, camera)
	for i, v := range rows {
		if want := []float32{1, 0, -0.5}[i/(32*40)%3]; v != want {
			t.Fatalf("number %d is %v, want %v", i, v, want)
		}
	}
	state := []float32{0, 1, 0.5, 0.25}
	p.Normalize(state, state, c.Inputs[0])
	if !slices.Equal(state, []float32{-1, 1, 0, -0.5}) {
		t.Errorf("states are normalised to %v", state)
	}
}
