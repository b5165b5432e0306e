package session

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/nearby"
	"github.com/go-pcd/pcd/internal/told"
	"github.com/go-pcd/pcd/plan"
)

// halts returns the robots that cannot have their goals, and why: they were told to stop, or these are
// nowhere, outside of the workspace, covered by obstacles, traffic or the goal of a robot before, or out of
// reach.
func (at situation) halts(o plan.Options, told []string) map[int]error {
	out := map[int]error{}
	for i, r := range at.team.Robots {
		if slices.Contains(told, r.Name) {
			out[i] = toldToStop(r.Name)
		} else if err := at.goalProblem(i, out, o); err != nil {
			out[i] = err
		}
	}
	return out
}

// toldToStop is why the robot of a name stops that was told to.
type toldToStop string

func (e toldToStop) Error() string { return fmt.Sprintf("session: %s was told to stop", string(e)) }

// noPlanYet is why a robot stops that may have its goal.
func noPlanYet(name string) error {
	return fmt.Errorf("session: %s stops: there is no plan to its goal yet", name)
}

// halting returns the situation in which some robots stop, and all others whose goals are where one of these
// comes to rest.
func (at situation) halting(who map[int]error) situation {
	at.halted, at.stops = maps.Clone(who), map[int]*Plan{}
	for by := who; len(by) > 0; {
		by = at.blocked(by)
		maps.Copy(at.halted, by)
	}
	for _, k := range slices.Sorted(maps.Keys(at.halted)) { // each off the places that those before are told
		if who[k] == nil {
			at.halted[k] = at.offStops(k)
		}
	}
	return at
}

// blocked finds stops of robots that are halted, and returns those that are not and whose goals are where
// some of these come to rest.
func (at situation) blocked(by map[int]error) map[int]error {
	out, t := map[int]error{}, at.team
	for i := range t.Robots {
		if by[i] == nil {
			continue
		}
		stop, covers, err := at.stopOf(i)
		if stop == nil || err != nil {
			continue // which is told when the others are planned for
		}
		at.stops[i] = stop
		end := stop.Team.Robots[0]
		for _, k := range covers {
			r := t.Robots[k]
			d, need := end.Goal.Dist(r.Goal)*t.LengthUnit(), (end.Radius+r.Radius+t.Margin)*t.LengthUnit()
			out[k] = cmp.Or(out[k], error(&plan.CollisionError{Robot: r.Name, Place: "goal", With: "where " + end.Name + " stops", Clearance: d, Need: need}))
		}
	}
	return out
}

// stopOf returns the plan of robot i alone that brakes, and the robots that are not halted on whose goals
// it comes to rest: the first that is certified and covers none, or else the first that is certified.
func (at situation) stopOf(i int) (first *Plan, covers []int, err error) {
	one := at.alone(i)
	brakes := one.brakes()
	for k, x := range brakes {
		p, err := one.stopAlong(x, k == len(brakes)-1)
		if err != nil {
			return first, covers, err
		}
		if p == nil {
			continue
		}
		end := p.Team.Robots[0]
		var on []int
		for k, r := range at.team.Robots {
			if k != i && at.halted[k] == nil && end.Goal.Dist(r.Goal) < end.Radius+r.Radius+at.team.Margin {
				on = append(on, k)
			}
		}
		if first == nil || len(on) == 0 {
			first, covers = p, on
		}
		if len(on) == 0 {
			break
		}
	}
	return first, covers, nil
}

// largestPlace bounds coordinates, as scenes bound them: distances of larger ones are no numbers.
const largestPlace = 1e12

// goalProblem says why robot i cannot have its goal, given those before that cannot.
func (at situation) goalProblem(i int, halted map[int]error, o plan.Options) error {
	t, r := at.team, at.team.Robots[i]
	unit, g := t.LengthUnit(), t.TaskFrame().FromMap(r.Goal)
	if !r.Goal.IsFinite() {
		return &plan.TeamError{Robot: r.Name, Reason: fmt.Sprintf("the goal is %s, want finite numbers", told.Place(g.X, g.Y, r.Radius*unit))}
	}
	if size := max(math.Abs(g.X), math.Abs(g.Y)); size > largestPlace {
		return &plan.TeamError{Robot: r.Name, Reason: fmt.Sprintf("the goal is %s, want numbers of a size below %g", told.Place(g.X, g.Y, r.Radius*unit), float64(largestPlace))}
	}
	if out, _ := t.Map.Bounds.Grow(-r.Radius).SignedDistance(r.Goal); out > sameGoal*r.Radius && r.Goal != r.Start {
		free := at.goalNear(i, halted, r.Radius*unit)
		reason := fmt.Sprintf("the goal %s leaves the workspace by %.3g%s", told.Place(g.X, g.Y, r.Radius*unit), out*unit, nearby.Fits("it", free, r.Radius*unit))
		return &outsideError{plan.TeamError{Robot: r.Name, Reason: reason}, free}
	}
	for j := range i {
		other := t.Robots[j]
		if d, need := other.Goal.Dist(r.Goal), r.Radius+other.Radius+t.Margin; halted[j] == nil && d < need {
			return &plan.CollisionError{Robot: r.Name, Place: "goal", With: "the goal of " + other.Name, Clearance: d * unit, Need: need * unit, Free: at.goalNear(i, halted, need*unit)}
		}
	}
	for _, m := range t.Traffic {
		path := t.PathOf(m)
		if d, need := path[len(path)-1].Dist(r.Goal), r.Radius+m.Radius+t.Margin; d < need {
			return &plan.CollisionError{Robot: r.Name, Place: "goal", With: "where " + m.Name + " ends", Clearance: d * unit, Need: need * unit, Free: at.goalNear(i, halted, need*unit)}
		}
	}
	alone := t
	alone.Robots, alone.Traffic = []plan.Robot{r}, nil
	err := alone.CheckRun(o)
	if start := (*plan.CollisionError)(nil); errors.As(err, &start) && start.Place == "start" {
		return nil // which says nothing about the goal
	}
	return at.elsewhere(i, halted, err)
}

// haltedRobots returns those who stop, by number.
func (at situation) haltedRobots() (out []Halt) {
	for i, r := range at.team.Robots {
		if err := at.halted[i]; err != nil {
			out = append(out, Halt{r.Name, err})
		}
	}
	return out
}

// alone returns the situation of one robot.
func (at situation) alone(i int) situation {
	one := at
	one.team.Robots, one.halted, one.stops = at.team.Robots[i:i+1:i+1], nil, nil
	if one.off = nil; at.off[i] {
		one.off = map[int]bool{0: true}
	}
	if at.who != nil {
		one.who = at.who[i : i+1 : i+1]
	}
	if at.tail != nil {
		one.tail = at.tail[i : i+1 : i+1]
	}
	return one
}

// others returns the situation of the robots that go on, and who they are: those that are halted are traffic
// for them while they brake. An error says that one of these has no stop.
func (at situation) others() (rest situation, who []int, err error) {
	rest = at
	rest.team.Robots, rest.tail, rest.halted, rest.stops, rest.before = nil, nil, nil, nil, nil // whose numbers are others
	rest.team.Traffic = slices.Clone(at.team.Traffic)
	for i, r := range at.team.Robots {
		if at.halted[i] == nil {
			who, rest.team.Robots = append(who, i), append(rest.team.Robots, r)
			if at.tail != nil {
				rest.tail = append(rest.tail, at.tail[i])
			}
			continue
		}
		if at.stops[i] == nil {
			return rest, nil, at.halted[i]
		}
		rest.team.Traffic = append(rest.team.Traffic, at.stops[i].asTraffic())
	}
	return rest, who, nil
}

// asTraffic returns the only robot of a plan as others see it: straight between half steps, and
// larger by what it may be off that.
func (p *Plan) asTraffic() plan.Mover {
	r, f := p.Team.Robots[0], p.Team.TaskFrame()
	m := plan.Mover{Name: r.Name, Radius: r.Radius, GivenRadius: r.GivenRadius}
	w := wayOf(p, 0)
	if p.Curves == nil {
		for _, x := range w.points {
			m.Path = append(m.Path, f.ToMap(x))
		}
		return m
	}
	fastest := 0.0
	for k := range 2*w.last() + 1 {
		t := float64(k) * w.step / 2
		x, _ := w.at(t)
		_, _, a := w.curve.At(t)
		fastest = math.Max(fastest, a.Norm())
		m.Path, m.Times = append(m.Path, f.ToMap(x)), append(m.Times, t)
	}
	m.Radius += fastest * w.step * w.step / 32 / f.Scale
	return m
}

// joined returns a plan of the robots that go on together with the stops of those that are halted, nil
// where that is not certified.
func (at situation) joined(d *Plan, who []int) (*Plan, error) {
	n := len(at.team.Robots)
	var p *Plan
	var err error
	if d.Curves != nil {
		curves := make([]geom.Curve, n)
		for k, i := range who {
			curves[i] = d.Curves[k]
		}
		for i, stop := range at.stops {
			curves[i] = stop.Curves[0]
		}
		p, err = at.along(at.team, curves, Planned)
	} else {
		rows := slices.Clone(d.Trajectories[:0:0])
		for i := range n {
			if at.stops[i] != nil {
				rows = append(rows, at.stops[i].Trajectories[0])
			} else {
				rows = append(rows, d.Trajectories[slices.Index(who, i)])
			}
		}
		p, err = at.judged(rows, Planned)
	}
	if p == nil {
		return nil, err
	}
	p.Sample, p.Changes, p.Displacement, p.Rounds, p.Seconds = d.Sample, d.Changes, d.Displacement, d.Rounds, d.Seconds
	return p, nil
}
