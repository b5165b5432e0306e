package separation

import (
	"slices"

	"github.com/go-pcd/pcd/geom"
)

// Among returns the world of robot i alone, among all others as traffic that goes along their curves, one per robot: they
// follow the traffic that there is.
func (w *World) Among(curves []geom.Curve, i int) *World {
	one := w.alone(i)
	one.Traffic = slices.Clone(w.Traffic)
	for j, c := range curves {
		if j != i {
			one.Traffic = append(one.Traffic, moverOf(c, w.Robots[j].Radius))
		}
	}
	return one
}

// alone returns the world of robot i without the others.
func (w *World) alone(i int) *World {
	one := *w
	one.Robots = w.Robots[i : i+1]
	return &one
}

// moverOf returns a body on the curve of a robot.
func moverOf(c geom.Curve, radius float64) Mover {
	m := Mover{Radius: radius, Path: c.X}
	for _, v := range c.V {
		m.Steps = append(m.Steps, v.Scale(c.Step))
	}
	return m
}

// counted returns the number in this world of a body that is other in [World.Among] of robot i.
func (w *World) counted(other, i int) int {
	switch j := other - 1 - len(w.Traffic); {
	case j < 0:
		return len(w.Robots) + other - 1
	case j < i:
		return j
	default:
		return j + 1
	}
}
