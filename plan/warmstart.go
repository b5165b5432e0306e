package plan

import (
	"fmt"
	"slices"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/tensor"
)

// warmSteps is the number of the last denoising steps that a warm start takes. Chosen, as
// the reach, on a team whose goals move: see the decision record on sessions.
const warmSteps = 3

// startFrom makes a problem begin with a joint trajectory in map units, at the signal level
// of the last few steps, instead of noise. None is added to it: samples differ by that of
// the steps, and are shorter and smoother for it.
func (t Team) startFrom(p *pcd.Problem, from []tensor.Batch) {
	d, ok := p.Dynamics.(pcd.DDPM)
	if !ok || d.Steps() <= warmSteps {
		return
	}
	p.Dynamics = lastSteps{d, warmSteps}
	for i, r := range t.Robots {
		moving := from[i].Clone()
		differentiate(moving, t.Step)
		x := tensor.New(1, moving.Shape...)
		r.Model.Limits.Normalize(x, moving)
		d.Schedule.At(warmSteps-1).Diffuse(x.Data, x.Data, make([]float32, len(x.Data)))
		p.Variables[i].Init = pcd.Values(x)
	}
}

// checkFrom returns an error for a joint trajectory that samples cannot start from.
func (t Team) checkFrom(o Options) error {
	if o.From == nil {
		return nil
	}
	if o.Method.Searches() {
		return &TeamError{Reason: fmt.Sprintf("%s starts from noise, not from a joint trajectory", o.Method)}
	}
	if len(o.From) != len(t.Robots) {
		return &TeamError{Reason: fmt.Sprintf("%d trajectories to start from, want one for each of %d robots", len(o.From), len(t.Robots))}
	}
	for i, x := range o.From {
		if err := t.checkTrajectory(i, x); err != nil {
			return err
		}
	}
	return nil
}

// checkTrajectory returns an error for what is not one trajectory of robot i.
func (t Team) checkTrajectory(i int, x tensor.Batch) error {
	r := t.Robots[i]
	if r.Model == nil {
		return nil // which is refused for itself
	}
	if want := (tensor.Shape{t.waypoints(), channels}); x.N != 1 || !slices.Equal(x.Shape, want) {
		return &TeamError{r.Name, fmt.Sprintf("%d trajectories of shape %v, want one of %v", x.N, x.Shape, want)}
	}
	if err := x.CheckFinite(); err != nil {
		return &TeamError{r.Name, "its trajectory: " + err.Error()}
	}
	return nil
}
