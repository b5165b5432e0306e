package schedule

import (
	"fmt"
	"math"
)

// Grid is the noise levels that a sampler visits, from the noisiest on, and the one that
// its last step ends at. It does not change after construction.
type Grid struct {
	name     string
	from, to []Level
	start    float64
}

// NewGrid returns the grid of given levels, of which the last is the end and not visited.
// Noise falls from each to the next; only the end may be the level visited last, of which a
// step then changes nothing.
func NewGrid(name string, levels ...Level) (*Grid, error) {
	if len(levels) < 2 {
		return nil, fmt.Errorf("schedule: grid %s has %d levels, want at least a visited one and the end", name, len(levels))
	}
	for i, l := range levels {
		if !(l.Signal >= 0 && l.Noise >= 0) || math.IsInf(l.Signal+l.Noise+l.Timestep, 0) || !(l.Timestep >= 0) || l.Signal+l.Noise == 0 {
			return nil, fmt.Errorf("schedule: grid %s: level %d is %+v, want finite weights and a timestep of 0 or more", name, i, l)
		}
		if i > 0 && !(l.Noise*levels[i-1].Signal < levels[i-1].Noise*l.Signal) && !(i == len(levels)-1 && l == levels[i-1]) {
			return nil, fmt.Errorf("schedule: grid %s: sigma of level %d is %v after %v, want it to fall", name, i, l.Sigma(), levels[i-1].Sigma())
		}
	}
	n := len(levels) - 1
	return &Grid{name: name, from: levels[:n:n], to: levels[1:], start: 1}, nil
}

// Name returns the name of the grid with its parameters, for manifests.
func (g *Grid) Name() string { return g.name }

// Len returns the number of levels visited.
func (g *Grid) Len() int { return len(g.from) }

// From returns the k-th level visited, 0 being the noisiest.
func (g *Grid) From(k int) Level { return g.from[k] }

// To returns the level that the step from the k-th one leads to: the next one, and after
// the last the end, except where [GridOptions.Strided] says otherwise.
func (g *Grid) To(k int) Level { return g.to[k] }

// Start returns the standard deviation of the state that a chain over the grid begins at.
func (g *Grid) Start() float64 { return g.start }

// Whole reports whether all timesteps are whole numbers, as models demand that know no
// others.
func (g *Grid) Whole() bool {
	for _, l := range g.from {
		if l.Timestep != math.Trunc(l.Timestep) {
			return false
		}
	}
	return true
}
