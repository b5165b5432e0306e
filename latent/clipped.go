package latent

import (
	"fmt"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/schedule"
)

// clippingFirst are steps of which the noise follows the clipped estimate: it is what the state has beside that. So do the
// schedulers of DDPM; Euler's steps over grids, which are DDPM's where all noise is new, keep the noise as it is predicted,
// which is DDIM's.
type clippingFirst struct {
	pcd.Dynamics
	grid *schedule.Grid
}

// clippedFirst returns dynamics over a grid whose noise follows estimates where these are clipped.
func clippedFirst(d pcd.Dynamics, g *schedule.Grid, clip float64) pcd.Dynamics {
	if clip == 0 {
		return d
	}
	return clippingFirst{d, g}
}

// String describes the dynamics for messages and manifests.
func (d clippingFirst) String() string { return fmt.Sprint(d.Dynamics) + ", which the noise follows" }

// Start implements [pcd.Starter].
func (d clippingFirst) Start() float64 { return d.grid.Start() }

// Transition implements [pcd.Dynamics].
func (d clippingFirst) Transition(i int, kind schedule.Kind) pcd.Transition {
	t := d.Dynamics.Transition(i, kind)
	from := d.level(t)
	ofState, ofPrediction := from.Coefficients(kind, schedule.Epsilon)
	noise := (ofState*t.Mean.State + ofPrediction*t.Mean.Prediction) / (ofState*ofState + ofPrediction*ofPrediction) // its weight in the mean
	t.Mean.Estimate -= noise * from.Signal / from.Noise
	t.Mean.State, t.Mean.Prediction = noise/from.Noise, 0
	return t
}

// level returns the level of the grid that a step begins at.
func (d clippingFirst) level(t pcd.Transition) schedule.Level {
	at := float64(t.Timestep) + t.Fraction
	for k := range d.grid.Len() {
		if d.grid.From(k).Timestep <= at {
			return d.grid.From(k)
		}
	}
	return d.grid.From(d.grid.Len() - 1)
}
