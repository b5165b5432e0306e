package pcd

import (
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/tensor"
)

// Coupling is a cost between variables and how its gradient acts on them: at
// step i every variable v moves by
//
//   - Strength · Scale(i) · Transforms(∇_v Cost)
//
// with the gradient taken where At says.
type Coupling struct {
	Name string // for messages; empty is its number
	Cost cost.Cost
	// Variables are the arguments of the cost, by position in the problem; nil is
	// all of them in order.
	Variables []int
	Strength  float64 // γ
	Scale     Scale
	At        Placement
	// Window says at which steps the coupling acts. The zero value is all.
	Window Window
	// Transforms clip, normalise or mask the gradient of each variable, in order,
	// before it is scaled.
	Transforms []Transform
}

// Placement says where a coupling gradient is taken.
type Placement int

// The placements.
const (
	// AtState takes the gradient at the state before the step: the paper's
	// algorithms.
	AtState Placement = iota
	// AtMean takes it at the mean of the step, before noise is added: the
	// multi-robot reference.
	AtMean
	// AtEstimate takes it at the estimate of the clean sample and pulls it back
	// through the model to the state: posterior sampling. The models of all
	// coupled variables must be differentiable.
	AtEstimate
)

var placementNames = [...]string{"state", "mean", "estimate"}

// String returns the name of the placement as it appears in manifests.
func (p Placement) String() string {
	if p < 0 || int(p) >= len(placementNames) {
		return fmt.Sprintf("Placement(%d)", int(p))
	}
	return placementNames[p]
}

// place returns what a cost is evaluated at.
func (v *variable) place(p Placement) tensor.Batch {
	switch {
	case p == AtMean:
		return v.mean
	case p == AtEstimate && v.Model != nil:
		return v.estimate
	default:
		return v.x
	}
}

// Scale says what a coupling's strength is multiplied by at each step.
type Scale int

// The scales. Which of them a [Dynamics] offers is for it to say.
const (
	Unscaled    Scale = iota // 1
	ByStepSize               // the step size δ of Langevin dynamics
	ByNoiseRate              // β/√α of a diffusion step
	// ByPrediction replaces the prediction by the guided one, ε + γ √(1-ᾱ) g for the noise,
	// and takes the step with it: one meaning of γ for all samplers, that of [ByNoiseRate]
	// under [DDPM].
	ByPrediction
)

var scaleNames = [...]string{"1", "step size", "beta/sqrt(alpha)", "prediction"}

// String returns the name of the scale as it appears in manifests.
func (s Scale) String() string {
	if s < 0 || int(s) >= len(scaleNames) {
		return fmt.Sprintf("Scale(%d)", int(s))
	}
	return scaleNames[s]
}

// Batchwide marks a cost that looks at all tuples of a run together, as reference
// implementations with batch-wide clipping rules do. A run with such a cost, or with one that
// package cost makes of it, is one chunk, and not independent of the batch size.
type Batchwide interface {
	cost.Cost
	Batchwide()
}

// seesBatch reports whether a cost or the acceptor looks at the whole batch.
func (p Problem) seesBatch() bool {
	return p.Accept != nil || slices.ContainsFunc(p.Couplings, func(c Coupling) bool {
		return looksAtAll(c.Cost)
	})
}

// looksAtAll reports whether a cost, or one that it is made of, is batchwide.
func looksAtAll(c cost.Cost) bool {
	switch c := c.(type) {
	case Batchwide:
		return true
	case cost.Swept:
		return looksAtAll(c.Cost)
	case interface{ Parts() []cost.Cost }: // of package cost
		return slices.ContainsFunc(c.Parts(), looksAtAll)
	}
	return false
}

// coupling is a [Coupling] with its arguments resolved.
type coupling struct {
	Coupling
	variables []int
}

// acts reports whether the coupling acts at step i.
func (c coupling) acts(i int) bool { return c.Window.Contains(i) && c.Strength != 0 }

func newCouplings(p Problem) []coupling {
	var out []coupling
	for _, c := range p.Couplings {
		out = append(out, coupling{c, p.arguments(c.Variables)})
	}
	return out
}

// pullers returns for each variable the only coupling that is pulled back through its
// model, which may then keep what it computed; -1 where there is none, or the model cannot.
// All activations of a whole batch would be too much.
func (p Problem) pullers() []int {
	pullers := make([]int, len(p.Variables))
	for v := range pullers {
		pullers[v] = -1
		if _, ok := p.Variables[v].Model.(denoise.Linearizer); !ok || p.seesBatch() {
			continue
		}
		var pulling []int
		for k, c := range p.Couplings {
			if c.At == AtEstimate && slices.Contains(p.arguments(c.Variables), v) {
				pulling = append(pulling, k)
			}
		}
		if len(pulling) == 1 {
			pullers[v] = pulling[0]
		}
	}
	return pullers
}
