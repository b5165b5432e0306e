package pcd

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/schedule"
)

// TCD samples models of trajectory consistency: each step goes along the flow to a level
// below the next one, and up to it by noise. Eta says how far below: 0, none, to 1, the
// clean sample. The last step ends at timestep 0, which the grid ends at, too.
//
// Source: Zheng et al., "Trajectory consistency distillation" (2024), algorithm 2.
type TCD struct {
	Grid *schedule.Grid
	// Training tells the levels of whole timesteps.
	Training *schedule.Schedule
	Eta      float64
	// Clip limits the clean-sample estimate to [-Clip, Clip]; 0 does not.
	Clip float64
}

// Steps implements [Dynamics].
func (d TCD) Steps() int { return lengthOf(d.Grid) }

// Start implements [Starter].
func (d TCD) Start() float64 { return startAt(d.Grid) }

// Transition implements [Dynamics].
func (d TCD) Transition(i int, kind schedule.Kind) Transition {
	k := d.Grid.Len() - 1 - i
	from, to := d.Grid.From(k), d.Grid.To(k)
	via := d.Training.At(int((1 - d.Eta) * to.Timestep))
	b := newBridge(from, to, kind, d.Clip)
	up := 1.0 // the signal that is left of the level below
	if d.Eta > 0 && i > 0 {
		up = to.Signal / via.SqrtAlphaBar
		b.Std = math.Sqrt(1 - up*up)
	}
	b.mean(up*via.SqrtAlphaBar, up*via.Sigma, 0)
	return b.Transition
}

// Check implements [Dynamics].
func (d TCD) Check(kind schedule.Kind) error {
	switch {
	case d.Training == nil:
		return fmt.Errorf("TCD has no schedule of the training")
	case !(d.Eta >= 0 && d.Eta <= 1):
		return fmt.Errorf("TCD eta is %v, want a number from 0 to 1", d.Eta)
	}
	if err := checkGrid("TCD", d.Grid, kind, d.Clip); err != nil {
		return err
	}
	if last := d.Grid.From(0).Timestep; !d.Grid.Whole() || last >= float64(d.Training.Len()) {
		return fmt.Errorf("TCD: the grid %s visits other timesteps than the training %s, want one of it", d.Grid.Name(), d.Training.Name())
	}
	return nil
}

// String describes the dynamics for messages and manifests.
func (d TCD) String() string {
	return described(fmt.Sprintf("TCD, eta %g", d.Eta), d.Grid, d.Clip)
}
