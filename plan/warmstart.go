package plan

import (
	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/tensor"
)

// warmSteps is the number of the last denoising steps that a warm start takes. Chosen, as
// the reach, on a team whose goals move: see the decision record on sessions.
const warmSteps = 3

// warmReach is how far goals may move, in map units, for the plan before to be near
// enough to what the models draw.
const warmReach = 0.1

// warms reports whether samples may start from the plan before.
func (at situation) warms() bool {
	for i, x := range at.tail {
		way := at.team.way(x.Data)
		if way[len(way)-1].Dist(at.team.Robots[i].Goal) > warmReach {
			return false
		}
	}
	return at.tail != nil
}

// towards returns the plan before from here on, in map units and bent so that it ends at
// the goals that are wanted: waypoints move by their share of what the goal moved.
func (at situation) towards() []tensor.Batch {
	t := at.team
	var out []tensor.Batch
	for i, x := range at.tail {
		y := x.Clone()
		way := t.way(x.Data)
		last := len(way) - 1
		by := t.Robots[i].Goal.Sub(way[last])
		for h, p := range way {
			p = p.Add(by.Scale(float64(h) / float64(last)))
			y.Data[h*channels], y.Data[h*channels+1] = float32(p.X), float32(p.Y)
		}
		differentiate(y, t.Step)
		out = append(out, y)
	}
	return out
}

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
		x := tensor.New(1, from[i].Shape...)
		r.Model.Limits.Normalize(x, from[i])
		d.Schedule.At(warmSteps-1).Diffuse(x.Data, x.Data, make([]float32, len(x.Data)))
		p.Variables[i].Init = pcd.Values(x)
	}
}
