package judge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/field"
	"github.com/go-pcd/pcd/internal/told"
)

// ProofError says where the rows of a proof prove nothing.
type ProofError struct {
	Robot, Other int // Other counts on to traffic, or is an obstacle
	Obstacle     bool
	From, To     float64 // when, in seconds
	Reason       string
}

func (e *ProofError) Error() string {
	return fmt.Sprintf("judge: robot %d and %d from %s to %s s: %s", e.Robot, e.Other, told.Seconds(e.From), told.Seconds(e.To), e.Reason)
}

// converted is by how much, relative to the numbers that are added, a row may fail: its times
// and points were computed in other units than here.
const converted = 0x1p-40

// Verify checks the rows of a proof that somebody else made: that each of them holds for the motions of
// the world, up to rounding, that those of every two bodies leave out no time of the paths, and those of
// every robot and obstacle none at which the boxes around both do not say as much. It returns
// a [ProofError] for the first that does not, or the error of the context.
func (w *World) Verify(ctx context.Context, p *Proof) error {
	own := *w
	own.Until = 0 // a proof is about the time of its paths; what comes after it is judged
	c := own.open()
	pairs, obstacles := byBodies(p.Pairs), byBodies(p.Obstacles)
	for i := range w.Robots {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := c.tracks[i]
		for j := i + 1; j < w.bodies(); j++ {
			m := meet(t, c.tracks[j])
			s := strand{
				radius: w.Robots[i].Radius + c.body(j).Radius, core: geom.Polygon{{}}, count: len(m.of),
				knot: func(k int) float64 { return m.knots[k] },
			}
			part := func(k int, from, to float64) (geom.Bezier, float64) {
				a, e := t.cut(m.of[k][0], from, to)
				b, f := c.tracks[j].cut(m.of[k][1], from, to)
				return a.Sub(b), e + f
			}
			if e := s.verify(pairs[[2]int{i, j}], []field.Encounter{{Solid: j, To: s.count}}, part); e != nil {
				e.Robot, e.Other = i, j
				return e
			}
		}
		if e := c.verifyObstacles(i, obstacles); e != nil {
			return e
		}
	}
	return nil
}

// verifyObstacles checks the rows of robot i and obstacles, which leave out where boxes say as
// much.
func (c *court) verifyObstacles(i int, rows map[[2]int][]Row) error {
	t, near := c.tracks[i], map[int][]field.Encounter{}
	for _, e := range c.encounters(i, func(blur float64) float64 { return c.Robots[i].Radius - blur }) {
		near[e.Solid] = append(near[e.Solid], e)
	}
	for o, solid := range c.Obstacles {
		own := rows[[2]int{i, o}]
		if len(own)+len(near[o]) == 0 {
			continue
		}
		s := strand{
			radius: c.Robots[i].Radius + solid.Radius, core: solid.Core, count: len(t.hulls),
			knot: func(k int) float64 { return t.knots[k] },
		}
		if e := s.verify(own, near[o], t.cut); e != nil {
			e.Robot, e.Other, e.Obstacle = i, o, true
			return e
		}
	}
	return nil
}

// byBodies returns the rows of each two.
func byBodies(rows []Row) map[[2]int][]Row {
	out := map[[2]int][]Row{}
	for _, r := range rows {
		who := [2]int{r.Robot, r.Other}
		out[who] = append(out[who], r)
	}
	return out
}

// verify checks rows for a strand, of whose pieces part returns parts: that they hold, and cover some
// times.
func (s *strand) verify(rows []Row, times []field.Encounter, part func(k int, from, to float64) (geom.Bezier, float64)) *ProofError {
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(a.From, b.From) })
	slack := converted * max(math.Abs(s.knot(0)), math.Abs(s.knot(s.count)))
	for _, r := range rows {
		for k := s.after(r.From); k < s.count && s.knot(k) < r.To; k++ {
			from, to := max(r.From, s.knot(k)), min(r.To, s.knot(k+1))
			if to-from <= slack {
				continue
			}
			if hull, blur := part(k, from, to); !s.holds(r.N, hull, blur) {
				return &ProofError{From: from, To: to, Reason: "the direction does not part them"}
			}
		}
	}
	for _, e := range times {
		done, last := s.knot(e.From), s.knot(e.To)
		for _, r := range rows {
			if r.From <= done+slack {
				done = max(done, r.To)
			}
		}
		if done < last-slack {
			return &ProofError{From: done, To: last, Reason: "no direction is given"}
		}
	}
	return nil
}

// after returns the piece in which a time is.
func (s *strand) after(time float64) int {
	low, high := 0, s.count-1
	for low < high {
		if middle := (low + high) / 2; s.knot(middle+1) <= time {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// holds reports whether n parts a hull from the core, up to rounding. It need not be of length
// one, but is so far from what overflows or vanishes that its products say what they should.
func (s *strand) holds(n geom.Vec2, hull geom.Bezier, blur float64) bool {
	length := n.Norm()
	if !(length > 1e-100 && length < 1e100) {
		return false
	}
	for _, b := range hull {
		for _, v := range s.core {
			x, y, need := n.X*(b.X-v.X), n.Y*(b.Y-v.Y), s.radius*length
			if !(x+y-need >= -blur*length-converted*(math.Abs(x)+math.Abs(y)+need)) {
				return false
			}
		}
	}
	return true
}
