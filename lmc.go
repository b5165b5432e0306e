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

// Transition implements [Dynamics]; the timestep is 0 without a schedule.
func (l LMC) Transition(i int, kind schedule.Kind) Transition {
	t := Transition{Std: math.Sqrt(2 * l.Step), StepSize: l.Step}
	a, b := 0.0, 1.0 // of the score in state and prediction
	if l.Schedule != nil {
		level := l.Schedule.At(i * l.Schedule.Len() / l.Length)
		t.Timestep = level.Timestep
		a, b = level.Coefficients(kind, schedule.Score)
	}
	v := l.Sigma * l.Sigma
	t.Estimate.State, t.Estimate.Prediction = 1+v*a, v*b
	t.Mean.State, t.Mean.Prediction = 1+l.Step*a, l.Step*b
	return t
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

// String describes the dynamics for messages and manifests.
func (l LMC) String() string {
	s := fmt.Sprintf("LMC, %d steps of %g", l.Length, l.Step)
	if l.Schedule != nil {
		s += ", annealed over " + l.Schedule.Name()
	}
	return s
}
