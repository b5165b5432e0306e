package pcd

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/schedule"
)

// DPMSolver is DPM-Solver++: exponential integrators of the flow of probability in
// λ = -ln σ, of first, second or third order, which takes estimates of the clean sample of
// earlier steps. Of second order it is known as DPM++ 2M. First order is [Euler] and [DDIM].
//
// Source: Lu et al., "DPM-Solver++: fast solver for guided sampling of diffusion
// probabilistic models" (2022), algorithm 2, and section 4.2 for SDE.
type DPMSolver struct {
	Grid *schedule.Grid
	// Order is 1, 2 or 3; 0 is 2. The first steps have lower orders.
	Order int
	// Taylor takes the second-order term by the Taylor expansion ("heun" in scheduler files)
	// instead of at the midpoint, in third order in those of its first and last steps that are of second.
	Taylor bool
	// SDE adds noise at every step: the reverse diffusion instead of the flow.
	// It has orders 1 and 2.
	SDE bool
	// HighFinal keeps the order in the last steps of a chain of less than 15. Without it they
	// fall to first order, as they always do to a level without noise.
	HighFinal bool
	// EulerFinal takes the last step with first order.
	EulerFinal bool
	// Clip limits the clean-sample estimate to [-Clip, Clip]; 0 does not.
	Clip float64
}

// fewSteps is the number of steps below which the last ones have lower orders.
const fewSteps = 15

// Steps implements [Dynamics].
func (d DPMSolver) Steps() int { return lengthOf(d.Grid) }

// Start implements [Starter].
func (d DPMSolver) Start() float64 { return startAt(d.Grid) }

// Transition implements [Dynamics].
func (d DPMSolver) Transition(i int, kind schedule.Kind) Transition {
	k := d.Grid.Len() - 1 - i
	b := newBridge(d.Grid.From(k), d.Grid.To(k), kind, d.Clip)
	if d.order() > 1 && i > 0 {
		b.Keep = KeepEstimate
	}
	r := b.ratio() // e^-h
	if r == 0 {
		b.mean(b.to.Signal, 0, 0)
		return b.Transition
	}
	h := -math.Log(r)
	e := r - 1
	along, one, second := r, -e, e/h+1 // weights of the state, of D, of the second order term
	if d.SDE {
		along, one = r*r, 1-r*r
		second = 1 - one/(2*h)
		b.Std = b.to.Noise * math.Sqrt(one)
	}
	if !d.Taylor {
		second = one / 2
	}
	weights := d.weights(k, h, one, second, e)
	for j := range weights {
		weights[j] *= b.to.Signal
	}
	b.mean(weights[0], 0, b.to.Signal/b.from.Signal*along)
	b.Kept = weights[1:]
	return b.Transition
}

// weights returns those of the estimates of this step and of those before, newest first.
func (d DPMSolver) weights(k int, h, one, second, e float64) []float64 {
	switch d.orderAt(k) {
	case 2:
		r := d.width(k-1) / h
		return []float64{one + second/r, -second / r}
	case 3:
		// D1 = A + r0/(r0+r1) (A-B), D2 = (A-B)/(r0+r1), with the slopes A and B.
		r0, r1 := d.width(k-1)/h, d.width(k-2)/h
		first, curve := e/h+1, -((e+h)/(h*h) - 0.5)
		ofA := first*(1+r0/(r0+r1)) + curve/(r0+r1)
		ofB := -first*r0/(r0+r1) - curve/(r0+r1)
		return []float64{one + ofA/r0, -ofA/r0 + ofB/r1, -ofB / r1}
	}
	return []float64{one}
}

// width returns h of step k, the fall of ln σ.
func (d DPMSolver) width(k int) float64 {
	return math.Log(d.Grid.From(k).Sigma() / d.Grid.To(k).Sigma())
}

func (d DPMSolver) order() int {
	if d.Order == 0 {
		return 2
	}
	return d.Order
}

// orderAt returns the order of step k: that of the solver where there are as many
// estimates and it is not one of the last.
func (d DPMSolver) orderAt(k int) int {
	n := d.Grid.Len()
	order := min(d.order(), k+1)
	few := n < fewSteps && !d.HighFinal
	switch {
	case d.Grid.To(k) == d.Grid.From(k): // nothing changes
		return 1
	case k == n-1 && (d.EulerFinal || few):
		return 1
	case k == n-2 && few:
		return min(order, 2)
	}
	return order
}

// Check implements [Dynamics].
func (d DPMSolver) Check(kind schedule.Kind) error {
	if o := d.order(); o < 1 || o > 3 || d.SDE && o > 2 {
		return fmt.Errorf("DPM-Solver++ of order %d, want 1, 2 or 3, and with noise at most 2", d.Order)
	}
	if err := checkGrid("DPM-Solver++", d.Grid, kind, d.Clip); err != nil {
		return err
	}
	return checkFinite("DPM-Solver++", d.Grid)
}

// String describes the dynamics for messages and manifests.
func (d DPMSolver) String() string {
	name := fmt.Sprintf("DPM-Solver++ %dM", d.order())
	if d.SDE {
		name += " SDE"
	}
	if d.Taylor {
		name += ", Taylor"
	}
	if d.EulerFinal {
		name += ", Euler at the end"
	}
	if d.HighFinal {
		name += ", of full order to the end"
	}
	return described(name, d.Grid, d.Clip)
}
