package pcd

import (
	"github.com/go-pcd/pcd/schedule"
)

// Dynamics is the chain that couplings and projections are added to: step i maps
// a state x and the model's prediction p at it to a normal distribution of the
// next state. Steps count down to 0. [LMC], [DDPM] and [DDIM] are those of the literature.
type Dynamics interface {
	// Steps returns the number of steps.
	Steps() int
	// Timestep returns what the models are told at step i.
	Timestep(i int) int
	// Mean writes the mean of the next state to dst, element by element. kind says
	// what p predicts. dst overlaps neither x nor p.
	Mean(dst, x, p []float32, kind schedule.Kind, i int)
	// Std returns the standard deviation of the noise added at step i.
	Std(i int) float64
	// Estimate returns how the clean-sample estimate follows from state and
	// prediction: a x + b p, limited to [-clip, clip] when clip is positive.
	Estimate(kind schedule.Kind, i int) (a, b, clip float64)
	// Scale returns the factor of a coupling scale at step i; ok is false when the
	// dynamics have no such scale.
	Scale(s Scale, i int) (factor float64, ok bool)
	// Check returns an error when the parameters make no chain for models that
	// predict this kind.
	Check(kind schedule.Kind) error
	// String describes the dynamics for the manifest.
	String() string
}
