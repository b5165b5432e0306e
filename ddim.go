package pcd

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/schedule"
)

// DDIM is sampling with less noise than [DDPM], down to none: the next state is the
// clean-sample estimate, noised again in the direction of the predicted noise and,
// for the part Eta, by new noise. It bears few steps: respace the schedule to any
// timesteps.
//
// Source: Song, Meng and Ermon, "Denoising diffusion implicit models" (2021),
// equations 12 and 16.
type DDIM struct {
	// Schedule is visited step by step. It ends in the clean sample unless
	// [schedule.Schedule.EndAt] says otherwise.
	Schedule *schedule.Schedule
	// Eta is the noise of a step relative to that of the posterior: 0, none, to 1,
	// which is [DDPM].
	Eta float64
	// Clip limits the clean-sample estimate to [-Clip, Clip]; 0 does not. The
	// direction of the noise stays as predicted.
	Clip float64
}

// Steps implements [Dynamics].
func (d DDIM) Steps() int {
	if d.Schedule == nil {
		return 0
	}
	return d.Schedule.Len()
}

// Transition implements [Dynamics].
func (d DDIM) Transition(i int, kind schedule.Kind) Transition {
	step := d.Schedule.At(i)
	t := fromSchedule(step, kind, d.Clip)
	t.Std = d.Eta * math.Sqrt(step.PosteriorVariance)
	along := math.Sqrt(max(0, 1-step.AlphaBarPrev-t.Std*t.Std))
	a, b := step.Coefficients(kind, schedule.Epsilon)
	t.Mean.Estimate, t.Mean.State, t.Mean.Prediction = math.Sqrt(step.AlphaBarPrev), along*a, along*b
	t.PredictionRate = step.Sigma * (t.Mean.Estimate*step.NoiseToSignal - along)
	return t
}

// Check implements [Dynamics].
func (d DDIM) Check(kind schedule.Kind) error {
	if d.Schedule == nil {
		return errors.New("DDIM has no schedule")
	}
	if !kind.Valid() {
		return fmt.Errorf("DDIM cannot use a model that predicts %v", kind)
	}
	if !(d.Eta >= 0 && d.Eta <= 1) {
		return fmt.Errorf("DDIM eta is %v, want a number from 0 (no noise) to 1 (that of DDPM)", d.Eta)
	}
	if !(d.Clip >= 0) || math.IsInf(d.Clip, 0) {
		return fmt.Errorf("DDIM clip is %v, want 0 (none) or a positive number", d.Clip)
	}
	return nil
}

// String describes the dynamics for messages and manifests.
func (d DDIM) String() string {
	s := fmt.Sprintf("DDIM, %s, eta %g", d.Schedule.Name(), d.Eta)
	if d.Clip > 0 {
		s += fmt.Sprintf(", estimate clipped to %g", d.Clip)
	}
	return s
}
