package plan

import (
	"context"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/tensor"
)

// situation is what a plan of a session begins with.
type situation struct {
	team Team // where it is, with the goals that are wanted
	// tail is the plan before from here on, in the units of the task; nil when the
	// robots are not on it.
	tail []tensor.Batch
}

// ending returns the team whose goals are the ends of a joint trajectory.
func (at situation) ending(x []tensor.Batch) Team {
	t := at.team.endingAtStarts()
	for i := range t.Robots {
		end := x[i].Data[len(x[i].Data)-channels:]
		t.Robots[i].Goal = t.frame().ToMap(geom.Vec2{X: float64(end[0]), Y: float64(end[1])})
	}
	return t
}

// attempt judges a joint trajectory. Robots rest at its end.
func (at situation) attempt(x []tensor.Batch) (*attempt, error) {
	t := at.ending(x)
	w, err := t.world(0)
	if err != nil {
		return nil, err
	}
	n := len(x)
	a := &attempt{team: t, world: w, routes: t.routes(), sample: -1, model: x, rerouted: make([]bool, n), shifted: make([]bool, n), searched: make([]bool, n)}
	return a, a.climb(context.Background(), nil)
}

// certified returns a plan of the session, nil if it is not certified from where the
// team is, bit for bit, with all robots at rest in the end.
func (at situation) certified(d *Plan, kind PlanKind) (*SessionPlan, error) {
	if d == nil {
		return nil, nil
	}
	for i, x := range at.tail {
		copy(d.Trajectories[i].Data[:2], x.Data[:2])
	}
	t := at.ending(d.Trajectories)
	w, err := t.world(0)
	if err != nil {
		return nil, err
	}
	// What was found is certified even if the context has ended.
	if d.Certificate, err = t.certificate(context.Background(), w, d.Trajectories, 0); err != nil || !d.Certificate.Certified {
		return nil, err
	}
	for i, x := range d.Trajectories {
		t.velocities(x, t.Robots[i])
	}
	return &SessionPlan{Plan: d, Kind: kind, Team: t}, t.measure(d)
}

// onward is the plan before, from here on. Nil is none that holds.
type onward struct {
	*SessionPlan
	wanted Team
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
func (at situation) judged(x []tensor.Batch, kind PlanKind) (*SessionPlan, error) {
	a, err := at.attempt(x)
	if err != nil || !a.safe() {
		return nil, err
	}
	return at.certifiedAttempt(a, kind)
}

// certifiedAttempt is certified of an attempt.
func (at situation) certifiedAttempt(a *attempt, kind PlanKind) (*SessionPlan, error) {
	d, err := a.delivery(context.Background())
	if err != nil {
		return nil, err
	}
	return at.certified(d, kind)
}

// arrives reports whether the plan before leads to the goals that are wanted.
func (o *onward) arrives() bool {
	if o == nil {
		return false
	}
	for i, r := range o.wanted.Robots {
		end := o.Trajectories[i].Data[len(o.Trajectories[i].Data)-channels:]
		if goal := o.wanted.frame().FromMap(r.Goal); end[0] != float32(goal.X) || end[1] != float32(goal.Y) {
			return false
		}
	}
	return true
}

// earlier reports whether the plan before arrives before another one, summed over
// robots, or at the same time on ways that are no longer.
func (o *onward) earlier(p *SessionPlan) bool {
	a, b := (&attempt{team: o.Team, at: o.Trajectories}).arrival(), (&attempt{team: p.Team, at: p.Trajectories}).arrival()
	return a < b || a == b && o.Length <= p.Length
}

// fallback repairs plans to stop, and then the plan before, until one is certified.
func (at situation) fallback(ctx context.Context, reason error) (*SessionPlan, error) {
	if stop, err := at.stop(); stop != nil || err != nil {
		return stop.because(reason), err
	}
	var worst *attempt
	for _, x := range at.brakes() {
		a, err := at.attempt(x)
		if err == nil {
			err = a.climb(ctx, repairAsIs)
		}
		if err != nil {
			continue // the robot cannot come to rest where this way ends
		}
		if a.safe() {
			p, err := at.certifiedAttempt(a, Stopped)
			return p.because(reason), err
		}
		if worst == nil || a.outcome.Verdict.Violation(a.world.Margin) < worst.outcome.Verdict.Violation(worst.world.Margin) {
			worst = a
		}
	}
	if worst == nil {
		return nil, &UnsafeError{Plan: "stop"}
	}
	c, err := worst.team.certificate(ctx, worst.world, worst.at, 0)
	if err != nil {
		return nil, err
	}
	return nil, &UnsafeError{Plan: "stop", Worst: c.Worst()}
}
