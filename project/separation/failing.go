package separation

import (
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// FirstFailing returns a constraint on robot i that a joint motion, as [World.JudgeCurves] takes it, does not keep, and its
// margin there; fails is false where all are kept: limits of the robot, and gaps to all others, to traffic, to obstacles and
// to the border. It is quick: it looks no farther than Margin, and no further than the first kind that fails, so that
// another segment or another kind may fail by more.
func (w *World) FirstFailing(curves []geom.Curve, i int) (k Kind, m Margin, fails bool) {
	one, own := w.alone(i), curves[i:i+1]
	if w.Lateness > 0 {
		one = w.Among(curves, i)
	}
	s, v := one.strips(own), w.kept()
	for _, judge := range []func(){
		func() { one.judgeLimits(&v, 0, own[0]) },
		func() { one.judgeStripsWithinBorder(&v, s) },
		func() {
			if one.judgeStrips(&v, s, 0); v[Bodies].Robot >= 0 {
				v[Bodies].Other = w.counted(v[Bodies].Other, i)
			}
		},
		func() { w.judgeBeside(&v, curves, i, s) },
		func() { one.judgeStripsAmongObstacles(&v, s) },
		func() { one.judgeTurning(&v, 0, own[0]) },
	} {
		if judge(); slices.ContainsFunc(v[:], func(m Margin) bool { return m.Robot >= 0 }) {
			k = v.Worst(w.Margin)
			v[k].Robot = i
			return k, v[k], true
		}
	}
	return 0, Margin{}, false
}

// kept returns margins that are kept just so, below which something fails.
func (w *World) kept() (v Verdict) {
	for k := range v {
		v[k] = Margin{Robot: -1, Other: -1}
	}
	v[Bodies].Value, v[Obstacles].Value = w.Margin, w.Margin
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
				v[Bodies] = Margin{gap, i, j, h, n, 1}
			}
		}
	}
}
