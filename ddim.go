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

// Timestep implements [Dynamics].
func (d DDIM) Timestep(i int) int { return d.Schedule.At(i).Timestep }

// Mean implements [Dynamics].
func (d DDIM) Mean(dst, x, p []float32, kind schedule.Kind, i int) {
	step := d.Schedule.At(i)
	step.Tweedie(dst, x, p, kind, d.Clip)
	a, b := step.Coefficients(kind, schedule.Epsilon)
	std := d.Std(i)
	along := math.Sqrt(max(0, 1-step.AlphaBarPrev-std*std))
	clean, wx, wp := float32(math.Sqrt(step.AlphaBarPrev)), float32(along*a), float32(along*b)
	for j := range dst {
		dst[j] = clean*dst[j] + (wx*x[j] + wp*p[j])
	}
}

// Std implements [Dynamics].
func (d DDIM) Std(i int) float64 { return d.Eta * math.Sqrt(d.Schedule.At(i).PosteriorVariance) }

// Estimate implements [Dynamics].
func (d DDIM) Estimate(kind schedule.Kind, i int) (a, b, clip float64) {
	return DDPM{Schedule: d.Schedule, Clip: d.Clip}.Estimate(kind, i)
}

// Scale implements [Dynamics].
func (d DDIM) Scale(s Scale, i int) (float64, bool) {
	return DDPM{Schedule: d.Schedule}.Scale(s, i)
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

// String implements [Dynamics].
func (d DDIM) String() string {
	s := fmt.Sprintf("DDIM, %s, eta %g", d.Schedule.Name(), d.Eta)
	if d.Clip > 0 {
		s += fmt.Sprintf(", estimate clipped to %g", d.Clip)
	}
	return s
}
