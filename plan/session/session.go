// Package session plans again and again for a team that is on its way: one plan is always in
// force, certified for the map and the traffic that the session knows, and the next one
// begins where it is left.
package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/tensor"
)

// Session plans again and again for a team that is on its way. One plan is always in
// force, [Session.Plan]: certified in continuous time for the map, the traffic and the
// limits that the session knows, until its robots rest at its end and from then on.
// The next plan begins at a waypoint of it, so that what is driven has no gap.
//
// Results depend on nothing but the updates and the seed, unless a replan is given a time
// or the context ends before it does. A session is not safe for concurrent use.
type Session struct {
	team    plan.Team // as far as it has come, with the goals that are wanted
	options plan.Options
	plan    *Plan
	replans uint64
}

// Update is what has changed since the plan in force took over. All is in the units of
// [plan.Team]: map units, and map units per second.
type Update struct {
	// Steps is the number of steps of the plan in force that are driven when the next
	// one takes over.
	Steps int
	// States holds where the robots are by then, if not on the plan; nil is on it.
	States []State
	Goals  []geom.Vec2 // one per robot; nil leaves them
	// Traffic replaces that before, with paths and times from now on; nil lets it go on along
	// its paths and stay at their ends. Plans are certified for these paths only.
	Traffic []plan.Mover
	Map     *nav2d.Map // with other obstacles; nil leaves it
	// Within is the time from the call that may be spent on samples. All of it is spent,
	// and of the certified plans the one that [plan.Options.Prefer] prefers is taken. 0 takes
	// the first, whenever that is.
	Within time.Duration
}

// State is where a robot is and how fast it goes.
type State struct{ Position, Velocity geom.Vec2 }

// Plan is a plan in force.
type Plan struct {
	*plan.Plan
	Kind Kind
	// Warm is true for a planned one whose samples were drawn from the plan before.
	Warm bool
	// Draws is the number of times that joint samples were drawn and repaired for it; 0
	// for one that is not planned.
	Draws int
	Team  plan.Team // that it is certified for: its ends are those of the plan
	// Reason says why there is no better plan; nil when the goals are reached.
	Reason  error
	Elapsed float64 // seconds from update to plan
}

// Kind says where a plan of a session comes from.
type Kind string

// The kinds of plans of a session.
const (
	Planned   Kind = "planned"   // sampled anew; it reaches the goals
	Continued Kind = "continued" // the plan before, which goes on
	Stopped   Kind = "stopped"   // every robot brakes within its limits and stays
)

// New returns a session of a team at its starts, with the velocities of
// [plan.Robot.StartVelocity]. The plan in force is to stop there. The options need a method
// that samples jointly and settings with repair. An [plan.UnsafeError] says that the team
// cannot even stop.
func New(team plan.Team, o plan.Options) (*Session, error) {
	team.Motion = cmp.Or(team.Motion, plan.Polyline) // sessions take over at waypoints of straight ways
	team.Shortest = false
	team, o, err := plan.Complete(team, o)
	if err != nil {
		return nil, err
	}
	if err := checkSession(team, o); err != nil {
		return nil, err
	}
	team.Robots = slices.Clone(team.Robots)
	s := &Session{team: team, options: o}
	s.plan, err = situation{team: team}.fallback(context.Background(), nil)
	return s, err
}

// Plan returns the plan in force.
func (s *Session) Plan() *Plan { return s.plan }

// Replan brings the session to an update and returns the plan that is in force from
// then on. Of a new plan and the one before, if that still holds and leads to the
// goals, it is the one that arrives earlier. Without either it is a plan to stop, and
// when no stop is safe the plan before, if that holds. The end of the context cuts the
// search short, and the best of these plans is returned all the same.
//
// An [UpdateError] says that the update makes no sense, an [plan.UnsafeError] that no plan
// holds among the new obstacles and traffic, not even one to stop. Then the session is
// as it was before.
func (s *Session) Replan(ctx context.Context, u Update) (*Plan, error) {
	began := time.Now()
	if err := s.check(u); err != nil {
		return nil, err
	}
	at := s.advance(u)
	next, err := s.next(ctx, at, u.Within)
	if err != nil {
		return nil, err
	}
	next.Elapsed = time.Since(began).Seconds()
	s.team, s.plan = at.team, next
	s.replans++
	return next, nil
}

// next returns the best plan for a situation.
func (s *Session) next(ctx context.Context, at situation, within time.Duration) (*Plan, error) {
	old, err := at.goOn()
	if err != nil {
		return nil, err
	}
	found, reason := s.sampleWithin(ctx, at, within)
	switch {
	case found != nil && !(old.arrives() && old.earlier(found)):
		return found, nil
	case old.arrives():
		return old.Plan, nil
	}
	if stop, err := at.stop(); stop != nil || err != nil {
		return stop.because(reason), err
	}
	if old != nil {
		return old.Plan.because(reason), nil
	}
	return at.fallback(context.WithoutCancel(ctx), reason)
}

// because returns a plan with the reason why there is no better one.
func (p *Plan) because(reason error) *Plan {
	if p != nil {
		p.Reason = reason
	}
	return p
}

// advance returns the situation after an update.
func (s *Session) advance(u Update) situation {
	t := s.team
	t.Robots = slices.Clone(t.Robots)
	if u.Map != nil {
		t.Map = u.Map
	}
	if t.Traffic = u.Traffic; u.Traffic == nil {
		t.Traffic = drivenOn(s.team.Traffic, u.Steps, t.Step)
	}
	t = t.Named()
	for i := range u.Goals {
		t.Robots[i].Goal = u.Goals[i]
	}
	at := situation{team: t}
	if u.States != nil {
		for i, x := range u.States {
			t.Robots[i].Start, t.Robots[i].StartVelocity = x.Position, x.Velocity
		}
		return at
	}
	for i, x := range s.plan.Trajectories {
		way := pathOf(t, x)
		h := min(u.Steps, len(way)-1)
		r := &t.Robots[i]
		r.Start = way[h]
		switch {
		case u.Steps > h:
			r.StartVelocity = geom.Vec2{}
		case h > 0:
			r.StartVelocity = way[h].Sub(way[h-1]).Scale(1 / t.Step)
		}
		at.tail = append(at.tail, rest(x, h))
	}
	return at
}

// rest returns a trajectory from waypoint h on, which stays at its end.
func rest(x tensor.Batch, h int) tensor.Batch {
	out := tensor.New(1, x.Shape...)
	last := x.Data[len(x.Data)-channels:]
	n := copy(out.Data, x.Data[h*channels:])
	for ; n < len(out.Data); n += channels {
		copy(out.Data[n:n+2], last[:2])
	}
	return out
}

// drivenOn returns traffic after some steps.
func drivenOn(traffic []plan.Mover, steps int, step float64) []plan.Mover {
	var out []plan.Mover
	for _, m := range traffic {
		out = append(out, m.Later(steps, step))
	}
	return out
}

// UpdateError says what is wrong with an update or a session.
type UpdateError struct {
	What   string // for instance "steps"
	Value  any
	Reason string // "want …"
}

func (e *UpdateError) Error() string {
	return fmt.Sprintf("plan: session: %s: %v, %s", e.What, e.Value, e.Reason)
}
