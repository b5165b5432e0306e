package session

import (
	"context"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/tensor"
)

const channels = nav2d.Channels

// situation is what a plan of a session begins with.
type situation struct {
	team plan.Team // where it is, with the goals that are wanted
	// tail is the plan before from here on, in the units of the task; nil when the
	// robots are not on it.
	tail []tensor.Batch
}

// path returns the positions of a trajectory of the task in map units.
func (at situation) path(x tensor.Batch) []geom.Vec2 { return pathOf(at.team, x) }

// pathOf returns the positions of a trajectory of a task in map units.
func pathOf(t plan.Team, x tensor.Batch) []geom.Vec2 {
	p, f := geom.Points(nil, x.Data, channels), t.TaskFrame()
	for h := range p {
		p[h] = f.ToMap(p[h])
	}
	return p
}

// endingAtStarts returns a team whose goals are its starts.
func endingAtStarts(t plan.Team) plan.Team {
	robots := make([]plan.Robot, len(t.Robots))
	for i, r := range t.Robots {
		r.Goal = r.Start
		robots[i] = r
	}
	t.Robots = robots
	return t
}

// ending returns the team whose goals are the ends of a joint trajectory.
func (at situation) ending(x []tensor.Batch) plan.Team {
	t := endingAtStarts(at.team)
	for i := range t.Robots {
		end := x[i].Data[len(x[i].Data)-channels:]
		t.Robots[i].Goal = t.TaskFrame().ToMap(geom.Vec2{X: float64(end[0]), Y: float64(end[1])})
	}
	return t
}

// certified returns a plan of the session, nil if it is not certified from where the
// team is, bit for bit, with all robots at rest in the end.
func (at situation) certified(d *plan.Plan, kind Kind) (*Plan, error) {
	if d == nil {
		return nil, nil
	}
	for i, x := range at.tail {
		copy(d.Trajectories[i].Data[:2], x.Data[:2])
	}
	// What was found is certified even if the context has ended.
	p, err := at.judged(d.Trajectories, kind)
	if p != nil {
		made := *d
		made.Trajectories, made.Certificate, made.Judged = p.Trajectories, p.Certificate, p.Judged
		p.Plan = &made
	}
	return p, err
}

// onward is the plan before, from here on. Nil is none that holds.
type onward struct {
	*Plan
	wanted plan.Team
}

// goOn returns the plan before, nil when it does not hold any more.
func (at situation) goOn() (*onward, error) {
	if at.tail == nil {
		return nil, nil
	}
	p, err := at.judged(at.tail, Continued)
	if p == nil {
		return nil, err
	}
	return &onward{p, at.team}, err
}

// judged returns a joint trajectory as a plan, nil when it is not certified.
func (at situation) judged(x []tensor.Batch, kind Kind) (*Plan, error) {
	t := at.ending(x)
	p, err := t.Certify(context.Background(), x)
	if err != nil || !p.Certificate.Certified {
		return nil, err
	}
	return &Plan{Plan: p, Kind: kind, Team: t}, nil
}

// arrives reports whether the plan before leads to the goals that are wanted.
func (o *onward) arrives() bool {
	if o == nil {
		return false
	}
	for i, r := range o.wanted.Robots {
		end := o.Trajectories[i].Data[len(o.Trajectories[i].Data)-channels:]
		if goal := o.wanted.TaskFrame().FromMap(r.Goal); end[0] != float32(goal.X) || end[1] != float32(goal.Y) {
			return false
		}
	}
	return true
}

// earlier reports whether the plan before arrives before another one, summed over
// robots, or at the same time on ways that are no longer.
func (o *onward) earlier(p *Plan) bool {
	a, b := o.Team.Arrival(o.Plan.Plan), p.Team.Arrival(p.Plan)
	return a < b || a == b && o.Length <= p.Length
}

// fallback repairs plans to stop until one is certified.
func (at situation) fallback(ctx context.Context, reason error) (*Plan, error) {
	if stop, err := at.stop(); stop != nil || err != nil {
		return stop.because(reason), err
	}
	var nearest *plan.Plan
	for _, x := range at.brakes() {
		t := at.ending(x)
		p, err := t.Repair(ctx, x)
		if err != nil {
			continue // the robot cannot come to rest where this way ends
		}
		if p.Certificate.Certified {
			safe, err := at.certified(p, Stopped)
			return safe.because(reason), err
		}
		if nearest == nil || p.Certificate.Violation() < nearest.Certificate.Violation() {
			nearest = p
		}
	}
	refused := &plan.UnsafeError{Plan: "stop", Nearest: nearest}
	if nearest != nil {
		refused.Worst = nearest.Certificate.Worst()
	}
	return nil, refused
}
