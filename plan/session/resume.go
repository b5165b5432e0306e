package session

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/tensor"
)

// Robots that have stopped along a plan drive on along it as soon as that is free, which takes no
// samples: ways are what they were, and so is who goes first.

// onCourse is how far a robot may be from the way that it left, as a part of its radius.
const onCourse = 0.1

// ramps are the steps in which robots gain the speed of their plan.
var ramps = []int{2, 4, 8, 16}

// resumed returns the way to their goals that robots left when they stopped, as it is, nil where one is not
// on its way, wants to be elsewhere, or has to wait for others, who are late.
func (at situation) resumed(course *Plan) (*Plan, error) {
	for _, curves := range at.retimed(course) {
		if p, err := at.along(at.team, curves, Continued); p != nil || err != nil {
			return p, err
		}
	}
	for _, rows := range at.courses(course) {
		if p, err := at.judged(rows, Continued); p != nil || err != nil {
			return p, err
		}
	}
	return nil, nil
}

// repairedCourse is resumed with a repair of the ways.
func (at situation) repairedCourse(ctx context.Context, course *Plan) (*Plan, error) {
	for _, rows := range at.courses(course) {
		p, err := at.ending(rows).Repair(ctx, rows)
		if err != nil {
			return nil, nil // for want of time
		}
		if p.Certificate.Certified {
			return at.driven(p)
		}
	}
	return nil, nil
}

// bent returns the plan before, bent to goals that are near by, for a team that is limited in how it turns: samples
// turn at will. Nil where there is none, or that is not certified.
func (at situation) bent(ctx context.Context) (*Plan, error) {
	turns := func(r plan.Robot) bool { return r.TurnRate > 0 || r.TurningRadius > 0 }
	if len(at.halted) > 0 || !at.warms() || !slices.ContainsFunc(at.team.Robots, turns) {
		return nil, nil
	}
	var rows []tensor.Batch
	for k, r := range at.team.Robots {
		rows = append(rows, at.bentTo(at.team.TaskFrame().Local().FromMap(r.Goal), at.nearTail(k)))
	}
	p, err := at.team.Repair(ctx, rows)
	if err != nil || !p.Certificate.Certified {
		return nil, nil
	}
	return at.driven(p)
}

// bentTo returns waypoints that end elsewhere: they move by a share that grows with the way that has been gone and
// begins and ends gently, so that who stands stays and headings at the ends are what they were.
func (at situation) bentTo(goal geom.Vec2, x tensor.Batch) tensor.Batch {
	out, p := x.Clone(), geom.Points(nil, x.Data, channels)
	by, whole, gone := goal.Sub(p[len(p)-1]), geom.Length(p), 0.0
	for h := 1; h < len(p) && whole > 0; h++ {
		gone += p[h].Dist(p[h-1])
		s := gone / whole
		q := p[h].Add(by.Scale(s * s * (3 - 2*s)))
		out.Data[h*channels], out.Data[h*channels+1] = float32(q.X), float32(q.Y)
	}
	return out
}

// courses returns the rest of the ways of a plan that robots left, from where they are, gaining speed
// sooner or later.
func (at situation) courses(course *Plan) (out [][]tensor.Batch) {
	if course == nil || len(at.halted) > 0 {
		return nil
	}
	ways, from, ok := at.onCourse(course)
	if !ok {
		return nil
	}
	for _, ramp := range ramps {
		var rows []tensor.Batch
		for i := range ways {
			rows = append(rows, at.speedingUp(i, ways[i], from[i], ramp))
		}
		out = append(out, rows)
	}
	return out
}

// onCourse returns the ways of a plan, and the time on its clock at which each robot is where it is now; not
// where one is not on its way, or wants to be elsewhere.
func (at situation) onCourse(course *Plan) (ways []way, from []float64, ok bool) {
	f := at.team.TaskFrame()
	for _, r := range at.team.Robots {
		i := situation{team: course.Team}.robot(r.Name)
		if i < 0 {
			return nil, nil, false
		}
		w, radius := wayOf(course, i), at.team.RadiusOf(r)
		if w.end().Dist(f.FromMap(r.Goal)) > sameGoal*radius {
			return nil, nil, false
		}
		t, far := w.nearest(f.FromMap(r.Start))
		if far > onCourse*radius {
			return nil, nil, false
		}
		ways, from = append(ways, w), append(from, t)
	}
	return ways, from, true
}

// nearest returns when a robot is nearest to a place on its way, the last time of all, and how far it is then.
func (w way) nearest(p geom.Vec2) (when, far float64) {
	const looks = 16 // a step
	far = math.Inf(1)
	step := w.step / looks
	dist := func(t float64) float64 { x, _ := w.at(t); return x.Dist(p) }
	for k := range w.last()*looks + 1 {
		if d := dist(float64(k) * step); d <= far {
			when, far = float64(k)*step, d
		}
	}
	lo, hi := max(0, when-step), when+step
	for range 50 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if dist(a) < dist(b) {
			hi = b
		} else {
			lo = a
		}
	}
	if t := (lo + hi) / 2; dist(t) < far {
		return t, dist(t)
	}
	return when, far
}

// speedingUp returns waypoints of robot i on its way from a time of it on, which passes as slowly as the robot
// is slower than it was there, and as it did after some steps.
func (at situation) speedingUp(i int, w way, from float64, ramp int) tensor.Batch {
	r, origin := at.team.Robots[i], at.team.Origin()
	x := tensor.New(1, cmp.Or(at.team.Waypoints, r.Model.Waypoints()), channels)
	t, pace := from, 0.0
	if _, v := w.at(from); v != (geom.Vec2{}) {
		pace = min(1, r.StartVelocity.Norm()*at.team.LengthUnit()/v.Norm())
	}
	for h := range x.Shape[0] {
		p, _ := w.at(min(t, float64(w.last())*w.step))
		if h == 0 {
			p = at.team.TaskFrame().FromMap(r.Start)
		}
		p = p.Sub(origin)
		x.Data[h*channels], x.Data[h*channels+1] = float32(p.X), float32(p.Y)
		next := min(1, pace+1/float64(ramp))
		t += w.step * (pace + next) / 2
		pace = next
	}
	if at.tail != nil {
		copy(x.Data[:2], at.tail[i].Data[:2])
	}
	return x
}
