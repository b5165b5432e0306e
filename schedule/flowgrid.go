package schedule

import (
	"fmt"
	"math"
)

// FlowOptions says which noise levels of a flow model are visited. The zero value but for
// Steps spaces them equally.
type FlowOptions struct {
	Steps int
	// Timesteps is the number that stands for pure noise; 0 is 1000.
	Timesteps int
	// Shift moves levels towards noise, s → Shift s / (1 + (Shift-1) s); 0 is 1, none.
	Shift float64
	// Dynamic shifts by Mu instead, s → m / (m + 1/s - 1), with m = e^Mu, or m = Mu
	// where LinearMu.
	Dynamic  bool
	Mu       float64
	LinearMu bool
	// Terminal, where not 0, stretches the levels so that the last has this share of noise.
	Terminal float64
}

// FlowGrid returns the levels of a flow model, x = (1-s) x_0 + s ε, by the rules of the
// diffusers library: the shift acts on the clean end of the line and again on all of its
// points.
//
// Source: Esser et al., "Scaling rectified flow transformers" (ICML 2024), section 5.3.2.
func FlowGrid(o FlowOptions) (*Grid, error) {
	if o.Timesteps == 0 {
		o.Timesteps = 1000
	}
	if o.Shift == 0 {
		o.Shift = 1
	}
	name := fmt.Sprintf("flow, %d steps, shift %g", o.Steps, o.Shift)
	if o.Dynamic {
		name = fmt.Sprintf("flow, %d steps, mu %g", o.Steps, o.Mu)
	}
	m := math.Exp(o.Mu)
	if o.LinearMu {
		m = o.Mu
	}
	switch {
	case o.Timesteps > maxSteps:
		return nil, fmt.Errorf("schedule: %s for %d timesteps, want at most %d", name, o.Timesteps, maxSteps)
	case o.Steps < 1 || o.Steps > o.Timesteps:
		return nil, fmt.Errorf("schedule: %s for %d timesteps, want 1 to %d steps", name, o.Timesteps, o.Timesteps)
	case !(o.Shift > 0) || math.IsInf(o.Shift, 0), !(m > 0) || math.IsInf(m, 0), !(o.Terminal >= 0 && o.Terminal < 1):
		return nil, fmt.Errorf("schedule: %s, ending at %v: want a positive shift and an end from 0 to below 1", name, o.Terminal)
	}
	f := func(s float64) float64 { return o.Shift * s / (1 + (o.Shift-1)*s) }
	low := 1 / float64(o.Timesteps)
	if o.Dynamic {
		f = func(s float64) float64 { return m / (m + 1/s - 1) }
	} else {
		low = f(low)
	}
	levels := make([]Level, o.Steps)
	for k := range levels {
		s := 1.0
		if o.Steps > 1 {
			s = 1 + (low-1)*float64(k)/float64(o.Steps-1)
		}
		levels[k].Noise = min(f(s), 1) // rounding may lead beyond 1
	}
	for k, last := 0, levels[o.Steps-1].Noise; k < o.Steps; k++ {
		l := &levels[k]
		if o.Terminal > 0 && last < 1 {
			l.Noise = 1 - (1-l.Noise)*(1-o.Terminal)/(1-last)
		}
		l.Signal, l.Timestep = 1-l.Noise, l.Noise*float64(o.Timesteps)
	}
	return NewGrid(name, append(levels, Clean)...)
}
