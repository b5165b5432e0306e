package pcd

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/schedule"
)

// bridge is a step from one level of a grid to another, for models that predict kind. The
// samplers differ in the mean that they make of it.
type bridge struct {
	Transition
	from, to     schedule.Level
	kind         schedule.Kind
	noise, clean struct{ state, prediction float64 } // as combinations of state and prediction
}

// newBridge returns what the steps of all samplers between two levels have in common.
func newBridge(from, to schedule.Level, kind schedule.Kind, clip float64) *bridge {
	b := &bridge{from: from, to: to, kind: kind}
	whole := math.Floor(from.Timestep)
	b.Timestep, b.Fraction = int(whole), from.Timestep-whole
	b.clean.state, b.clean.prediction = from.Coefficients(kind, schedule.X0)
	b.noise.state, b.noise.prediction = from.Coefficients(kind, schedule.Epsilon)
	b.Estimate.State, b.Estimate.Prediction, b.Estimate.Clip = b.clean.state, b.clean.prediction, clip
	return b
}

// ratio returns σ'/σ; 0 from a level without signal.
func (b *bridge) ratio() float64 { return b.to.Noise * b.from.Signal / (b.from.Noise * b.to.Signal) }

// mean makes the mean a combination of estimate, noise and state.
func (b *bridge) mean(estimate, noise, state float64) {
	b.Mean.Estimate = estimate
	b.Mean.State = noise*b.noise.state + state
	b.Mean.Prediction = noise * b.noise.prediction
	// The rate of a mean that moves with the noise predicted, of which the estimate takes
	// σ; see [ByPrediction].
	b.PredictionRate = b.from.Noise * (estimate*b.from.Sigma() - noise)
}

// checkGrid returns an error where a sampler cannot use models of a kind on a grid.
func checkGrid(name string, g *schedule.Grid, kind schedule.Kind, clip float64) error {
	switch {
	case g == nil:
		return errors.New(name + " has no grid")
	case !kind.Valid():
		return fmt.Errorf("%s cannot use a model that predicts %v", name, kind)
	case !(clip >= 0) || math.IsInf(clip, 0):
		return fmt.Errorf("%s clip is %v, want 0 (none) or a positive number", name, clip)
	case g.From(0).Signal == 0 && (kind == schedule.Epsilon || kind == schedule.Score):
		return fmt.Errorf("%s: the grid %s begins without signal, where a model that predicts %v says nothing about the clean sample; want one that predicts v or x0", name, g.Name(), kind)
	}
	return nil
}

// checkFinite returns an error for a grid that begins at infinite σ, which samplers that
// work with its logarithm cannot.
func checkFinite(name string, g *schedule.Grid) error {
	if g.From(0).Signal == 0 {
		return fmt.Errorf("%s: the grid %s begins without signal, at infinite sigma; want one that begins at a finite one", name, g.Name())
	}
	return nil
}

// described names a sampler and its grid.
func described(name string, g *schedule.Grid, clip float64) string {
	s := name + ", " + g.Name()
	if clip > 0 {
		s += fmt.Sprintf(", estimate clipped to %g", clip)
	}
	return s
}

// lengthOf returns the number of levels that a grid visits; 0 for none.
func lengthOf(g *schedule.Grid) int {
	if g == nil {
		return 0
	}
	return g.Len()
}

// startAt returns the standard deviation that a chain over a grid begins with.
func startAt(g *schedule.Grid) float64 {
	if g == nil {
		return 1
	}
	return g.Start()
}
