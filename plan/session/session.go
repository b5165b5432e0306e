// Package session plans again and again for a team that is on its way: one plan is always in
// force, for the map and the traffic that the session knows, and the next one begins where it
// is left. It is certified wherever one that is can be had in time; what is not is said, with
// everything that it touches and when. All is in the units of the task: those of a scene.
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
)

// Session plans again and again for a team that is on its way. One plan is always in
// force, [Session.Plan], until its robots rest at its end and from then on: certified in
// continuous time for the map, the traffic and the limits that the session knows, or marked
// [Unsafe]. The next plan begins where it is left, at a waypoint or between two: on curves
// with position and velocity of that moment.
//
// Results depend on nothing but the updates and the seed, unless a replan is given a time
// or the context ends before it does. A session is not safe for concurrent use.
type Session struct {
	team    plan.Team  // as far as it has come, with the goals that are wanted
	base    *nav2d.Map // without the obstacles of updates
	extra   []geom.Convex
	options plan.Options
	plan    *Plan
	replans uint64
	// course is the last plan that led all robots to their goals, excluded those that stop on the one in
	// force though they could have theirs, and why.
	course   *Plan
	excluded map[string]error
	told     []string // to stop
	hasty    bool     // there was no time for samples
	pauses   pauses
	clock    clock
}

// Update is what has changed since the plan in force took over. Lengths, velocities and times
// are in the units of the task: those of the scene, and seconds.
type Update struct {
	// Steps is the number of steps of the plan in force that are driven when the next
	// one takes over, and Seconds is the time that is driven beside these.
	Steps   int
	Seconds float64
	// States holds where the robots are by then, if not on the plan; nil is on it. Those that are stay on
	// their ways while another has broken down.
	States []State
	// Goals are those of the robots, in order; nil leaves them. One that cannot be had stops its
	// robot, see [Plan.Halted].
	Goals []geom.Vec2
	// Stop are names of robots that brake and stay, whatever their goals; nil leaves those of the updates
	// before, and an empty slice that is not nil lets all go again.
	Stop []string
	// Traffic replaces that before, with radii, paths and times from now on; nil lets it go on along
	// its paths and stay at their ends. Plans are certified for these paths only.
	Traffic []plan.Mover
	// Obstacles are there beside those of the map; nil leaves those of the updates before,
	// and none of them is left by an empty slice that is not nil.
	Obstacles []geom.Convex
	Map       *nav2d.Map // with other obstacles; nil leaves it
	Join      []Newcomer // after the others, with goals of their own
	Leave     []string   // names of robots that are gone
	// Within is the time from the call that may be spent. All of it is spent on samples, but where ways that
	// were left only had to be repaired, and of the certified plans the one that [plan.Options.Prefer] prefers is taken. 0 takes
	// the first, whenever that is, or when nothing has changed the plan in force: an update
	// of a team on its way is a check then.
	Within time.Duration
}

// State is where a robot is and how fast it goes.
type State struct{ Position, Velocity geom.Vec2 }

// Plan is a plan in force.
type Plan struct {
	*plan.Plan
	Kind Kind
	// From is what its clock shows when it takes over: 0, but for a plan that goes on between
	// two waypoints, which has the waypoint before.
	From float64
	// Warm is true for a planned one whose samples were drawn from the plan before.
	Warm bool
	// Draws is the number of times that joint samples were drawn and repaired for it; 0
	// for one that was made without samples.
	Draws int
	Team  plan.Team // that it is judged for: its ends are those of the plan
	// Reason says why there is no better plan; nil when the goals are reached.
	Reason error
	// Halted are the robots that stop for themselves: they cannot have their goals, or would be in
	// the way of the others as long as there is no plan for all.
	Halted []Halt
	// Contacts are what an [Unsafe] plan touches, by time. None where it only breaks a limit or
	// comes nearer than a margin: see its certificate.
	Contacts []Contact
	Elapsed  float64 // seconds from update to plan
}

// Halt is a robot that stops for itself, and why.
type Halt struct {
	Robot  string
	Reason error
}

// Kind says where a plan of a session comes from.
type Kind string

// The kinds of plans of a session. All but the last are certified.
const (
	Planned   Kind = "planned"   // made anew; it reaches the goals
	Continued Kind = "continued" // the plan before, which goes on, or on which some robots stop
	Stopped   Kind = "stopped"   // every robot brakes within its limits and stays
	// Unsafe is the least bad stop where none is certified: robots brake such that they are
	// slow where they touch something.
	Unsafe Kind = "unsafe"
)

// New returns a session of a team at its starts, with the velocities of
// [plan.Robot.StartVelocity]. The plan in force is to stop there. The options need a method
// that samples jointly and settings with repair. Plans of a team in the shortest time have as much as it
// needs from its starts to its goals, by [plan.Team.WithTimeEnough]. A team with a lateness is refused: its robots are planned for
// anew when they are late ([Update.States]), and stops are not certified for others that are. Where the team cannot stay, as traffic
// comes to it, the stop is [Unsafe], and the first plan may be certified all the same.
func New(team plan.Team, o plan.Options) (*Session, error) {
	if team.Lateness > 0 {
		return nil, &UpdateError{"lateness", team.Lateness, "want none: a session is told where late robots are, and plans anew from there"}
	}
	team, o, err := plan.Complete(team, o)
	if err != nil {
		return nil, err
	}
	if err := checkSession(team, o); err != nil {
		return nil, err
	}
	team = team.WithTimeEnough()
	team.Waypoints = cmp.Or(team.Waypoints, team.Robots[0].Model.Waypoints()) // plans take over from each other
	team.Robots = slices.Clone(team.Robots)
	s := &Session{team: team, base: team.Map, options: o}
	at := situation{team: team}
	if s.plan, err = at.stop(); s.plan == nil && err == nil {
		s.plan, err = at.repairedStop(context.Background(), nil)
	}
	if s.plan == nil && err == nil {
		p, worst := at.leastBad()
		s.plan = p.because(&plan.UnsafeError{Plan: "stop", Nearest: p.Plan, Worst: worst})
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Plan returns the plan in force.
func (s *Session) Plan() *Plan { return s.plan }

// Goals returns those that are wanted, in the units of the task.
func (s *Session) Goals() (out []geom.Vec2) {
	for _, r := range s.team.Robots {
		out = append(out, s.team.TaskFrame().FromMap(r.Goal))
	}
	return out
}

// Replan brings the session to an update and returns the plan that is in force from
// then on. Of a new plan and the one before, if that still holds and leads to the
// goals, it is the one that arrives earlier. Without either only those robots stop, each by itself, that cannot go on
// along the plan before or would touch something then, and the others go on ([Plan.Halted]); or all stop, and
// when no stop is certified the plan before goes on, if that holds. Robots that have stopped on their ways drive on
// along these, repaired where that is needed, as soon as that is certified, without samples. Who keeps
// the others from a plan stops, and they are planned for around it. When nothing is certified it is the stop that
// does least harm, marked [Unsafe]. The end of the context cuts the
// search short, and the best of these plans is returned all the same; where none of them is certified, a certified stop is
// looked for as long again, for a second at least.
//
// An update that brings nothing new, with no time to spend, is a check of the plan in force where this
// leads to the goals. Under a deadline a team that has stopped is not searched for at each of them: after a
// search of no use one is left out, then two, four and so on, up to 16.
//
// An [UpdateError] says that the update makes no sense. Then the session is
// as it was before.
func (s *Session) Replan(ctx context.Context, u Update) (*Plan, error) {
	until := deadline{s.clock, s.clock.now(), u.Within}
	if err := s.check(u); err != nil {
		return nil, err
	}
	at := s.advance(u)
	at.unchanged = s.unchanged(u)
	if err := at.checkNewcomers(u.Join); err != nil {
		return nil, err
	}
	told := s.told
	if u.Stop != nil {
		told = u.Stop
	}
	at = at.halting(at.halts(s.options, told))
	next, err := s.next(ctx, at, until)
	if err != nil {
		return nil, err
	}
	next.Elapsed = until.passed().Seconds()
	if next.Halted == nil {
		next.Halted = at.haltedRobots()
	}
	s.excluded = at.excluded(next)
	if next.Kind == Planned && len(next.Halted) == 0 {
		s.course = next
	}
	s.team, s.base, s.extra, s.plan, s.told = at.team, at.base, at.extra, next, told
	s.replans++
	return next, nil
}

// next returns the best plan for a situation: the one that leads most robots to their goals, then the
// earliest.
func (s *Session) next(ctx context.Context, at situation, until deadline) (*Plan, error) {
	old, err := at.goOn(s.plan)
	if err != nil {
		return nil, err
	}
	var hand *Plan
	if old.arrives(at) {
		hand = old.Plan
	} else if hand, err = s.atHand(at, old); err != nil { // before time is spent on what is better
		return nil, err
	}
	found, reason := s.search(ctx, at, until, old, hand)
	switch {
	case found != nil && !(hand.goesOn() && at.leadsAsMany(hand, found) && hand.earlier(found)):
		return found.because(at.without(found, reason)), nil
	case old.arrives(at):
		return hand, nil
	case hand != nil:
		return hand.because(reason), nil
	case old != nil:
		return old.because(reason), nil
	}
	ctx, cancel := until.stopping(ctx)
	defer cancel()
	if stop, err := at.repairedStop(ctx, reason); stop != nil || err != nil {
		return stop, err
	}
	least, worst := at.leastBad()
	if reason == nil {
		reason = &plan.UnsafeError{Plan: "stop", Worst: worst, Nearest: least.Plan}
	}
	return least.because(reason), nil
}

// goesOn reports whether there is a plan at hand on which robots go on to their goals.
func (p *Plan) goesOn() bool { return p != nil && p.Kind == Continued }

// without returns the reason why a plan does not lead all robots to their goals that may have them, nil where
// it does.
func (at situation) without(p *Plan, reason error) error {
	if len(at.missing(p)) == 0 {
		return nil
	}
	return reason
}

// excluded returns the robots that stop on a plan though they could have their goals, and why.
func (at situation) excluded(p *Plan) map[string]error {
	out := map[string]error{}
	for i, r := range at.team.Robots {
		if at.halted[i] == nil && p.halts(r.Name) {
			for _, h := range p.Halted {
				if h.Robot == r.Name {
					out[r.Name] = h.Reason
				}
			}
		}
	}
	return out
}

// because returns a plan with the reason why there is no better one.
func (p *Plan) because(reason error) *Plan {
	if p != nil {
		p.Reason = reason
	}
	return p
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
