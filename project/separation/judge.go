package separation

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/internal/sweep"
	"github.com/go-pcd/pcd/tensor"
)

// Kind is a kind of constraint.
type Kind int

// The kinds, in the order in which a [Verdict] lists them.
const (
	Speed Kind = iota
	Acceleration
	Bodies // robots from each other and from traffic
	Obstacles
	Border
	Turning   // of the heading, of curves; in radians from waypoint to waypoint
	Curvature // of the way, of curves; in the inverse of lengths
	Heading   // at both ends, of curves; in radians
	kinds
)

var kindNames = [...]string{"speed", "acceleration", "separation", "obstacles", "border", "turn rate", "curvature", "heading"}

// String returns the name of the kind.
func (k Kind) String() string { return kindNames[k] }

// Margin is the smallest margin of one kind of constraint and where it is.
type Margin struct {
	// Value is in the units of the paths, of Unit for speed and acceleration; +Inf
	// when nothing is constrained. It includes no [World.Margin].
	Value float64
	// Robot is the one concerned, or -1. Other is the other robot of a pair, counting
	// on to traffic; the obstacle; or -1.
	Robot, Other int
	// Segment goes from this waypoint to the next.
	Segment int
	// Direction is that in which the two are apart; zero for speed and acceleration.
	Direction geom.Vec2

	reach float64 // makes a length of Value, so that kinds compare whatever the unit: angles count at the rim of a robot
}

// Verdict holds the smallest margin of every kind.
type Verdict [kinds]Margin

// Certified reports whether all constraints hold, with separation and obstacles at
// the distance margin.
func (v Verdict) Certified(margin float64) bool { return v.Violation(margin) <= 0 }

// Violation returns by how much the worst constraint fails, as a length; 0 or less if none does.
func (v Verdict) Violation(margin float64) float64 {
	return -v[v.Worst(margin)].less(v.Worst(margin), margin)
}

// Worst returns the kind of the constraint that fails most, or holds the closest.
func (v Verdict) Worst(margin float64) Kind {
	worst := Speed
	for k := range kinds {
		if v[k].less(k, margin) < v[worst].less(worst, margin) {
			worst = k
		}
	}
	return worst
}

// less returns the margin less what is to be kept, as a length.
func (m Margin) less(k Kind, margin float64) float64 {
	if k == Bodies || k == Obstacles {
		return m.Value - margin
	}
	if m.Robot < 0 {
		return m.Value
	}
	return m.Value * m.reach
}

func newVerdict() (v Verdict) {
	for k := range v {
		v[k] = Margin{Value: math.Inf(1), Robot: -1, Other: -1}
	}
	return v
}

func (v *Verdict) offer(k Kind, m Margin) {
	if m.Value < v[k].Value {
		v[k] = m
	}
}

// Judge measures joint path k of x, the paths of all robots.
func (w *World) Judge(x []tensor.Batch, k int) Verdict {
	if w.Motion.Curved {
		return w.JudgeCurves(w.Curves(x, k))
	}
	p := w.read(x, k)
	v := w.judgeNear(p)
	extent := 0.0
	for _, c := range p.x {
		extent = max(extent, math.Abs(c))
	}
	p = w.delivered(p)
	// The smallest gap is found once it is no larger than those that were looked at.
	looked := w.Margin
	for beyond := extent / 16; v[Bodies].Value > looked && len(w.Robots)+len(w.Traffic) > 1 && beyond < 8*extent; beyond *= 2 {
		v[Bodies] = newVerdict()[Bodies]
		w.judgeBodies(&v, p, beyond)
		looked = w.Margin + beyond
	}
	return v
}

// judgeNear is Judge that may miss gaps between bodies that are more than the margin. The paths
// count from the origin.
func (w *World) judgeNear(p *paths) Verdict {
	if w.Motion.Curved {
		curves := w.curves(p)
		return w.judgeCurvesNear(curves, w.strips(curves))
	}
	p = w.delivered(p)
	v := newVerdict()
	w.judgeMotion(&v, p)
	w.judgeObstacles(&v, p)
	w.judgeBorder(&v, p)
	w.judgeBodies(&v, p, 0)
	return v
}

func (w *World) judgeBodies(v *Verdict, p *paths, beyond float64) {
	s := sweep.New(p.bodies)
	var pieces []piece
	for h := range p.waypoints - 1 {
		w.nearPairs(s, p, h, 0x1p-20, w.Margin+beyond, func(i, j int) {
			radii := w.radius(i) + w.radius(j)
			pieces = p.pieces(pieces, i, j, h)
			for _, m := range pieces {
				if gap, n := gaps.Relative(m.u, m.v, radii+m.blur); gap < v[Bodies].Value {
					v[Bodies] = Margin{gap, i, j, h, n, 1}
				}
			}
		})
	}
	w.judgeRest(v, p)
}

// judgeRest measures the gaps between robots at their ends and traffic that goes on.
func (w *World) judgeRest(v *Verdict, p *paths) {
	last := p.waypoints - 1
	for i, m := range w.Traffic {
		j := len(w.Robots) + i
		for k := len(m.Times) - 1; k > 0 && m.Times[k] > float64(last); k-- {
			for r := range w.Robots {
				end, radii := p.at(r, last), w.radius(r)+w.radius(j)
				if gap, n := gaps.Relative(end.Sub(m.Path[k-1]), end.Sub(m.Path[k]), radii); gap < v[Bodies].Value {
					v[Bodies] = Margin{gap, r, j, last - 1, n, 1}
				}
			}
		}
	}
}

// judgeObstacles measures the gaps to obstacles along straight segments.
func (w *World) judgeObstacles(v *Verdict, p *paths) {
	near := w.obstaclesByPlace()
	for i, r := range w.Robots {
		for h := range p.waypoints - 1 {
			s := p.segment(i, h)
			near.judge(&v[Obstacles].Value, s.Bounds(), r.Radius, func(o int) {
				gap, n := gaps.Segment(w.Obstacles[o], s, r.Radius)
				v.offer(Obstacles, Margin{gap, i, o, h, n, 1})
			})
		}
	}
}

func (w *World) judgeBorder(v *Verdict, p *paths) {
	if w.Border == nil {
		return
	}
	for i, r := range w.Robots {
		for h := range p.waypoints - 1 {
			gap, n := gaps.Inner(*w.Border, p.segment(i, h), r.Inset)
			v.offer(Border, Margin{gap, i, -1, h, n, 1})
		}
	}
}

// judgeMotion measures steps and their changes.
func (w *World) judgeMotion(v *Verdict, p *paths) {
	for i, r := range w.Robots {
		before := r.Before
		for h := range p.waypoints {
			step := r.After
			if h+1 < p.waypoints {
				step = p.at(i, h+1).Sub(p.at(i, h))
				if r.Step > 0 {
					v.offer(Speed, Margin{Value: r.Step - r.longAtMost(step), Robot: i, Other: -1, Segment: h, reach: min(r.unit(0), r.unit(1))})
				}
			}
			if r.Change > 0 {
				change := r.longAtMost(step.Sub(before)) + roundingOf(p.at(i, h), before, step)/min(r.unit(0), r.unit(1))
				v.offer(Acceleration, Margin{Value: r.Change - change, Robot: i, Other: -1, Segment: min(h, p.waypoints-2), reach: min(r.unit(0), r.unit(1))})
			}
			before = step
		}
	}
}

// longAtMost returns the length of a difference in units of the robot, rounded up.
func (r Robot) longAtMost(d geom.Vec2) float64 {
	x, y := d.X/r.unit(0), d.Y/r.unit(1)
	return math.Sqrt(x*x+y*y) * (1 + 0x1p-49)
}

// roundingOf bounds the rounding of a difference of differences.
func roundingOf(vs ...geom.Vec2) (e float64) {
	for _, v := range vs {
		e += 0x1p-50 * (math.Abs(v.X) + math.Abs(v.Y))
	}
	return e
}
