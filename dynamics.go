package pcd

import "github.com/go-pcd/pcd/schedule"

// Dynamics is the chain that couplings and projections are added to. Steps count down
// to 0. [LMC], [DDPM] and [DDIM] are those of the literature; [Euler], [Heun], [DPMSolver],
// [LCM], [TCD] and [PNDM] take few steps over any grid of noise levels. Dynamics that are
// also a fmt.Stringer are named by it in messages and manifests; see [Starter], too.
type Dynamics interface {
	// Steps returns the number of steps.
	Steps() int
	// Transition returns step i for models that predict kind.
	Transition(i int, kind schedule.Kind) Transition
	// Check returns an error when the parameters make no chain for such models.
	Check(kind schedule.Kind) error
}

// Starter is implemented by dynamics whose chain begins at normals of another standard
// deviation than 1, for variables without an [Init].
type Starter interface{ Start() float64 }

// Timestep returns what the models are told at step i, rounded down.
func Timestep(d Dynamics, i int) int { return d.Transition(i, schedule.Epsilon).Timestep }

// Transition is one step of [Dynamics]. It maps a state x and the model's prediction p at
// it to an estimate e of the clean sample and to a normal distribution of the next state,
// element by element:
//
//	e  = Estimate.State x + Estimate.Prediction p, limited to [-Clip, Clip]
//	x' ~ N(Mean.Estimate e + (Mean.State x + Mean.Prediction p), Std²)
//
// in float32, with coefficients rounded to it. What earlier steps kept may add to the mean.
type Transition struct {
	Timestep int // what the models are told
	// Fraction is added to it, from 0 to below 1. Models must be
	// [denoise.Fractional] where it is not 0.
	Fraction float64
	Estimate struct{ State, Prediction, Clip float64 }
	Mean     struct{ Estimate, State, Prediction float64 }
	Std      float64
	// Kept are the weights in the mean of what earlier steps kept, newest first.
	Kept []float64
	// Keep says what the step keeps for later ones. What is kept is as couplings guided it:
	// with the prediction that would have led to the mean that they moved.
	Keep Keep
	// Inner marks a step whose state is only where the model is evaluated next: it is not
	// projected.
	Inner bool
	// StepSize, NoiseRate and PredictionRate are the factors of the scales [ByStepSize],
	// [ByNoiseRate] and [ByPrediction]; 0 where the dynamics have no such scale.
	StepSize, NoiseRate, PredictionRate float64
}

// Keep says what a step keeps for later ones.
type Keep int

// What is kept.
const (
	KeepNothing    Keep = iota
	KeepState           // the state before the step
	KeepEstimate        // the estimate of the clean sample
	KeepPrediction      // the prediction
)

// scale returns the factor of a coupling scale; 0 is none.
func (t Transition) scale(s Scale) float64 {
	switch s {
	case ByStepSize:
		return t.StepSize
	case ByNoiseRate:
		return t.NoiseRate
	case ByPrediction:
		return t.PredictionRate
	default:
		return 1
	}
}
