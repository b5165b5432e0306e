package pcd

import "github.com/go-pcd/pcd/schedule"

// Heun is Heun's method along the flow of probability, of second order: a step of [Euler]
// to where the model is asked again, and the step once more in the mean of both directions.
// The step to a level without noise is Euler's alone. The model is asked 2n-1 times over n
// levels, n times 2 where the grid ends before the clean sample; each counts as a step here,
// of which the first of a pair is inner.
//
// Source: Karras et al. (2022), algorithm 1.
type Heun struct {
	Grid *schedule.Grid
	// Clip limits the clean-sample estimates to [-Clip, Clip]; 0 does not.
	Clip float64
}

// Steps implements [Dynamics].
func (d Heun) Steps() int {
	n := lengthOf(d.Grid)
	if n > 0 && d.Grid.To(n-1).Noise == 0 {
		return 2*n - 1
	}
	return 2 * n
}

// Start implements [Starter].
func (d Heun) Start() float64 { return startAt(d.Grid) }

// Transition implements [Dynamics].
func (d Heun) Transition(i int, kind schedule.Kind) Transition {
	call := d.Steps() - 1 - i
	from, to := d.Grid.From(call/2), d.Grid.To(call/2)
	if call%2 == 0 {
		b := newBridge(from, to, kind, d.Clip)
		b.mean(to.Signal, to.Noise, 0)
		if i > 0 {
			b.Keep, b.Inner = KeepState, true
		}
		return b.Transition
	}
	// With x̂ = x̃ + d (σ'-σ): x̃ + (d+d')/2 (σ'-σ) = (x̃ + x̂ + d' (σ'-σ))/2, d' = (x̂-D')/σ'.
	b := newBridge(to, to, kind, d.Clip)
	slope := (to.Sigma() - from.Sigma()) / to.Sigma() / 2
	b.mean(-slope*to.Signal, 0, 0.5+slope)
	b.Kept = []float64{to.Signal / from.Signal / 2}
	return b.Transition
}

// Check implements [Dynamics].
func (d Heun) Check(kind schedule.Kind) error {
	if err := checkGrid("Heun", d.Grid, kind, d.Clip); err != nil {
		return err
	}
	return checkFinite("Heun", d.Grid)
}

// String describes the dynamics for messages and manifests.
func (d Heun) String() string { return described("Heun", d.Grid, d.Clip) }
