package separation

import (
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// judgeOne judges what concerns robot i: its limits, obstacles, the border, traffic, and all other
// robots. It ends with the first kind of constraint that is not kept; of those that are it gives no margin
// but what has to be kept.
func (w *World) judgeOne(curves []geom.Curve, i int) Verdict {
	one, own := *w, curves[i:i+1]
	one.Robots = w.Robots[i : i+1]
	if w.Lateness > 0 {
		one.Traffic = slices.Clone(w.Traffic)
		for j, c := range curves {
			if j != i {
				one.Traffic = append(one.Traffic, moverOf(c, w.Robots[j].Radius))
			}
		}
	}
	s, v := one.strips(own), newVerdict()
	for k := range v {
		v[k].Value = 0
	}
	v[Bodies].Value, v[Obstacles].Value = w.Margin, w.Margin
	for _, judge := range []func(){
		func() { one.judgeLimits(&v, 0, own[0]) },
		func() { one.judgeStripsWithinBorder(&v, s) },
		func() { one.judgeStrips(&v, s, 0) },
		func() { w.judgeBeside(&v, curves, i, s) },
		func() { one.judgeStripsAmongObstacles(&v, s) },
		func() { one.judgeTurning(&v, 0, own[0]) },
	} {
		if judge(); slices.ContainsFunc(v[:], func(m Margin) bool { return m.Robot >= 0 }) {
			break
		}
	}
	for k := range v {
		if v[k].Robot >= 0 {
			v[k].Robot = i
		}
	}
	return v
}

// judgeBeside measures the gaps of robot i, whose motion strips hold, to all other robots that are on time.
func (w *World) judgeBeside(v *Verdict, curves []geom.Curve, i int, s *strips) {
	if w.Lateness > 0 {
		return // they are traffic
	}
	for j, c := range curves {
		if j == i {
			continue
		}
		radii := w.Robots[i].Radius + w.Robots[j].Radius
		for h, hull := range s.hulls[0] {
			other := c.Span(h)
			if boxesGap(hull.Bounds(), other.Bounds())-radii*(1+0x1p-20) > w.Margin {
				continue
			}
			blur := s.blur[0][h] + gaps.RoundingOf(c, h)
			if gap, n := narrowest(hull.Sub(other), radii+blur, halvings, v[Bodies].Value, gaps.Hull); gap < v[Bodies].Value {
				v[Bodies] = Margin{gap, i, j, h, n}
			}
		}
	}
}

// moverOf returns a body on the curve of a robot.
func moverOf(c geom.Curve, radius float64) Mover {
	m := Mover{Radius: radius, Path: c.X}
	for _, v := range c.V {
		m.Steps = append(m.Steps, v.Scale(c.Step))
	}
	return m
}
