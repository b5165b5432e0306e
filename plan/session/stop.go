package session

import (
	"cmp"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/tensor"
)

// brakingSlack is the part of the acceleration that braking leaves to rounding.
const brakingSlack = 1e-3

// stop returns the first certified plan to stop, nil if there is none.
func (at situation) stop() (*Plan, error) {
	for _, x := range at.brakes() {
		if p, err := at.judged(x, Stopped); p != nil || err != nil {
			return p, err
		}
	}
	return nil, nil
}

// brakes returns joint trajectories on which all robots come to rest and stay. Along
// the plan before they slow down together, from at once to slowly: at every moment
// they stand to each other as at some moment of that plan, so that they keep apart if
// they did. Otherwise each brakes straight ahead.
func (at situation) brakes() (out [][]tensor.Batch) {
	if at.tail != nil {
		for n := 1; n < at.tail[0].Shape[0]; n *= 2 {
			out = append(out, slowed(at.tail, n))
		}
	}
	return append(out, at.straightOn())
}

// slowed returns a joint trajectory that is driven slower from step to step and rests
// after n steps.
func slowed(x []tensor.Batch, n int) []tensor.Batch {
	out := make([]tensor.Batch, len(x))
	for i, from := range x {
		out[i] = from.Clone()
		s := 0.0
		for h := 1; h < from.Shape[0]; h++ {
			s += max(0, 1-float64(h)/float64(n))
			p := between(from.Data, s)
			out[i].Data[h*channels], out[i].Data[h*channels+1] = p[0], p[1]
		}
	}
	return out
}

// between returns the position of a trajectory at waypoint s, which need not be whole.
func between(x []float32, s float64) [2]float32 {
	h := int(s)
	u := s - float64(h)
	if (h+2)*channels > len(x) {
		h, u = len(x)/channels-2, 1
	}
	a, b := x[h*channels:], x[(h+1)*channels:]
	var p [2]float32
	for c := range p {
		p[c] = float32(float64(a[c]) + u*(float64(b[c])-float64(a[c])))
	}
	return p
}

// straightOn returns the joint trajectory on which every robot brakes straight ahead as
// hard as it can; one without a limit of its acceleration stands at once.
func (at situation) straightOn() []tensor.Batch {
	var out []tensor.Batch
	t := at.team
	for i, r := range t.Robots {
		waypoints := cmp.Or(t.Waypoints, r.Model.Waypoints())
		x := tensor.New(1, waypoints, channels)
		half := r.Model.HalfRange()
		change := (1 - brakingSlack) * r.Acceleration * t.Step * t.Step * min(half[0], half[1])
		p, step := r.Start, r.StartVelocity.Scale(t.Step)
		for h := range waypoints {
			q := t.TaskFrame().FromMap(p)
			x.Data[h*channels], x.Data[h*channels+1] = float32(q.X), float32(q.Y)
			step = braked(step, change)
			p = p.Add(step)
		}
		if at.tail != nil {
			copy(x.Data[:2], at.tail[i].Data[:2])
		}
		out = append(out, x)
	}
	return out
}

// braked returns a step after braking by one change, zero without a limit.
func braked(step geom.Vec2, change float64) geom.Vec2 {
	length := step.Norm()
	if change == 0 || length <= change {
		return geom.Vec2{}
	}
	return step.Scale(1 - change/length)
}
