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

// Timestep implements [Dynamics].
func (d DDPM) Timestep(i int) int { return d.Schedule.At(i).Timestep }

// Mean implements [Dynamics].
func (d DDPM) Mean(dst, x, p []float32, kind schedule.Kind, i int) {
	step := d.Schedule.At(i)
	step.Tweedie(dst, x, p, kind, d.Clip)
	step.PosteriorMean(dst, dst, x)
}

// Std implements [Dynamics].
func (d DDPM) Std(i int) float64 {
	scale := orDefault(d.NoiseScale, 1)
	if d.Noise == ForwardNoise {
		return scale * math.Sqrt(d.Schedule.At(i).Beta)
	}
	if i == 0 {
		return 0
	}
	return scale * d.Schedule.At(i).PosteriorStd()
}

// Estimate implements [Dynamics].
func (d DDPM) Estimate(kind schedule.Kind, i int) (a, b, clip float64) {
	a, b = d.Schedule.At(i).Coefficients(kind, schedule.X0)
	return a, b, d.Clip
}

// Scale implements [Dynamics].
func (d DDPM) Scale(s Scale, i int) (float64, bool) {
	switch s {
	case Unscaled:
		return 1, true
	case ByNoiseRate:
		step := d.Schedule.At(i)
		return step.Beta / math.Sqrt(step.Alpha), true
	}
	return 0, false
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

// String implements [Dynamics].
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
