package pcd

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/schedule"
)

// LMC is Langevin Monte Carlo with a constant step, x + δ s(x) + √(2δ) ε: the
// paper's first form of coupled dynamics. Models must predict the score, or any
// kind when Schedule gives the noise level at which they are read.
type LMC struct {
	Step   float64 // δ
	Length int     // number of steps
	// Sigma is the noise level σ of the clean-sample estimate x + σ² s(x) that
	// posterior sampling differentiates; 0 estimates the state itself.
	Sigma float64
	// Schedule, when not nil, anneals: step i of T asks the models at the entry
	// i·Len/T of the schedule, from the noisiest down.
	Schedule *schedule.Schedule
}

// Steps implements [Dynamics].
func (l LMC) Steps() int { return l.Length }

// level returns the schedule entry of step i.
func (l LMC) level(i int) schedule.Step { return l.Schedule.At(i * l.Schedule.Len() / l.Length) }

// Timestep implements [Dynamics]; it is 0 without a schedule.
func (l LMC) Timestep(i int) int {
	if l.Schedule == nil {
		return 0
	}
	return l.level(i).Timestep
}

// score returns the coefficients of the score in state and prediction.
func (l LMC) score(kind schedule.Kind, i int) (a, b float64) {
	if l.Schedule == nil {
		return 0, 1
	}
	return l.level(i).Coefficients(kind, schedule.Score)
}

// Mean implements [Dynamics].
func (l LMC) Mean(dst, x, p []float32, kind schedule.Kind, i int) {
	a, b := l.score(kind, i)
	wx, wp := float32(1+l.Step*a), float32(l.Step*b)
	for j := range dst {
		dst[j] = wx*x[j] + wp*p[j]
	}
}

// Std implements [Dynamics].
func (l LMC) Std(int) float64 { return math.Sqrt(2 * l.Step) }

// Estimate implements [Dynamics].
func (l LMC) Estimate(kind schedule.Kind, i int) (a, b, clip float64) {
	a, b = l.score(kind, i)
	v := l.Sigma * l.Sigma
	return 1 + v*a, v * b, 0
}

// Scale implements [Dynamics].
func (l LMC) Scale(s Scale, _ int) (float64, bool) {
	switch s {
	case Unscaled:
		return 1, true
	case ByStepSize:
		return l.Step, true
	}
	return 0, false
}

// Check implements [Dynamics].
func (l LMC) Check(kind schedule.Kind) error {
	if !(l.Step > 0) || math.IsInf(l.Step, 0) {
		return fmt.Errorf("LMC step is %v, want a positive number", l.Step)
	}
	if l.Length < 1 {
		return fmt.Errorf("LMC length is %d, want at least 1 step", l.Length)
	}
	if !(l.Sigma >= 0) || math.IsInf(l.Sigma, 0) {
		return fmt.Errorf("LMC noise level of the estimate is %v, want 0 or more", l.Sigma)
	}
	if kind != schedule.Score && l.Schedule == nil {
		return fmt.Errorf("LMC needs models that predict the score; one predicts %v (give LMC a schedule, or see denoise.Convert)", kind)
	}
	return nil
}

// String implements [Dynamics].
func (l LMC) String() string {
	s := fmt.Sprintf("LMC, %d steps of %g", l.Length, l.Step)
	if l.Schedule != nil {
		s += ", annealed over " + l.Schedule.Name()
	}
	return s
}
