package hasten

import (
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/project/separation"
)

// wrong returns the first constraint that is not kept where some robots move otherwise, nil for none.
func (s *haste) wrong(next []driven, who []int) (separation.Kind, *separation.Margin) {
	for _, i := range who {
		w, curves := s.around(next, i)
		if k, m, fails := w.FirstFailing(curves, 0); fails {
			return k, &m
		}
		if k, h := s.touches(w, curves); s.straight && h >= 0 {
			return k, &separation.Margin{Segment: h}
		}
	}
	return 0, nil
}

// touches returns what the first robot of a world touches where all go straight from knot to knot, and the first span of that;
// -1 for none.
func (s *haste) touches(w *separation.World, curves []geom.Curve) (separation.Kind, int) {
	own, r, keep := curves[0].X, w.Robots[0].Radius, s.World.Margin
	kind, first := separation.Bodies, len(own)-1
	for j, c := range curves[1:] {
		for h := range first {
			if gap, _ := gaps.Relative(own[h].Sub(c.X[h]), own[h+1].Sub(c.X[h+1]), r+w.Robots[j+1].Radius); gap < keep {
				first = h
				break
			}
		}
	}
	for _, o := range w.Obstacles {
		box := o.Bounds()
		for h := range first {
			step := geom.Segment{A: own[h], B: own[h+1]}
			if !overlap(step.Bounds(), box, r+keep) {
				continue
			}
			if gap, _ := gaps.Segment(o, step, r); gap < keep {
				kind, first = separation.Obstacles, h
				break
			}
		}
	}
	if first == len(own)-1 {
		return 0, -1
	}
	return kind, first
}

// around returns robot i, the first one of them, and what is near its way.
func (s *haste) around(next []driven, i int) (*separation.World, []geom.Curve) {
	w, own := s.world, next[i]
	w.Robots, w.Obstacles = []separation.Robot{w.Robots[i]}, nil
	curves, keep, whole := []geom.Curve{own.curve}, s.world.Robots[i].Radius+w.Margin, own.boxes[0]
	for _, b := range own.boxes {
		whole = whole.Join(b)
	}
	for j, m := range next {
		if j != i && (w.Lateness > 0 || meet(own.boxes, m.boxes, keep+s.world.Robots[j].Radius)) {
			w.Robots, curves = append(w.Robots, s.world.Robots[j]), append(curves, m.curve)
		}
	}
	for k, o := range s.world.Obstacles {
		if overlap(whole, s.solids[k], 2*keep) {
			w.Obstacles = append(w.Obstacles, o)
		}
	}
	return &w, curves
}

// meet reports whether two boxes at one time are no farther from each other than a distance.
func meet(a, b []geom.Box, distance float64) bool {
	for k := range a {
		if overlap(a[k], b[k], distance) {
			return true
		}
	}
	return false
}

func overlap(a, b geom.Box, distance float64) bool {
	return max(b.Min.X-a.Max.X, a.Min.X-b.Max.X, b.Min.Y-a.Max.Y, a.Min.Y-b.Max.Y) <= distance*(1+1e-9)
}

// follows reports whether robots follow the motion pattern of the map as well as before.
func (s *haste) follows(next []driven, who []int) bool {
	return s.Adherence == nil || !slices.ContainsFunc(who, func(i int) bool {
		return s.Adherence(next[i].curve.X) < s.Adherence(s.now[i].curve.X)
	})
}
