package plan

import (
	"math"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/plan/route"
	"github.com/go-pcd/pcd/project/separation"
)

// World returns what the team moves among in continuous time, in the units of the
// task. Robots keep their disks within the workspace; one that starts or ends nearer
// to the border than its radius keeps as near to it.
func (t Team) World() (*separation.World, error) { return t.world(0) }

// publishedTolerance is how much the published evaluation lets a path exceed its speed
// limit, in normalised units per second. It counts where projections are published
// iterations, which keep limits up to a tolerance.
const publishedTolerance = 5e-5

// world is World with speed limits that may be exceeded by a tolerance.
func (t Team) world(tolerance float64) (*separation.World, error) {
	f := t.frame()
	w := &separation.World{Margin: t.MarginInTask(), Origin: t.Origin()}
	border := t.border()
	w.Border = &border
	for _, o := range t.Map.Obstacles {
		c, ok := geom.ConvexOf(o)
		if !ok {
			return nil, &TeamError{Reason: "an obstacle is not convex: repairs and certificates know boxes, circles and convex polygons"}
		}
		w.Obstacles = append(w.Obstacles, fromMap(f, c))
	}
	for _, r := range t.Robots {
		w.Robots = append(w.Robots, t.body(r, border, tolerance))
	}
	if t.curved() {
		w.Lateness = t.Lateness / t.Step * (1 + 0x1p-50) // as many seconds, whatever is rounded
	}
	for _, m := range t.Traffic {
		body := m.inTask(f, t.Step, t.waypoints(), t.waypoints()+max(1, int(math.Ceil(w.Lateness))))
		body.Radius = t.RadiusOfTraffic(m)
		w.Traffic = append(w.Traffic, body)
	}
	if t.curved() {
		t.bend(w)
	}
	return w, nil
}

// body returns a robot in the units of the task.
func (t Team) body(r Robot, border geom.Box, tolerance float64) separation.Robot {
	f, half := t.local(), r.Model.HalfRange()
	if t.IsScene() {
		half[0], half[1] = larger(half), larger(half)
	}
	out := separation.Robot{Radius: t.RadiusOf(r), Unit: [2]float64{half[0] * f.Scale, half[1] * f.Scale}}
	if !math.IsInf(r.Limit, 1) {
		out.Step = (r.Limit + tolerance) * t.Step
	}
	out.Change = r.Acceleration * t.Step * t.Step
	out.Before, out.After = r.StartVelocity.Scale(f.Scale*t.Step), r.GoalVelocity.Scale(f.Scale*t.Step)
	out.TurnRate, out.TurningRadius = r.TurnRate*t.Step, r.TurningRadius*f.Scale
	out.Headings = [2]*geom.Vec2{along(r.StartHeading), along(r.GoalHeading)}
	out.Inset = out.Radius
	for _, at := range []geom.Vec2{r.Start, r.Goal} {
		p := f.FromMap(at)
		p = geom.Vec2{X: float64(float32(p.X)), Y: float64(float32(p.Y))}.Add(t.Origin()) // as it is stored
		there := geom.Segment{A: p, B: p}
		room, _ := gaps.Inner(border, there, 0)
		out.Inset = min(out.Inset, room)
		gap, _ := gaps.Inner(border, there, out.Inset)
		out.Inset = max(0, out.Inset+2*min(gap, 0)) // or rounding would refuse the place itself
	}
	return out
}

// along returns the unit vector of a heading, nil for none.
func along(heading *float64) *geom.Vec2 {
	if heading == nil {
		return nil
	}
	sin, cos := math.Sincos(*heading)
	return &geom.Vec2{X: cos, Y: sin}
}

// fromMap brings an obstacle to the units of the task. Its radius grows by what
// rounding could take off.
func fromMap(f nav2d.Frame, c geom.Convex) geom.Convex {
	if f == (nav2d.Frame{Scale: 1}) {
		return c
	}
	out := geom.Convex{}
	extent := c.Radius * f.Scale
	for _, v := range c.Core {
		p := f.FromMap(v)
		extent = max(extent, math.Abs(p.X)+math.Abs(p.Y)+f.Scale)
		out.Core = append(out.Core, p)
	}
	out.Radius = c.Radius*f.Scale + 0x1p-48*extent
	return out
}

// way returns the positions of a trajectory of the task in map units.
func (t Team) way(s []float32) []geom.Vec2 {
	p := geom.Points(nil, s, channels)
	for h := range p {
		p[h] = t.local().ToMap(p[h])
	}
	return p
}

// routes returns what searches of routes see of a team, in map units.
func (t Team) routes() route.Task {
	out := route.Task{Map: t.Map, Margin: t.Margin, Smooth: t.curved()}
	for _, r := range t.Robots {
		out.Disks = append(out.Disks, t.disk(r))
	}
	for _, m := range t.Traffic {
		out.Traffic = append(out.Traffic, route.Body{Radius: m.Radius, Course: m.course(t.Step, t.waypoints())})
	}
	return out
}

// round returns the shortest way of a robot round obstacles that a lattice finds, in map units;
// nil where it finds none.
func (t Team) round(r Robot) []geom.Vec2 {
	return route.Task{Map: t.Map, Margin: t.Margin}.Round(t.disk(r), r.Start, r.Goal)
}

// disk returns a robot as searches see it: it may go as far in any direction.
func (t Team) disk(r Robot) route.Disk {
	half := r.Model.HalfRange()
	unit := t.Step * min(half[0], half[1])
	return route.Disk{Radius: r.Radius, Step: r.Limit * unit, Change: r.Acceleration * t.Step * unit}
}
