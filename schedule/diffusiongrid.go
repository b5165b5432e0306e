package schedule

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// minAlphaBar is what the families that work with σ leave of the clean sample's variance
// where nothing should be left: σ = 4096.
const minAlphaBar = 1. / (1 << 24)

// Grid returns the levels that a sampler visits of the training that s is the schedule
// of: all its timesteps, 0 to Len-1.
func (s *Schedule) Grid(o GridOptions) (*Grid, error) {
	total := s.Len()
	if s.At(total-1).Timestep != total-1 {
		return nil, fmt.Errorf("schedule: %s is not that of a whole training; take a grid of the schedule before it was respaced", s.name)
	}
	if err := o.check(total); err != nil {
		return nil, err
	}
	t := training{bars: s.alphaBars(o), byLog: o.LogSigma}
	levels, err := t.levels(o)
	if err != nil {
		return nil, fmt.Errorf("schedule: %s: %w", s.name, err)
	}
	end := Clean
	if o.EndAtFirst {
		end = t.level(0)
		endAt(levels, end)
	}
	if levels, err = t.halve(levels, end, o.Halved); err != nil {
		return nil, err
	}
	g, err := NewGrid(o.name(s), append(levels, end)...)
	if err != nil {
		return nil, err
	}
	if o.Strided {
		g.to = slices.Clone(g.to)
		for k := 2 * o.Halved; k < len(g.from); k++ {
			l := g.from[k]
			g.to[k] = end
			if t0 := l.Timestep - float64(total/o.Steps); t0 >= 0 {
				g.to[k] = t.level(t0)
			}
		}
	}
	if o.Family == Continuous && o.Spacing != Leading {
		g.start = g.from[0].Noise
	}
	return g, nil
}

// endAt makes the last level the end where only rounding keeps them apart the wrong way: sigmas
// that are spaced otherwise than by timesteps may end at that of timestep 0.
func endAt(levels []Level, end Level) {
	last := &levels[len(levels)-1]
	if s := last.Sigma(); s <= end.Sigma() && s > end.Sigma()*(1-1e-12) {
		*last = end
	}
}

// name says what a grid is for manifests.
func (o GridOptions) name(s *Schedule) string {
	name := fmt.Sprintf("%s, %d steps", s.name, o.Steps)
	if o.Family == Distilled {
		name += fmt.Sprintf(" of %d", o.original())
	} else {
		name += ", " + o.Spacing.String()
	}
	if o.Sigmas != ByTimestep {
		name += ", sigmas by " + o.Sigmas.String()
	}
	if o.ZeroSNR {
		name += ", zero terminal SNR"
	}
	return name
}

// alphaBars returns the share of the clean sample's variance that is left at every
// timestep, rescaled where that is asked for: √ᾱ is shifted and scaled so that the last
// is 0 and the first stays.
//
// Source: Lin et al., "Common diffusion noise schedules and sample steps are flawed"
// (WACV 2024), algorithm 1.
func (s *Schedule) alphaBars(o GridOptions) []float64 {
	bars := make([]float64, s.Len())
	first, last := math.Sqrt(s.At(0).AlphaBar), math.Sqrt(s.At(s.Len()-1).AlphaBar)
	for i := range bars {
		bars[i] = s.At(i).AlphaBar
		if o.ZeroSNR {
			r := (math.Sqrt(bars[i]) - last) * first / (first - last)
			bars[i] = r * r
		}
	}
	if o.ZeroSNR && (o.Family == Continuous || o.Family == Interior) {
		bars[len(bars)-1] = minAlphaBar
	}
	return bars
}

// training is what a model was trained on: ᾱ at every timestep.
type training struct {
	bars  []float64
	byLog bool // between timesteps, interpolate ln σ
}

func (t training) sigma(i int) float64 { return math.Sqrt((1 - t.bars[i]) / t.bars[i]) }

// level returns the level of a timestep. Between those of the training, σ or its
// logarithm is interpolated.
func (t training) level(at float64) Level {
	i := int(at)
	if at == float64(i) {
		return levelOf(at, t.bars[i])
	}
	u, a, b := at-float64(i), t.sigma(i), t.sigma(i+1)
	if t.byLog {
		return levelAt(at, math.Exp((1-u)*math.Log(a)+u*math.Log(b)))
	}
	return levelAt(at, (1-u)*a+u*b)
}

// levels returns those that are visited.
func (t training) levels(o GridOptions) ([]Level, error) {
	if o.Family == Interior && o.Sigmas != ByTimestep { // between the ends of the training, whichever timesteps there would be
		return t.spaced(o, t.sigma(len(t.bars)-1), t.sigma(0))
	}
	levels := make([]Level, o.Steps)
	last := float64(len(t.bars) - 1)
	for k, at := range o.timesteps(len(t.bars)) {
		if at < 0 || at > last {
			return nil, fmt.Errorf("timestep %v of %d steps with offset %d is outside the training's 0 to %v", at, o.Steps, o.Offset, last)
		}
		levels[k] = t.level(at)
	}
	if o.Sigmas == ByTimestep {
		return levels, nil
	}
	return t.spaced(o, levels[0].Sigma(), levels[o.Steps-1].Sigma())
}

// spaced returns levels of sigmas from high down to low, unless the options say other ends.
func (t training) spaced(o GridOptions, high, low float64) ([]Level, error) {
	if o.SigmaMax > 0 {
		high = o.SigmaMax
	}
	if o.SigmaMin > 0 {
		low = o.SigmaMin
	}
	if !(high < math.Inf(1)) || low > high {
		return nil, fmt.Errorf("sigmas from %v to %v, want falling finite numbers", high, low)
	}
	levels := make([]Level, o.Steps)
	for k, sigma := range o.Sigmas.between(high, low, o.Steps) {
		at := t.timestep(sigma)
		if o.Family == Interior {
			at = o.Sigmas.whole(at)
		}
		levels[k] = levelAt(at, sigma)
	}
	return levels, nil
}

// timestep returns the timestep of a σ: between those of the training, by ln σ.
func (t training) timestep(sigma float64) float64 {
	i := sort.Search(len(t.bars), func(i int) bool { return t.sigma(i) > sigma })
	switch i {
	case 0:
		return 0
	case len(t.bars):
		return float64(i - 1)
	}
	a, b := math.Log(t.sigma(i-1)), math.Log(t.sigma(i))
	return float64(i-1) + (math.Log(sigma)-a)/(b-a)
}

// halve puts a level in the middle of the first steps, at the timestep between their ends
// rounded down.
func (t training) halve(levels []Level, end Level, steps int) ([]Level, error) {
	if steps == 0 {
		return levels, nil
	}
	var out []Level
	for k, l := range levels {
		out = append(out, l)
		if k >= steps {
			continue
		}
		next := levels[k+1].Timestep
		half := math.Floor((l.Timestep - next) / 2)
		if half < 1 || l.Timestep != math.Trunc(l.Timestep) {
			return nil, fmt.Errorf("schedule: no whole timestep lies between %v and %v, as a halved step needs", l.Timestep, next)
		}
		out = append(out, t.level(next+half))
	}
	return out, nil
}
