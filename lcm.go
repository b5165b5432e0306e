package pcd

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/schedule"
)

// LCM samples latent consistency models: each step jumps to the clean sample, and noises
// it again to the next level.
//
// Source: Luo et al., "Latent consistency models" (2023), algorithm 3 and equation 9.
type LCM struct {
	Grid *schedule.Grid
	// TimeScale multiplies timesteps in the weights of estimate and state; 0 is 10, the
	// published.
	TimeScale float64
	// Clip limits the clean-sample estimate to [-Clip, Clip]; 0 does not.
	Clip float64
}

// consistencyVariance is that of the data in the weights of consistency models.
const consistencyVariance = 0.25

// Steps implements [Dynamics].
func (d LCM) Steps() int { return lengthOf(d.Grid) }

// Start implements [Starter].
func (d LCM) Start() float64 { return startAt(d.Grid) }

// Transition implements [Dynamics].
func (d LCM) Transition(i int, kind schedule.Kind) Transition {
	k := d.Grid.Len() - 1 - i
	b := newBridge(d.Grid.From(k), d.Grid.To(k), kind, d.Clip)
	t := orDefault(d.TimeScale, 10) * b.from.Timestep
	skip := consistencyVariance / (t*t + consistencyVariance)
	out := t / math.Sqrt(t*t+consistencyVariance)
	scale := 1.0
	if i > 0 {
		scale, b.Std = b.to.Signal, b.to.Noise
	}
	b.mean(scale*out, 0, scale*skip)
	return b.Transition
}

// Check implements [Dynamics].
func (d LCM) Check(kind schedule.Kind) error {
	if !(d.TimeScale >= 0) || math.IsInf(d.TimeScale, 0) {
		return fmt.Errorf("LCM time scale is %v, want 0 (10) or a positive number", d.TimeScale)
	}
	return checkGrid("LCM", d.Grid, kind, d.Clip)
}

// String describes the dynamics for messages and manifests.
func (d LCM) String() string { return described("LCM", d.Grid, d.Clip) }
