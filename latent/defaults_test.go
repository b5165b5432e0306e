package latent

import (
	"fmt"
	"testing"

	"github.com/go-pcd/pcd"
)

// TestDefaultsOfClasses reads files that name their class alone: each has the defaults of that class of the library, and begins,
// counted from the clean end, at timestep 0 unless it spaces them by another rule.
func TestDefaultsOfClasses(t *testing.T) {
	linear := "linear(1000, 0.0001, 0.02)"
	type defaults struct {
		spacing, noise string
		toOne, clip    bool
		last           int // timestep of the last of four steps
	}
	for class, want := range map[string]defaults{
		"DDIMScheduler":                   {"leading", linear, true, true, 0},
		"DDPMScheduler":                   {"leading", linear, true, true, 0},
		"PNDMScheduler":                   {"leading", linear, false, false, 0},
		"EulerDiscreteScheduler":          {"linspace", linear, false, false, 0},
		"EulerAncestralDiscreteScheduler": {"linspace", linear, false, false, 0},
		"HeunDiscreteScheduler":           {"linspace", "linear(1000, 0.00085, 0.012)", false, false, 0},
		"DPMSolverMultistepScheduler":     {"linspace", linear, false, false, 250}, // of five, without the clean one
		"LCMScheduler":                    {"leading", "scaled-linear(1000, 0.00085, 0.012)", true, false, 259},
		"TCDScheduler":                    {"leading", "scaled-linear(1000, 0.00085, 0.012)", true, false, 259},
	} {
		n := must(ParseNoise([]byte(fmt.Sprintf(`{"_class_name": %q}`, class))))(t)
		c := must(n.file.as(class))(t)
		if c.Offset != 0 || n.Offset != 0 {
			t.Errorf("%s: an offset of %d and %d, want 0", class, c.Offset, n.Offset)
		}
		d := must((&Model{Noise: n}).Dynamics(Sampler{Steps: 4, Method: Published}))(t)
		if got := (defaults{c.Spacing, n.Schedule.Name(), c.AlphaToOne, c.Clip, pcd.Timestep(d, 0)}); got != want {
			t.Errorf("%s: %+v, want %+v", class, got, want)
		}
	}
}
