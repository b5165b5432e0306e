package separation

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/field"
)

// obstacles are those of a world, looked up by place: what a robot costs grows with what is
// near it.
type obstacles struct {
	index *field.Index
	boxes []geom.Box
	found []int
}

// obstaclesByPlace returns the obstacles of the world for one who asks at a time.
func (w *World) obstaclesByPlace() *obstacles {
	solids := make([]geom.Solid, len(w.Obstacles))
	for i, c := range w.Obstacles {
		solids[i] = c
	}
	return &obstacles{index: field.NewIndex(solids), boxes: w.boxes()}
}

func (w *World) boxes() []geom.Box {
	boxes := make([]geom.Box, len(w.Obstacles))
	for i, c := range w.Obstacles {
		boxes[i] = c.Bounds()
	}
	return boxes
}

// within calls f, in ascending order, for the obstacles whose boxes may be nearer than limit to
// the surface of a body whose centre is in a box.
func (s *obstacles) within(limit float64, center geom.Box, radius float64, f func(o int)) {
	s.found = s.index.Near(s.found[:0], center.Grow(radius+limit))
	for _, o := range s.found {
		if boxesGap(center, s.boxes[o])-radius <= limit {
			f(o)
		}
	}
}

// judge calls f for the obstacles that may be nearer than least, which f lowers to the gap that
// it finds: those that are further decide nothing. It looks around the body first.
func (s *obstacles) judge(least *float64, center geom.Box, radius float64, f func(o int)) {
	size := center.Size()
	for reach := max(2*radius, size.X, size.Y, 1e-300); ; reach *= 4 {
		far := min(reach, max(*least, 0))
		s.found = s.index.Near(s.found[:0], center.Grow(radius+far))
		for _, o := range s.found {
			if boxesGap(center, s.boxes[o])-radius <= *least {
				f(o)
			}
		}
		if *least <= far || len(s.found) == len(s.boxes) || !(reach < 1e300) {
			return
		}
	}
}

// boxesGap is a lower bound of the distance between what is in two boxes, up to rounding, and
// less than any distance of boxes that overlap.
func boxesGap(a, b geom.Box) float64 {
	if d := max(b.Min.X-a.Max.X, a.Min.X-b.Max.X, b.Min.Y-a.Max.Y, a.Min.Y-b.Max.Y); d > 0 {
		return d * (1 - 0x1p-40)
	}
	return math.Inf(-1)
}

// encounters returns when a robot is near obstacles, so that a proof needs directions. Elsewhere the
// box around a span lies beyond that of the obstacle by the radii: blur is by how much rounding may
// have moved the points of a span.
func (s *obstacles) encounters(spans int, radius float64, box func(h int) geom.Box, blur func(h int) float64) []field.Encounter {
	return s.index.Encounters(s.boxes, spans, func(h int) (geom.Box, float64) { return box(h), beyondRounding(radius + blur(h)) })
}
