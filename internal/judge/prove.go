package judge

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/field"
	"github.com/go-pcd/pcd/internal/gaps"
)

// Row proves that a robot keeps apart from something from one time to another: with R the
// sum of radii and the motions in pieces between their knots and these times, n·(x − y) ≥
// R ‖n‖ for the four points x and y of every piece of both, or x of the robot and every
// vertex y of the core of an obstacle.
type Row struct {
	Robot, Other int // Other counts on to traffic, or is an obstacle
	From, To     float64
	N            geom.Vec2
}

// Proof holds rows for all of the time of every two bodies of which one is a robot, and of every
// robot and obstacle for the pieces around which the box does not lie beyond that of the obstacle,
// in one coordinate, by the sum of their radii.
type Proof struct{ Pairs, Obstacles []Row }

// Prove returns the rows that prove the gaps of a world that [World.Judge] found to be
// certified, and whether they do. Paths have to have times. The error is that of the context.
func (w *World) Prove(ctx context.Context) (p *Proof, proven bool, err error) {
	c := w.open()
	p, proven = &Proof{Pairs: []Row{}, Obstacles: []Row{}}, true
	for i, r := range w.Robots {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		for j := i + 1; j < w.bodies(); j++ {
			s := c.strandOf(i, j)
			if !c.tracks[i].timed || !c.tracks[j].timed {
				proven = false
				continue
			}
			rows, ok := s.prove(p.Pairs, Row{Robot: i, Other: j}, 0, s.count)
			p.Pairs, proven = rows, proven && ok
		}
		t := c.tracks[i]
		for _, e := range c.encounters(i, func(blur float64) float64 { return (r.Radius + blur) * (1 + 0x1p-20) }) {
			solid := w.Obstacles[e.Solid]
			box := solid.Bounds()
			s := strand{
				radius: r.Radius + solid.Radius, core: solid.Core, count: len(t.hulls), gap: gaps.To(geom.Convex{Core: solid.Core}),
				knot:  func(k int) float64 { return t.knots[k] },
				piece: func(k int) (geom.Bezier, float64) { return t.hulls[k], t.blur[k] },
				// The box of the obstacle includes its radius.
				axis: func(from, to int) (geom.Vec2, bool) { return aside(t.around(from, to), box, r.Radius+t.most) },
			}
			rows, ok := s.prove(p.Obstacles, Row{Robot: i, Other: e.Solid}, e.From, e.To)
			p.Obstacles, proven = rows, proven && ok
		}
	}
	return p, proven, nil
}

// encounters returns when robot i is near obstacles, so that a proof needs rows. Elsewhere the box
// around a piece lies beyond that of the obstacle, which includes its radius, by more than reach of the
// rounding of the piece.
func (c *court) encounters(i int, reach func(blur float64) float64) []field.Encounter {
	t := c.tracks[i]
	return c.index.Encounters(c.boxes, len(t.hulls), func(k int) (geom.Box, float64) { return t.hulls[k].Bounds(), reach(t.blur[k]) })
}

// strandOf returns the motion of robot i seen from body j.
func (c *court) strandOf(i, j int) strand {
	a, b, radius := c.tracks[i], c.tracks[j], c.body(i).Radius+c.body(j).Radius
	var m *meeting // made when the boxes of all do not do
	of := func() *meeting {
		if m == nil {
			m = meet(a, b)
		}
		return m
	}
	s := strand{radius: radius, core: geom.Polygon{{}}, gap: gaps.Hull}
	s.knot = func(k int) float64 { return of().knots[k] }
	s.piece = func(k int) (geom.Bezier, float64) { return of().piece(k) }
	s.axis = func(from, to int) (geom.Vec2, bool) {
		p, q := of().around(from, to)
		return aside(p, q, radius+a.most+b.most)
	}
	s.count = len(of().of)
	return s
}

// aside returns the direction of a coordinate in which one box lies beyond another by at
// least a distance.
func aside(a, b geom.Box, distance float64) (n geom.Vec2, ok bool) {
	gap, n := gaps.Beyond(a, b)
	return n, gap > distance*(1+0x1p-20)
}

// strand is a relative motion in pieces that has to stay at least radius away from a core.
type strand struct {
	radius float64
	core   geom.Polygon
	count  int
	knot   func(k int) float64
	piece  func(k int) (geom.Bezier, float64)
	axis   func(from, to int) (geom.Vec2, bool) // that parts pieces from to to by their boxes
	gap    func(geom.Bezier, float64) (float64, geom.Vec2)
}

// together is how many pieces are tried with one direction.
const together = 16

// prove appends rows for pieces from to to, the last one left out.
func (s *strand) prove(dst []Row, of Row, from, to int) ([]Row, bool) {
	of.From, of.To = s.knot(from), s.knot(to)
	if n, ok := s.axis(from, to); ok {
		of.N = n
		return append(dst, of), true
	}
	if to-from <= together {
		hulls, blurs := make([]geom.Bezier, to-from), make([]float64, to-from)
		for k := range hulls {
			hulls[k], blurs[k] = s.piece(from + k)
		}
		_, n := s.gap(geom.Straight(hulls[0][0], hulls[len(hulls)-1][3]), s.radius)
		if n, ok := s.short(n, hulls, blurs); ok {
			of.N = n
			return append(dst, of), true
		}
		if to-from == 1 {
			return s.parts(dst, of, hulls[0], blurs[0], 0)
		}
	}
	middle := (from + to) / 2
	dst, first := s.prove(dst, of, from, middle)
	dst, second := s.prove(dst, of, middle, to)
	return dst, first && second
}

// parts appends rows for a piece, in halves where its hull is too wide.
func (s *strand) parts(dst []Row, of Row, b geom.Bezier, blur float64, depth int) ([]Row, bool) {
	_, n := s.gap(b, s.radius+blur)
	n, ok := s.short(n, []geom.Bezier{b}, []float64{blur * max(1, float64(4+6*depth)/32)})
	if ok || depth == halvings {
		of.N = n
		return append(dst, of), ok
	}
	first, second := b.Halves()
	a, z := of, of
	a.To = of.From + (of.To-of.From)/2
	z.From = a.To
	dst, early := s.parts(dst, a, first, blur, depth+1)
	if !early {
		return dst, false
	}
	return s.parts(dst, z, second, blur, depth+1)
}

// short returns a direction that the numbers confirm, with few digits where that will do.
func (s *strand) short(n geom.Vec2, hulls []geom.Bezier, blurs []float64) (geom.Vec2, bool) {
	few := geom.Vec2{X: math.Round(n.X*1000) / 1000, Y: math.Round(n.Y*1000) / 1000}
	for _, m := range []geom.Vec2{few, n} {
		if s.confirms(m, hulls, blurs) {
			return m, true
		}
	}
	return n, false
}

// confirms reports whether n parts everything, with room for rounding.
func (s *strand) confirms(n geom.Vec2, hulls []geom.Bezier, blurs []float64) bool {
	length := n.Norm()
	for k, hull := range hulls {
		need := (s.radius + blurs[k]) * length
		for _, b := range hull {
			for _, v := range s.core {
				x, y := n.X*(b.X-v.X), n.Y*(b.Y-v.Y)
				if !(x+y-need >= 0x1p-50*(math.Abs(x)+math.Abs(y)+need)) {
					return false
				}
			}
		}
	}
	return length > 0
}
