package pcd

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/schedule"
)

// Euler takes the steps of Euler's method along the flow of probability, dx̃/dσ = (x̃-D)/σ
// with x̃ = x/Signal, the estimate D of the clean sample and σ = Noise/Signal:
//
//	x̃' = D + σ' (x̃-D)/σ
//
// Over the same levels it is [DDIM] without noise, over those of a flow model its Euler
// method. Eta exchanges a part of the noise for new: 1 is Euler ancestral, which is [DDPM];
// between, it is DDIM's.
//
// Source: Karras et al., "Elucidating the design space of diffusion-based generative
// models" (NeurIPS 2022), algorithms 1 and 2.
type Euler struct {
	Grid *schedule.Grid
	// Eta is the noise of a step relative to that of the posterior, from 0, none, to 1.
	Eta float64
	// Churn, where not 0, raises the noise level before a step by the factor 1 +
	// min(Churn/steps, √2-1), by noise of ChurnNoise times the standard deviation that
	// belongs to it (0 is 1), where σ lies between ChurnFrom and ChurnTo (0 is no limit). The model
	// is asked before the noise is raised, as the library diffusers does it and algorithm 2 does
	// not: samples spread otherwise than the data, and differently for models that predict
	// differently. Eta has the spread of the data.
	Churn, ChurnNoise, ChurnFrom, ChurnTo float64
	// Clip limits the clean-sample estimate to [-Clip, Clip]; 0 does not. The
	// direction of the noise stays as predicted.
	Clip float64
}

// Steps implements [Dynamics].
func (d Euler) Steps() int { return lengthOf(d.Grid) }

// Start implements [Starter].
func (d Euler) Start() float64 { return startAt(d.Grid) }

// Transition implements [Dynamics].
func (d Euler) Transition(i int, kind schedule.Kind) Transition {
	k := d.Grid.Len() - 1 - i
	b := newBridge(d.Grid.From(k), d.Grid.To(k), kind, d.Clip)
	r := b.ratio()
	up := d.Eta * b.to.Noise * math.Sqrt(max(0, 1-r*r))
	b.Std = up
	b.mean(b.to.Signal, math.Sqrt(max(0, b.to.Noise*b.to.Noise-up*up)), 0)
	if g := d.churn(b.from.Sigma()); g > 0 {
		b.churned(g, orDefault(d.ChurnNoise, 1))
	}
	return b.Transition
}

// churn returns by which part the noise level rises before a step from σ.
func (d Euler) churn(sigma float64) float64 {
	if d.Churn == 0 || sigma < d.ChurnFrom || d.ChurnTo > 0 && sigma > d.ChurnTo {
		return 0
	}
	return min(d.Churn/float64(d.Grid.Len()), math.Sqrt2-1)
}

// churned makes b the step from a state that is raised to σ̂ = (1+g) σ after the model was
// asked: x̂ = x̃ + n, and from there x̂ + (x̂-D)/σ̂ (σ'-σ̂). D is what the prediction at σ
// implies at x̂, for noise at σ̂. All of it is linear in the noise n, whose weight is that of
// the state.
func (b *bridge) churned(g, scale float64) {
	sigma, next := b.from.Sigma(), b.to.Sigma()
	high := sigma * (1 + g)
	h := (next - high) / high
	state, prediction := b.clean.state*b.from.Signal, b.clean.prediction // of x̂ in D
	if b.kind == schedule.Epsilon {
		prediction = -high
	}
	ofState := 1 + h*(1-state)
	b.Mean.Estimate, b.Mean.State, b.Mean.Prediction = 0, b.to.Signal*ofState/b.from.Signal, -b.to.Signal*h*prediction
	b.Std = b.to.Signal * math.Abs(ofState) * scale * math.Sqrt(high*high-sigma*sigma)
	_, perNoise := b.from.Coefficients(schedule.Epsilon, b.kind)
	b.PredictionRate = -b.from.Noise * b.Mean.Prediction * perNoise
}

// Check implements [Dynamics].
func (d Euler) Check(kind schedule.Kind) error {
	if !(d.Eta >= 0 && d.Eta <= 1) {
		return fmt.Errorf("Euler eta is %v, want a number from 0 (no noise) to 1 (that of DDPM)", d.Eta)
	}
	for _, v := range []float64{d.Churn, d.ChurnNoise, d.ChurnFrom, d.ChurnTo} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("Euler churn of %v by %v between %v and %v, want numbers of 0 or more", d.Churn, d.ChurnNoise, d.ChurnFrom, d.ChurnTo)
		}
	}
	if d.Churn > 0 && (d.Eta > 0 || d.Clip > 0) {
		return fmt.Errorf("Euler churn is %v beside eta %v and clip %v, want churn alone", d.Churn, d.Eta, d.Clip)
	}
	if err := checkGrid("Euler", d.Grid, kind, d.Clip); err != nil || d.Churn == 0 {
		return err
	}
	return checkFinite("Euler with churn", d.Grid)
}

// String describes the dynamics for messages and manifests.
func (d Euler) String() string {
	name := "Euler"
	if d.Eta > 0 {
		name = fmt.Sprintf("Euler ancestral, eta %g", d.Eta)
	}
	if d.Churn > 0 {
		name += fmt.Sprintf(", churn %g", d.Churn)
	}
	return described(name, d.Grid, d.Clip)
}
