package pcd

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/schedule"
)

// DDPM is ancestral sampling of a diffusion model: the clean sample is estimated
// from the prediction, and the next state drawn from the posterior given it (Ho,
// Jain and Abbeel 2020).
type DDPM struct {
	Schedule *schedule.Schedule
	// Clip limits the clean-sample estimate to [-Clip, Clip]; 0 does not. Without
	// it the mean is the paper's (x + (1-α) s)/√α.
	Clip float64
	// Noise says which standard deviation is added.
	Noise NoiseStd
	// NoiseScale multiplies it; 0 is 1.
	NoiseScale float64
}

// NoiseStd says which standard deviation a diffusion step adds.
type NoiseStd int

// The standard deviations.
const (
	// PosteriorNoise is that of the posterior; step 0 adds none.
	PosteriorNoise NoiseStd = iota
	// ForwardNoise is √(1-α) at every step, as the paper's algorithms state.
	ForwardNoise
)

// Steps implements [Dynamics].
func (d DDPM) Steps() int {
	if d.Schedule == nil {
		return 0
	}
	return d.Schedule.Len()
}

// Transition implements [Dynamics].
func (d DDPM) Transition(i int, kind schedule.Kind) Transition {
	step := d.Schedule.At(i)
	t := fromSchedule(step, kind, d.Clip)
	t.Mean.Estimate, t.Mean.State = step.CoefX0, step.CoefXt
	t.PredictionRate = t.NoiseRate
	switch scale := orDefault(d.NoiseScale, 1); {
	case d.Noise == ForwardNoise:
		t.Std = scale * math.Sqrt(step.Beta)
	case i > 0:
		t.Std = scale * step.PosteriorStd()
	}
	return t
}

// fromSchedule returns what the steps of diffusion models have in common.
func fromSchedule(step schedule.Step, kind schedule.Kind, clip float64) Transition {
	t := Transition{Timestep: step.Timestep, NoiseRate: step.Beta / math.Sqrt(step.Alpha)}
	t.Estimate.State, t.Estimate.Prediction = step.Coefficients(kind, schedule.X0)
	t.Estimate.Clip = clip
	return t
}

// Check implements [Dynamics].
func (d DDPM) Check(kind schedule.Kind) error {
	if d.Schedule == nil {
		return errors.New("DDPM has no schedule")
	}
	if !kind.Valid() {
		return fmt.Errorf("DDPM cannot use a model that predicts %v", kind)
	}
	if !(d.Clip >= 0) {
		return fmt.Errorf("DDPM clip is %v, want 0 or more", d.Clip)
	}
	if d.Noise != PosteriorNoise && d.Noise != ForwardNoise {
		return fmt.Errorf("DDPM noise is %d, want posterior or forward noise", d.Noise)
	}
	if !(d.NoiseScale >= 0) || math.IsInf(d.NoiseScale, 0) {
		return fmt.Errorf("DDPM noise scale is %v, want 0 or more", d.NoiseScale)
	}
	return nil
}

// String describes the dynamics for messages and manifests.
func (d DDPM) String() string {
	noise := "posterior noise"
	if d.Noise == ForwardNoise {
		noise = "forward noise"
	}
	s := fmt.Sprintf("DDPM, %s, %g times %s", d.Schedule.Name(), orDefault(d.NoiseScale, 1), noise)
	if d.Clip > 0 {
		s += fmt.Sprintf(", estimate clipped to %g", d.Clip)
	}
	return s
}
