package separation

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/internal/sweep"
)

// lineMaker collects the lines of a joint path on curves.
type lineMaker struct {
	s      *curveSolver
	strips *strips
	forces map[lineKey]float64
	parts  map[[3]float64][4]*hullPoint // of parts of spans
}

// hullLines sets the lines of everything that is near at the present iterate, with
// forces carried over from before, in a fixed order.
func (w *World) hullLines(s *curveSolver, m manner) {
	forces := make(map[lineKey]float64, len(s.lines))
	for k, l := range s.lines {
		if l.force > 0 {
			forces[s.keys[k]] = l.force
		}
	}
	s.lines, s.keys = s.lines[:0], s.keys[:0]
	maker := &lineMaker{s: s, strips: w.strips(w.curves(s.at)), forces: forces, parts: map[[3]float64][4]*hullPoint{}}
	if w.Lateness > 0 {
		w.tubeLines(maker, m)
	} else {
		w.hullLinesOfBodies(maker, m)
	}
	w.hullLinesOfObstacles(maker)
	w.hullLinesOfBorder(maker)
	w.hullLinesOfTurns(maker)
}

// add adds the line of point k of the hull of span h, unless the ends hold it.
func (l *lineMaker) add(n geom.Vec2, bound float64, i, j, other, h, k int) {
	point, fold := &l.s.points[h][k], &l.s.hulls[h][k]
	l.put(lineKey{i, other, h, k}, hullLine{n: n, bound: bound, i: int32(i), j: int32(j), point: point, fold: fold, there: point, foldThere: fold})
}

func (l *lineMaker) put(key lineKey, line hullLine) {
	if line.fold.constant() && (line.foldThere == nil || line.foldThere.constant()) {
		return
	}
	line.force = l.forces[key]
	l.s.lines, l.s.keys = append(l.s.lines, line), append(l.s.keys, key)
}

func (w *World) hullLinesOfBodies(l *lineMaker, m manner) {
	order := sweep.New(len(w.Robots) + len(w.Traffic))
	for h := range l.strips.spans {
		w.nearStrips(order, l.strips, h, reach/2, w.Margin, func(i, j int) {
			radii := w.radius(i) + w.radius(j)
			keep := radii + w.Margin + reserve*radii/2
			number := 0
			l.strips.seen(i, j, h, func(own geom.Bezier, of strip) {
				number++
				gap, n := gaps.Hull(of.hull, radii)
				if gap > w.Margin+reach*radii/2 {
					return
				}
				if gap < 0 {
					_, n = gaps.Relative(of.hull[0], of.hull[3], radii)
					n = m.giveWay(n, of.hull[0], of.hull[3], radii)
				}
				if j < len(w.Robots) {
					for k := range 4 {
						l.add(n, keep, i, j, j, h, k)
					}
					return
				}
				l.beside(n, keep, i, j, h, number-1, own, of)
			})
		})
	}
}

// beside adds the lines of a piece of span h of robot i beside a piece of traffic. The
// points of a part of a span are combinations of up to four waypoints; that with the
// least coefficient counts as it is now.
func (l *lineMaker) beside(n geom.Vec2, keep float64, i, j, h, number int, own geom.Bezier, of strip) {
	from, to := of.from-float64(h), of.to-float64(h)
	for k := range 4 {
		there := own[k].Sub(of.hull[k])
		bound := keep + n.Dot(there)
		if from == 0 && to == 1 {
			l.add(n, bound, i, -1, j, h, k)
			continue
		}
		point, rest := partRow(h, k, from, to)
		bound -= rest.along(n, l.s.ext[2*i], l.s.ext[2*i+1])
		fold := point.folded(l.s.start.waypoints)
		l.put(lineKey{i, j, h, 4*number + k}, hullLine{n: n, bound: bound, i: int32(i), j: -1, point: &point, fold: &fold})
	}
}

// partRow returns point k of the hull of a part of span h: a row, and what it leaves out
// of the four control points of the span.
func partRow(h, k int, from, to float64) (main, rest row) {
	var c [4]float64 // of p_(h-1) … p_(h+2)
	for m := range c {
		var b geom.Bezier // the span whose control points are zero but for one
		for q := range b {
			r := hullRow(h, q)
			if at := h + m - r.first; at >= 0 && at < 3 {
				b[q].X = r.k[at]
			}
		}
		c[m] = b.Between(from, to)[k].X
	}
	if math.Abs(c[0]) < math.Abs(c[3]) {
		return row{h + 1, [3]float64{c[1], c[2], c[3]}}, row{h, [3]float64{c[0], 0, 0}}
	}
	return row{h, [3]float64{c[0], c[1], c[2]}}, row{h + 1, [3]float64{0, 0, c[3]}}
}

func (w *World) hullLinesOfObstacles(l *lineMaker) {
	obstacles := w.obstaclesByPlace()
	for i, r := range w.Robots {
		limit := w.Margin + 6*r.Radius
		for h, hull := range l.strips.hulls[i] {
			obstacles.within(limit, hull.Bounds(), r.Radius, func(o int) {
				c := w.Obstacles[o]
				gap, n := gaps.HullTo(c, hull, r.Radius)
				if gap > limit {
					return
				}
				bound := gaps.Support(c, n) + r.Radius*(1+reserve) + w.Margin
				for k := range 4 {
					l.add(n, bound, i, -1, len(w.Robots)+len(w.Traffic)+o, h, k)
				}
			})
		}
	}
}

func (w *World) hullLinesOfBorder(l *lineMaker) {
	if w.Border == nil {
		return
	}
	first := len(w.Robots) + len(w.Traffic) + len(w.Obstacles)
	for i, r := range w.Robots {
		inner := w.Border.Grow(-r.Inset - reserve*r.Radius/4)
		near := reach * r.Radius
		for h, hull := range l.strips.hulls[i] {
			b := hull.Bounds()
			for k := 1; k < 4; k++ { // the first point of a span is the last of the one before
				if b.Min.X < inner.Min.X+near {
					l.add(geom.Vec2{X: 1}, inner.Min.X, i, -1, first, h, k)
				}
				if b.Max.X > inner.Max.X-near {
					l.add(geom.Vec2{X: -1}, -inner.Max.X, i, -1, first+1, h, k)
				}
				if b.Min.Y < inner.Min.Y+near {
					l.add(geom.Vec2{Y: 1}, inner.Min.Y, i, -1, first+2, h, k)
				}
				if b.Max.Y > inner.Max.Y-near {
					l.add(geom.Vec2{Y: -1}, -inner.Max.Y, i, -1, first+3, h, k)
				}
			}
		}
	}
}
