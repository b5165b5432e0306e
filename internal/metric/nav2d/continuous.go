package nav2d

import (
	"fmt"
	"math"
	"math/big"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/exact"
)

// Continuous judges joint paths of disks at every moment, with robots moving straight
// from one waypoint to the next. It decides in rational numbers, by distances: of the
// relative motion of two disks from the origin, of segments from the boxes that the
// obstacles are made of. It is the second judge beside the certificates of package plan,
// and shares neither gaps nor directions with them. Lengths are in map units.
type Continuous struct {
	Bounds    geom.Box          // which rims stay within
	Obstacles []geom.RoundedBox // wider than they are round
	Radii     []float64         // one per robot
	// Limits are the highest speeds, in units of HalfRange per second; +Inf is none.
	Limits    []float64
	HalfRange [2]float64
	Step      float64 // seconds between waypoints
}

// Moments is the judgement of a joint path at every moment.
type Moments struct{ Speed, Separation, Obstacles, Border Finding }

// Finding counts the segments of robots and pairs on which a constraint is broken, and
// those on which it holds or fails by less than [Tie].
type Finding struct{ Broken, Ties int }

// Tie is the margin, in map units, below which judges that round may differ from
// [Continuous].
const Tie = 1e-12

// Kept reports whether no constraint is broken.
func (m Moments) Kept() bool {
	return m.Speed.Broken+m.Separation.Broken+m.Obstacles.Broken+m.Border.Broken == 0
}

// count counts what a constraint leaves, times scale.
func (f *Finding) count(left *big.Rat, scale float64) {
	if left.Sign() < 0 {
		f.Broken++
	}
	if v, _ := left.Float64(); math.Abs(v) < Tie*scale {
		f.Ties++
	}
}

// distance counts a distance, squared, that must not be less than another.
func (f *Finding) distance(squared, least *big.Rat) {
	length, _ := least.Float64()
	f.count(exact.Sub(squared, exact.Mul(least, least)), 2*length)
}

// Judge judges a joint path: one point per waypoint of every robot, in coordinates that
// are kept as they are. It returns a [ShapeError] for what cannot be judged.
func (c Continuous) Judge(paths [][]geom.Vec2) (Moments, error) {
	if err := c.check(paths); err != nil {
		return Moments{}, err
	}
	cores := make([]core, len(c.Obstacles))
	for i, b := range c.Obstacles {
		cores[i] = coreOf(b)
	}
	var m Moments
	for i, path := range paths {
		for h := range path {
			c.border(&m.Border, i, path[h])
			if h == 0 {
				continue
			}
			c.speed(&m.Speed, i, path[h-1], path[h])
			for _, o := range cores {
				o.judge(&m.Obstacles, c.Radii[i], path[h-1], path[h])
			}
			for j := range i {
				c.pair(&m.Separation, paths, i, j, h)
			}
		}
	}
	return m, nil
}

func (c Continuous) check(paths [][]geom.Vec2) error {
	if len(paths) == 0 || len(paths) != len(c.Radii) || len(paths) != len(c.Limits) {
		return &ShapeError{Robot: len(paths), Reason: fmt.Sprintf("%d paths for %d radii and %d limits", len(paths), len(c.Radii), len(c.Limits))}
	}
	for _, b := range c.Obstacles {
		if !(b.Radius >= 0 && min(b.Size.X, b.Size.Y) > 2*b.Radius) {
			return &ShapeError{Reason: fmt.Sprintf("the obstacle %+v is as round as it is wide", b)}
		}
	}
	for i, path := range paths {
		if len(path) != len(paths[0]) {
			return &ShapeError{Robot: i, Reason: fmt.Sprintf("%d waypoints, but %d for robot 0", len(path), len(paths[0]))}
		}
		for _, p := range path {
			if !p.IsFinite() {
				return &ShapeError{Robot: i, Reason: fmt.Sprintf("a waypoint at (%v, %v)", p.X, p.Y)}
			}
		}
	}
	return nil
}

// slop is how much farther apart, in map units, two things must be than they have to
// for float64 to say so.
const slop = 1e-9

// pair judges two robots on the segment that ends at waypoint h. Their rounded
// differences tell whether the exact ones are worth looking at.
func (c Continuous) pair(f *Finding, paths [][]geom.Vec2, i, j, h int) {
	p, q, reach := paths[i], paths[j], c.Radii[i]+c.Radii[j]
	if u, v := p[h-1].Sub(q[h-1]), p[h].Sub(q[h]); apart(u.X, v.X, reach) || apart(u.Y, v.Y, reach) {
		return
	}
	u, v := exact.Of(p[h-1]).Sub(exact.Of(q[h-1])), exact.Of(p[h]).Sub(exact.Of(q[h]))
	f.distance(exact.PointSegment(exact.Of(geom.Vec2{}), u, v), exact.Add(exact.Number(c.Radii[i]), exact.Number(c.Radii[j])))
}

// apart reports whether both numbers are farther from 0 than reach, on one side of it.
func apart(a, b, reach float64) bool { return min(a, b) > reach+slop || max(a, b) < -reach-slop }

// border judges a waypoint: rims that are inside at both ends of a segment are so on
// all of it.
func (c Continuous) border(f *Finding, i int, at geom.Vec2) {
	p, low, high, r := exact.Of(at), exact.Of(c.Bounds.Min), exact.Of(c.Bounds.Max), exact.Number(c.Radii[i])
	for _, room := range []*big.Rat{exact.Sub(p.X, low.X), exact.Sub(p.Y, low.Y), exact.Sub(high.X, p.X), exact.Sub(high.Y, p.Y)} {
		f.count(exact.Sub(room, r), 1)
	}
}

// speed judges a step.
func (c Continuous) speed(f *Finding, i int, a, b geom.Vec2) {
	if math.IsInf(c.Limits[i], 1) {
		return
	}
	want := exact.Mul(exact.Number(c.Limits[i]), exact.Number(c.Step))
	d := exact.Of(b).Sub(exact.Of(a))
	d.X.Quo(d.X, exact.Number(c.HalfRange[0]))
	d.Y.Quo(d.Y, exact.Number(c.HalfRange[1]))
	length, _ := want.Float64()
	f.count(exact.Sub(exact.Mul(want, want), d.Dot(d)), 2*length)
}

// core is the rectangle of the centres of a rounded box's corner arcs.
type core struct {
	corners []exact.Vec
	radius  *big.Rat
	box     geom.Box // around all of it
}

func coreOf(b geom.RoundedBox) core {
	center, r := exact.Of(b.Center), exact.Number(b.Radius)
	half := func(size float64) *big.Rat { return exact.Sub(exact.Mul(exact.Number(size), big.NewRat(1, 2)), r) }
	x, y := half(b.Size.X), half(b.Size.Y)
	out := core{radius: r, box: geom.Box{Min: b.Center.Sub(b.Size.Scale(0.5)), Max: b.Center.Add(b.Size.Scale(0.5))}}
	out.corners = []exact.Vec{
		{X: exact.Sub(center.X, x), Y: exact.Sub(center.Y, y)}, {X: exact.Add(center.X, x), Y: exact.Sub(center.Y, y)},
		{X: exact.Add(center.X, x), Y: exact.Add(center.Y, y)}, {X: exact.Sub(center.X, x), Y: exact.Add(center.Y, y)},
	}
	return out
}

// judge judges a disk that moves from a to b.
func (o core) judge(f *Finding, radius float64, a, b geom.Vec2) {
	if max(a.X, b.X) < o.box.Min.X-radius-slop || min(a.X, b.X) > o.box.Max.X+radius+slop ||
		max(a.Y, b.Y) < o.box.Min.Y-radius-slop || min(a.Y, b.Y) > o.box.Max.Y+radius+slop {
		return
	}
	squared, meet := exact.Outside(o.corners, exact.Of(a), exact.Of(b))
	if meet {
		squared = new(big.Rat)
	}
	f.distance(squared, exact.Add(exact.Number(radius), o.radius))
}
