package pcd

import "github.com/go-pcd/pcd/schedule"

// Dynamics is the chain that couplings and projections are added to. Steps count down
// to 0. [LMC], [DDPM] and [DDIM] are those of the literature. Dynamics that are also a
// fmt.Stringer are named by it in messages and manifests.
type Dynamics interface {
	// Steps returns the number of steps.
	Steps() int
	// Transition returns step i for models that predict kind.
	Transition(i int, kind schedule.Kind) Transition
	// Check returns an error when the parameters make no chain for such models.
	Check(kind schedule.Kind) error
}

// Timestep returns what the models are told at step i.
func Timestep(d Dynamics, i int) int { return d.Transition(i, schedule.Epsilon).Timestep }

// Transition is one step of [Dynamics]. It maps a state x and the model's prediction p at
// it to an estimate e of the clean sample and to a normal distribution of the next state,
// element by element:
//
//	e  = Estimate.State x + Estimate.Prediction p, limited to [-Clip, Clip]
//	x' ~ N(Mean.Estimate e + (Mean.State x + Mean.Prediction p), Std²)
//
// in float32, with coefficients rounded to it.
type Transition struct {
	Timestep int // what the models are told
	Estimate struct{ State, Prediction, Clip float64 }
	Mean     struct{ Estimate, State, Prediction float64 }
	Std      float64
	// StepSize and NoiseRate are the factors of the scales [ByStepSize] and
	// [ByNoiseRate]; 0 where the dynamics have no such scale.
	StepSize, NoiseRate float64
}

// scale returns the factor of a coupling scale; 0 is none.
func (t Transition) scale(s Scale) float64 {
	switch s {
	case ByStepSize:
		return t.StepSize
	case ByNoiseRate:
		return t.NoiseRate
	default:
		return 1
	}
}

// WriteEstimate writes e to dst, which may be x or p. Clip 0 does not limit it.
func (t Transition) WriteEstimate(dst, x, p []float32) {
	a, b := float32(t.Estimate.State), float32(t.Estimate.Prediction)
	for j := range dst {
		dst[j] = a*x[j] + b*p[j]
	}
	if !(t.Estimate.Clip > 0) {
		return
	}
	lo, hi := float32(-t.Estimate.Clip), float32(t.Estimate.Clip)
	for j, e := range dst {
		dst[j] = min(max(e, lo), hi)
	}
}

// WriteMean writes the mean of x' to dst, which overlaps neither x nor p. What has no weight
// is left out.
func (t Transition) WriteMean(dst, x, p []float32) {
	e, a, b := float32(t.Mean.Estimate), float32(t.Mean.State), float32(t.Mean.Prediction)
	if e == 0 {
		for j := range dst {
			dst[j] = a*x[j] + b*p[j]
		}
		return
	}
	t.WriteEstimate(dst, x, p)
	if b == 0 {
		for j := range dst {
			dst[j] = e*dst[j] + a*x[j]
		}
		return
	}
	for j := range dst {
		dst[j] = e*dst[j] + (a*x[j] + b*p[j])
	}
}
