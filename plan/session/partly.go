package session

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/plan"
)

// atHand returns what is certified without samples, nil if nothing is: the way that was left before a stop,
// or the plan before, on which those robots stop that have stopped already, or those that cannot have their
// goals or would touch something, or a stop of all.
func (s *Session) atHand(at situation, old *onward) (*Plan, error) {
	if p, err := at.resumed(s.course); p != nil || err != nil {
		return p, err
	}
	if p := at.stopping(old); p != nil {
		return p, nil
	}
	if p, err := at.partly(s.plan); p != nil || err != nil {
		return p, err
	}
	return at.stop()
}

// stopping returns the plan before where it leads all robots to their goals but those that stop on it; nil
// where others have to stop, or nobody goes on.
func (at situation) stopping(old *onward) *Plan {
	if old == nil || at.standing() {
		return nil
	}
	missing := at.missing(old.Plan)
	for i, r := range at.team.Robots {
		if (missing[i] || at.halted[i] != nil) && !old.before.halts(r.Name) {
			return nil
		}
	}
	for _, h := range old.before.Halted {
		if i := at.robot(h.Robot); i >= 0 && (missing[i] || at.halted[i] != nil) {
			if _, was := h.Reason.(toldToStop); was { // or still is, which goes first
				h.Reason = noPlanYet(h.Robot)
			}
			old.Halted = append(old.Halted, Halt{h.Robot, cmp.Or(at.halted[i], h.Reason)})
		}
	}
	return old.Plan
}

// robot returns the number of a robot, -1 for one that is gone.
func (at situation) robot(name string) int {
	return slices.IndexFunc(at.team.Robots, func(r plan.Robot) bool { return r.Name == name })
}

// partly returns the plan before on which the robots brake that cannot go on, and those that would touch
// something then; nil where all have to, or nothing is certified. It says who stops, and why. The others keep their
// ways as they are, while whoever brakes begins at the next waypoint; or where that is too late at once, and their ways
// are what the waypoints of the new clock make of them.
func (at situation) partly(before *Plan) (*Plan, error) {
	if at.tail == nil || at.standing() || len(at.concerned()) == len(at.team.Robots) {
		return nil, nil
	}
	for _, b := range []*partial{at.onOldClock(before), at.onNewClock()} {
		if b == nil {
			continue
		}
		if p, err := b.settle(); p != nil || err != nil {
			return p, err
		}
	}
	return nil, nil
}

// concerned returns the robots that cannot go on in any case: they cannot have their goals, or the plan before does
// not lead to them.
func (at situation) concerned() map[int]error {
	stops := map[int]error{}
	for i, r := range at.team.Robots {
		way := at.path(at.tail[i])
		switch {
		case at.halted[i] != nil:
			stops[i] = at.halted[i]
		case at.off[i]:
			stops[i] = fmt.Errorf("session: %s stops: it is not where the plan has it", r.Name)
		case way[len(way)-1].Dist(r.Goal) > sameGoal*r.Radius:
			stops[i] = noPlanYet(r.Name)
		}
	}
	return stops
}

// halts returns the robots that stop, in their order.
func (b *partial) halts() (out []Halt) {
	for i, r := range b.team.Robots {
		if reason, is := b.stops[i]; is {
			out = append(out, Halt{r.Name, reason})
		}
	}
	return out
}

// standing reports whether the plan before goes nowhere any more.
func (at situation) standing() bool {
	for _, x := range at.tail {
		for h := channels; h < len(x.Data); h += channels {
			if x.Data[h] != x.Data[0] || x.Data[h+1] != x.Data[1] {
				return false
			}
		}
	}
	return true
}
