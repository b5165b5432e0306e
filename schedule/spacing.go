package schedule

import (
	"fmt"
	"math"
)

// GridOptions says which noise levels of a training are visited. The published samplers
// differ in roundings and in what they take as the ends; each has a family.
type GridOptions struct {
	Steps   int // levels visited
	Family  Family
	Spacing Spacing
	Offset  int // added to the timesteps of the spacing Leading
	Sigmas  Sigmas
	// SigmaMin and SigmaMax, where not 0, are the ends of the sigmas that are spaced
	// otherwise than by timesteps.
	SigmaMin, SigmaMax float64
	LogSigma           bool // between timesteps, interpolate ln σ instead of σ
	EndAtFirst         bool // end at the level of timestep 0 instead of the clean sample
	// ZeroSNR rescales the levels so that the last timestep has no signal. Where a
	// family works with σ, what is left is 2^-24 of its variance.
	ZeroSNR bool
	// Strided lets every step lead to the timestep T/Steps below, whichever is visited
	// next. It is a slip of the diffusers library (DDIM and PNDM), which shows where
	// Steps does not divide T, kept to reproduce results that were made with it.
	Strided bool
	// Original is the number of steps of the sampler that was distilled; 0 is 50. Only
	// the family Distilled has one.
	Original int
	// Halved is the number of first steps with a level in their middle, as a
	// Runge-Kutta start needs.
	Halved int
}

// Family says whose roundings and ends a grid follows.
type Family int

// The families.
const (
	// Discrete visits whole timesteps: DDPM, DDIM, PNDM.
	Discrete Family = iota
	// Continuous may visit any real timestep, and spaces sigmas between those of the
	// first and the last: Euler, Euler ancestral, Heun.
	Continuous
	// Interior visits whole timesteps of a grid with one step more, without its clean
	// end, and spaces sigmas over the whole training: DPM-Solver.
	Interior
	// Distilled visits some of the timesteps of the sampler that was distilled: LCM, TCD.
	Distilled
)

// Spacing says how timesteps are chosen.
type Spacing int

// The spacings, by the names they have in scheduler files. T is the number of timesteps.
const (
	Leading  Spacing = iota // multiples of T/Steps rounded down, plus Offset
	Linspace                // equally spaced, both ends of the training among them
	Trailing                // from the noisiest down by T/Steps, rounded
)

var spacingNames = [...]string{"leading", "linspace", "trailing"}

// String returns the name of the spacing in scheduler files.
func (s Spacing) String() string {
	if s < 0 || int(s) >= len(spacingNames) {
		return fmt.Sprintf("Spacing(%d)", int(s))
	}
	return spacingNames[s]
}

// timesteps returns the timesteps of a grid over total of them, from the noisiest on.
func (o GridOptions) timesteps(total int) []float64 {
	if o.Family == Distilled {
		return o.distilled(total)
	}
	n, last := o.Steps, float64(total-1)
	out := make([]float64, n)
	for k := range out {
		i := n - 1 - k // counted from the clean end
		switch {
		case o.Spacing == Trailing:
			out[k] = trailing(float64(total), float64(n), float64(k))
		case o.Spacing == Leading && o.Family == Interior:
			out[k] = float64(total/(n+1)*(i+1) + o.Offset)
		case o.Spacing == Leading:
			out[k] = float64(total/n*i + o.Offset)
		case o.Family == Interior:
			out[k] = linspace(last, float64(n), float64(i+1))
		case n == 1:
			out[k] = 0
		case o.Family == Continuous:
			out[k] = last * float64(i) / float64(n-1)
		default:
			out[k] = linspace(last, float64(n-1), float64(i))
		}
	}
	return out
}

// linspace returns the i-th of the timesteps from 0 to last in n equal parts. Ties are rounded as NumPy's
// linspace leads to them: by multiples of a part, but for the last.
func linspace(last, n, i float64) float64 {
	if i == n {
		return last
	}
	return math.RoundToEven(i * (last / n))
}

// trailing returns the k-th of n timesteps from total down. Ties are rounded as NumPy's
// arange leads to them: by multiples of the difference of its first two values.
func trailing(total, n, k float64) float64 {
	difference := (total - total/n) - total
	product := k * difference
	return math.RoundToEven(total+float64(product)) - 1
}

// distilled returns Steps of the timesteps of the sampler that was distilled, which
// visited every (total/Original)-th up to the last.
func (o GridOptions) distilled(total int) []float64 {
	original := o.original()
	out := make([]float64, o.Steps)
	for k := range out {
		out[k] = float64(total/original*(original-k*original/o.Steps) - 1)
	}
	return out
}

func (o GridOptions) original() int {
	if o.Original == 0 {
		return 50
	}
	return o.Original
}

// check returns an error for what makes no grid over total timesteps.
func (o GridOptions) check(total int) error {
	most := total
	switch {
	case o.Family == Distilled:
		most = o.original()
	case o.Family == Interior && o.Spacing != Trailing && o.Sigmas == ByTimestep:
		most = total - 1 // its grid has a clean end more
	}
	switch {
	case o.Family < Discrete || o.Family > Distilled:
		return fmt.Errorf("schedule: grid of family %d, want one of those listed", o.Family)
	case o.Spacing < Leading || o.Spacing > Trailing:
		return fmt.Errorf("schedule: grid spaced by %v, want leading, linspace or trailing", o.Spacing)
	case o.Sigmas < ByTimestep || o.Sigmas > BetaQuantiles:
		return fmt.Errorf("schedule: grid with sigmas by %v, want timestep, karras, exponential or beta", o.Sigmas)
	case o.Family == Distilled && (o.original() < 1 || o.original() > total):
		return fmt.Errorf("schedule: %d original steps for %d training steps, want 1 to %d", o.Original, total, total)
	case o.Steps < 1 || o.Steps > most:
		return fmt.Errorf("schedule: %d sampling steps for %d training steps, want 1 to %d", o.Steps, total, most)
	case o.Offset < 0 || o.Offset >= total:
		return fmt.Errorf("schedule: offset %d leaves none of %d timesteps", o.Offset, total)
	case !(o.SigmaMin >= 0 && o.SigmaMax >= 0) || math.IsInf(o.SigmaMin+o.SigmaMax, 0) || o.SigmaMin > 0 && o.SigmaMax > 0 && o.SigmaMin >= o.SigmaMax:
		return fmt.Errorf("schedule: sigmas from %v to %v, want 0 (as trained) or rising numbers", o.SigmaMin, o.SigmaMax)
	case o.Halved < 0 || o.Halved >= o.Steps:
		return fmt.Errorf("schedule: %d halved of %d steps, want fewer", o.Halved, o.Steps)
	}
	return nil
}
