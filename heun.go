package pcd

import (
	"fmt"

	"github.com/go-pcd/pcd/schedule"
)

// Heun is Heun's method along the flow of probability, of second order: a step of [Euler]
// to where the model is asked again, and the step once more in the mean of both directions.
// The step to a level without noise is Euler's alone. The model is asked 2n-1 times over n
// levels, n times 2 where the grid ends before the clean sample; each counts as a step here,
// of which the first of a pair is inner.
//
// Source: Karras et al. (2022), algorithm 1.
type Heun struct {
	Grid *schedule.Grid
	// Clip limits the clean-sample estimates to [-Clip, Clip]; 0 does not. Both directions of
	// a step are to the limited estimates: the noise follows them.
	Clip float64
	// EulerAbove makes a step Euler's alone where σ falls by more than this factor; 0 does
	// not. The mean of two directions weighs the second estimate by half that factor, and so
	// its error: a schedule that begins at a signal of nearly nothing has a first step that
	// falls a thousandfold.
	EulerAbove float64
}

// Steps implements [Dynamics].
func (d Heun) Steps() int {
	n := lengthOf(d.Grid)
	steps := 0
	for k := range n {
		steps += d.calls(k)
	}
	return steps
}

// calls returns how often the model is asked in the step from level k.
func (d Heun) calls(k int) int {
	from, to := d.Grid.From(k), d.Grid.To(k)
	if to.Noise == 0 || d.EulerAbove > 0 && from.Sigma() > d.EulerAbove*to.Sigma() {
		return 1
	}
	return 2
}

// call returns the level of the i-th step from the end, and whether it is the second of a pair.
func (d Heun) call(i int) (k int, second bool) {
	for left := d.Steps() - 1 - i; ; k++ {
		if n := d.calls(k); left < n {
			return k, left == 1
		} else {
			left -= n
		}
	}
}

// Start implements [Starter].
func (d Heun) Start() float64 { return startAt(d.Grid) }

// Transition implements [Dynamics].
func (d Heun) Transition(i int, kind schedule.Kind) Transition {
	k, second := d.call(i)
	from, to := d.Grid.From(k), d.Grid.To(k)
	if !second {
		b := newBridge(from, to, kind, d.Clip)
		if d.Clip > 0 { // x̃' = D + σ' (x̃-D)/σ, with the noise that the state has beside D
			b.mean(to.Signal*(1-b.ratio()), 0, to.Noise/from.Noise)
		} else {
			b.mean(to.Signal, to.Noise, 0)
		}
		if d.calls(k) == 2 {
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
	if !(d.EulerAbove >= 0) {
		return fmt.Errorf("Heun is Euler above a factor of %v, want 0 (nowhere) or a positive number", d.EulerAbove)
	}
	return checkFinite("Heun", d.Grid)
}

// String describes the dynamics for messages and manifests.
func (d Heun) String() string {
	name := "Heun"
	if d.EulerAbove > 0 {
		name += fmt.Sprintf(", Euler where sigma falls by more than %g", d.EulerAbove)
	}
	name = described(name, d.Grid, d.Clip)
	if d.Clip > 0 {
		name += ", which the noise follows"
	}
	return name
}
