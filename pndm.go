package pcd

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/schedule"
)

// PNDM takes the mean of predictions of up to four steps, by the weights of Adams and
// Bashforth, and moves along it as [DDIM] does. It is a linear multistep method with one of
// two starts: without RungeKutta ("skip_prk_steps" in scheduler files) the first step is
// taken twice, the second time by the mean of the predictions at both ends, so that the
// model is asked n+1 times over n levels. With it, each of the first three steps asks four
// times, at levels of a grid with three halved steps.
//
// Source: Liu et al., "Pseudo numerical methods for diffusion models on manifolds" (ICLR
// 2022), algorithm 2.
type PNDM struct {
	Grid       *schedule.Grid
	RungeKutta bool
}

// adamsBashforth are the weights of predictions, newest first, by how many there are.
var adamsBashforth = [][]float64{
	{1}, {1},
	{3. / 2, -1. / 2},
	{23. / 12, -16. / 12, 5. / 12},
	{55. / 24, -59. / 24, 37. / 24, -9. / 24},
}

// Calls of the Runge-Kutta start: three steps of four. Their levels are at the ends and in
// the middle.
const (
	startCalls  = 12
	startLevels = 6
)

// Steps implements [Dynamics].
func (d PNDM) Steps() int {
	n := lengthOf(d.Grid)
	switch {
	case d.RungeKutta:
		return startCalls + n - startLevels
	case n > 1:
		return n + 1
	}
	return n
}

// Start implements [Starter].
func (d PNDM) Start() float64 { return startAt(d.Grid) }

// Transition implements [Dynamics].
func (d PNDM) Transition(i int, kind schedule.Kind) Transition {
	call := d.Steps() - 1 - i
	if d.RungeKutta {
		if call < startCalls {
			return d.starting(call, kind)
		}
		k := startLevels + call - startCalls
		// Beside this prediction, those of the first calls of the start count.
		return d.multistep(k, min(call-startCalls+4, 4), kind, func(j int) int {
			at := call - j // the call of the prediction
			if at < startCalls {
				at = 4 * (2 - (startCalls - 1 - at))
			}
			return call - at
		})
	}
	switch call {
	case 0:
		t := d.multistep(0, 1, kind, nil)
		t.Inner = d.Grid.Len() > 1
		return t
	case 1:
		return d.again(kind)
	}
	// The call that took the first step again is not among the predictions.
	return d.multistep(call-1, min(call, 4), kind, func(j int) int {
		if call-j < 2 {
			return j + 1
		}
		return j
	})
}

// move returns how a mean m of predictions leads from one level to another, state·x + m·by.
func move(from, to schedule.Level, kind schedule.Kind) (state, by float64) {
	cleanX, cleanP := from.Coefficients(kind, schedule.X0)
	noiseX, noiseP := from.Coefficients(kind, schedule.Epsilon)
	return to.Signal*cleanX + to.Noise*noiseX, to.Signal*cleanP + to.Noise*noiseP
}

// multistep is the step from level k by n predictions, of which the j-th before this one
// was kept back(j) steps ago.
func (d PNDM) multistep(k, n int, kind schedule.Kind, back func(j int) int) Transition {
	from, to := d.Grid.From(k), d.Grid.To(k)
	b := newBridge(from, to, kind, 0)
	state, by := move(from, to, kind)
	weights := adamsBashforth[n]
	b.moveBy(state, by*weights[0])
	for j := 1; j < n; j++ {
		b.weigh(back(j), by*weights[j])
	}
	b.Keep = KeepPrediction
	return b.Transition
}

// moveBy makes the mean a combination of state and prediction.
func (b *bridge) moveBy(state, prediction float64) {
	b.Mean.State, b.Mean.Prediction = state, prediction
	_, perNoise := b.from.Coefficients(schedule.Epsilon, b.kind)
	b.PredictionRate = -b.from.Noise * prediction * perNoise
}

// weigh adds the weight of what was kept some steps ago.
func (b *bridge) weigh(ago int, weight float64) {
	for len(b.Kept) < ago {
		b.Kept = append(b.Kept, 0)
	}
	b.Kept[ago-1] += weight
}

// again takes the first step again, from where it began, by the mean of both predictions.
func (d PNDM) again(kind schedule.Kind) Transition {
	first, second := d.Grid.From(0), d.Grid.From(1)
	before, by := move(first, d.Grid.To(0), kind)
	b := newBridge(second, second, kind, 0)
	state, mean := move(first, second, kind)
	// The state that it began at is x_0 = (x - by·p_0)/before.
	b.moveBy(state/before, mean/2)
	b.weigh(1, mean/2-state/before*by)
	b.Keep = KeepPrediction
	return b.Transition
}

// starting is a call of the Runge-Kutta start: to the middle by the prediction of the
// beginning, there again by that of the middle, to the end by that, and there again by the
// mean of all.
func (d PNDM) starting(call int, kind schedule.Kind) Transition {
	at := call / 4 * 2
	begin, middle, end := d.Grid.From(at), d.Grid.From(at+1), d.Grid.To(at+1)
	asked := [4]schedule.Level{begin, middle, middle, end}[call%4]
	reached := [4]schedule.Level{middle, middle, end, end} // by each call
	b := newBridge(asked, reached[call%4], kind, 0)
	b.Keep, b.Inner = KeepPrediction, call%4 < 3
	state, by := move(begin, reached[call%4], kind)
	if call%4 == 0 {
		b.moveBy(state, by)
		return b.Transition
	}
	before, last := move(begin, reached[call%4-1], kind) // how the call before led here
	weights := []float64{by}
	if call%4 == 3 {
		weights = []float64{by / 6, by / 3, by / 3, by / 6}
	}
	b.moveBy(state/before, weights[0])
	for j := 1; j < len(weights); j++ {
		b.weigh(j, weights[j])
	}
	b.weigh(1, -state/before*last)
	return b.Transition
}

// Check implements [Dynamics].
func (d PNDM) Check(kind schedule.Kind) error {
	if err := checkGrid("PNDM", d.Grid, kind, 0); err != nil {
		return err
	}
	if d.RungeKutta && d.Grid.Len() <= startLevels {
		return fmt.Errorf("PNDM with a Runge-Kutta start over %d levels, want a grid of more than %d, of which the first three steps are halved", d.Grid.Len(), startLevels)
	}
	if math.IsNaN(d.Grid.From(0).Timestep) {
		return fmt.Errorf("PNDM: the grid %s has no timesteps", d.Grid.Name())
	}
	return checkFinite("PNDM", d.Grid)
}

// String describes the dynamics for messages and manifests.
func (d PNDM) String() string {
	name := "PLMS"
	if d.RungeKutta {
		name = "PNDM with a Runge-Kutta start"
	}
	return described(name, d.Grid, 0)
}
