package policy

import (
	"errors"
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
