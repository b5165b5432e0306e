package samplers_test

import (
	"errors"
	"testing"

	"github.com/go-pcd/pcd/internal/samplers"
	"github.com/go-pcd/pcd/schedule"
)

// TestSamplersKeepToTheBox holds every sampler to estimates within the box of the model, and
// to weights that do not blow up what little the first level knows: its signal is 2e-4 for
// robots, 5e-5 for policies.
func TestSamplersKeepToTheBox(t *testing.T) {
	robots, err := schedule.Exponential(25, 1e-4, 1)
	if err != nil {
		t.Fatal(err)
	}
	policies, err := schedule.SquaredCosine(100)
	if err != nil {
		t.Fatal(err)
	}
	for _, training := range []*schedule.Schedule{robots, policies} {
		for _, visited := range [][]int{nil, {0, 4, 8, 12, 16, 20, 24}, {0, 24}, {training.Len() - 1}} {
			s := training
			if visited != nil {
				if s, err = training.Respace(visited); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range samplers.Names()[1:] {
				d, err := samplers.New(name, s, 1)
				if err != nil {
					t.Fatal(err)
				}
				if err := d.Check(schedule.Epsilon); err != nil {
					t.Errorf("%s over %s: %v", name, s.Name(), err)
				}
				for i := range d.Steps() {
					tr := d.Transition(i, schedule.Epsilon)
					if tr.Estimate.Clip != 1 {
						t.Errorf("%s: step %d of %d limits the estimate to %v, want 1", name, i, d.Steps(), tr.Estimate.Clip)
					}
					if w := tr.Mean.Estimate; w > 10 || w < -10 {
						t.Errorf("%s over %s: step %d of %d weighs the estimate by %v", name, s.Name(), i, d.Steps(), w)
					}
				}
			}
		}
	}
}

func TestUnknownNames(t *testing.T) {
	s, err := schedule.SquaredCosine(10)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "ddpm", "DDIM", "unipc"} {
		var wrong *samplers.NameError
		if _, err := samplers.New(name, s, 1); !errors.As(err, &wrong) {
			t.Errorf("New(%q): %v, want a NameError", name, err)
		}
	}
	if samplers.Check("ddpm") != nil || samplers.Check("unipc") == nil {
		t.Error("Check knows other names than Names")
	}
}
