package schedule

import (
	"fmt"
	"math"
)

// minVariance is the floor of a posterior variance, so that its logarithm
// exists: the value used by every published implementation.
const minVariance = 1e-20

// Step is one line of a schedule: the numbers of x_t and of the posterior
// q(x_{t-1} | x_t, x_0), a normal with mean CoefX0 x_0 + CoefXt x_t (Ho, Jain and
// Abbeel 2020, equation 7).
type Step struct {
	Timestep          int     // what the network is told
	Beta              float64 // variance added from the state before
	Alpha             float64 // 1 - Beta
	AlphaBar          float64 // ᾱ: share of the clean sample's variance that is left
	AlphaBarPrev      float64 // ᾱ of the state before; 1 at the first step
	Sigma             float64 // √(1-ᾱ): standard deviation of the noise in x_t
	SqrtAlphaBar      float64 // √ᾱ: weight of the clean sample in x_t
	InvSqrtAlphaBar   float64 // 1/√ᾱ
	NoiseToSignal     float64 // √(1/ᾱ-1)
	CoefX0            float64 // posterior mean: weight of x_0
	CoefXt            float64 // posterior mean: weight of x_t
	PosteriorVariance float64 // variance of x_{t-1} given x_t and x_0; not clamped
}

// PosteriorStd returns the standard deviation of the posterior, at least 1e-10.
func (s Step) PosteriorStd() float64 { return math.Sqrt(max(s.PosteriorVariance, minVariance)) }

// Schedule is a noise schedule: its steps in order of increasing noise. It does
// not change after construction.
type Schedule struct {
	name  string
	steps []Step
}

// Name returns the schedule's name with its parameters, for manifests.
func (s *Schedule) Name() string { return s.name }

// Len returns the number of steps.
func (s *Schedule) Len() int { return len(s.steps) }

// At returns step i, 0 being the least noisy.
func (s *Schedule) At(i int) Step { return s.steps[i] }

// ForTimestep returns the step whose network timestep is t.
func (s *Schedule) ForTimestep(t int) (Step, error) {
	lo, hi := 0, len(s.steps)
	for lo < hi {
		mid := (lo + hi) / 2
		if s.steps[mid].Timestep < t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(s.steps) || s.steps[lo].Timestep != t {
		return Step{}, fmt.Errorf("schedule: %s has no timestep %d", s.name, t)
	}
	return s.steps[lo], nil
}

// FromBetas returns the schedule of the given variances, each in (0, 1).
func FromBetas(name string, betas []float64) (*Schedule, error) {
	bars := make([]float64, len(betas))
	bar := 1.0
	for i, b := range betas {
		bar *= 1 - b
		bars[i] = bar
	}
	return fromTables(name, betas, bars)
}

// float is the arithmetic in which a table is computed. Published tables are
// float32 throughout: 1/ᾱ-1 loses so many digits there that float64 tables differ
// from them by 1e-4 at the first steps.
type float interface{ float32 | float64 }

// fromTables builds the steps in the arithmetic of the given tables.
func fromTables[T float](name string, betas, bars []T) (*Schedule, error) {
	if len(betas) == 0 {
		return nil, fmt.Errorf("schedule: %s has no steps", name)
	}
	s := &Schedule{name: name, steps: make([]Step, len(betas))}
	prev := T(1)
	for i, beta := range betas {
		if !(beta > 0 && beta < 1) {
			return nil, fmt.Errorf("schedule: %s: beta of step %d is %v, want a number between 0 and 1", name, i, beta)
		}
		if !(bars[i] > 0 && bars[i] < prev) {
			return nil, fmt.Errorf("schedule: %s: alpha-bar of step %d is %v, want it to fall from %v", name, i, bars[i], prev)
		}
		s.steps[i] = newStep(i, beta, bars[i], prev)
		prev = bars[i]
	}
	return s, nil
}

func newStep[T float](timestep int, beta, bar, prev T) Step {
	sqrt := func(x T) T { return T(math.Sqrt(float64(x))) }
	return Step{
		Timestep:          timestep,
		Beta:              float64(beta),
		Alpha:             float64(1 - beta),
		AlphaBar:          float64(bar),
		AlphaBarPrev:      float64(prev),
		Sigma:             float64(sqrt(1 - bar)),
		SqrtAlphaBar:      float64(sqrt(bar)),
		InvSqrtAlphaBar:   float64(sqrt(1 / bar)),
		NoiseToSignal:     float64(sqrt(1/bar - 1)),
		CoefX0:            float64(beta * sqrt(prev) / (1 - bar)),
		CoefXt:            float64((1 - prev) * sqrt(1-beta) / (1 - bar)),
		PosteriorVariance: float64(beta * (1 - prev) / (1 - bar)),
	}
}
