package session

import (
	"github.com/go-pcd/pcd/tensor"
)

// warmReach is how far goals may move, in map units, for the plan before to be near
// enough to what the models draw.
const warmReach = 0.1

// warms reports whether samples may start from the plan before.
func (at situation) warms() bool {
	for i, x := range at.tail {
		way := at.path(x)
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
		way := at.path(x)
		last := len(way) - 1
		by := t.Robots[i].Goal.Sub(way[last])
		for h, p := range way {
			p = p.Add(by.Scale(float64(h) / float64(last)))
			y.Data[h*channels], y.Data[h*channels+1] = float32(p.X), float32(p.Y)
		}
		out = append(out, y)
	}
	return out
}
