// Package samplers names the samplers that any model with a noise schedule and bounded clean
// samples can be drawn with: robots, pushing, policies. They are all values of [pcd.Dynamics]
// over the steps of the schedule, of which a respaced one has fewer.
package samplers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/schedule"
)

// DDPM is the sampler that the published runs use.
const DDPM = "ddpm"

// eulerAbove is the fall of σ above which a step of Heun's method is Euler's. It is meant for
// the first step of schedules that begin at next to no signal, where σ falls from thousands to
// a few; between the later steps of the schedules of robots and policies it falls less.
const eulerAbove = 20

// others make the steps of the samplers other than [DDPM], with estimates limited to a box.
// Without it nothing holds the estimate at the first level.
var others = map[string]func(g *schedule.Grid, clip float64) pcd.Dynamics{
	"ddim":            func(g *schedule.Grid, clip float64) pcd.Dynamics { return pcd.Euler{Grid: g, Clip: clip} },
	"euler-ancestral": func(g *schedule.Grid, clip float64) pcd.Dynamics { return pcd.Euler{Grid: g, Eta: 1, Clip: clip} },
	"heun": func(g *schedule.Grid, clip float64) pcd.Dynamics {
		return pcd.Heun{Grid: g, Clip: clip, EulerAbove: eulerAbove}
	},
	"dpm++2m": func(g *schedule.Grid, clip float64) pcd.Dynamics { return pcd.DPMSolver{Grid: g, Clip: clip} },
}

// Names lists the samplers: ddpm as published, ddim without noise, euler-ancestral with all of
// it, heun, which asks the models twice a step, and dpm++2m.
func Names() []string { return append([]string{DDPM}, slices.Sorted(maps.Keys(others))...) }

// NameError says that there is no sampler of a name.
type NameError struct{ Name string }

func (e *NameError) Error() string {
	return fmt.Sprintf("sampler %s, want one of %s", quote.Text(e.Name), strings.Join(Names(), ", "))
}

// Check returns a [NameError] for a name that no sampler has.
func Check(name string) error {
	if name != DDPM && others[name] == nil {
		return &NameError{name}
	}
	return nil
}

// New returns the steps of a sampler other than [DDPM], whose noise and ends are its users', over
// all steps of a schedule, from the noisiest to the clean sample, with estimates limited to
// [-clip, clip]; 0 does not limit them.
func New(name string, s *schedule.Schedule, clip float64) (pcd.Dynamics, error) {
	build, ok := others[name]
	if !ok {
		return nil, &NameError{name}
	}
	g, err := over(s)
	if err != nil {
		return nil, err
	}
	return build(g, clip), nil
}

// over returns the grid of the steps of a schedule.
func over(s *schedule.Schedule) (*schedule.Grid, error) {
	var levels []schedule.Level
	for i := s.Len() - 1; i >= 0; i-- {
		at := s.At(i)
		levels = append(levels, schedule.Level{Timestep: float64(at.Timestep), Signal: at.SqrtAlphaBar, Noise: at.Sigma})
	}
	return schedule.NewGrid(s.Name(), append(levels, schedule.Clean)...)
}
