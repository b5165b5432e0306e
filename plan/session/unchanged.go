package session

import (
	"context"
	"slices"
)

// unchanged reports whether an update says nothing but that time has passed.
func (s *Session) unchanged(u Update) bool {
	return u.States == nil && u.Traffic == nil && u.Obstacles == nil && u.Map == nil && u.Stop == nil && len(u.Join)+len(u.Leave) == 0 &&
		(u.Goals == nil || slices.Equal(u.Goals, s.Goals()))
}

// mostPauses bounds the updates between two searches for what was not found.
const mostPauses = 16

// pauses says how many updates that change nothing pass without samples after some were of no use:
// one, two, four and so on. So a team that cannot go on leaves the processor to others. Who gives no
// deadline waits for what can be found.
type pauses struct{ next, left int }

// search returns the plan of samples, or nil and why there is none. For an update without
// news and without time to spend none are drawn where the plan before leads to the goals, or, under a
// deadline and with something certified at hand, some were of no use not long ago.
func (s *Session) search(ctx context.Context, at situation, until deadline, old *onward, hand *Plan) (*Plan, error) {
	idle := at.unchanged && until.within == 0
	_, hurried := ctx.Deadline()
	switch {
	case idle && old.arrives(at):
		return nil, nil
	case idle && hurried && (old != nil || hand != nil) && s.pauses.left > 0:
		s.pauses.left--
		return nil, s.plan.Reason
	case !at.unchanged:
		s.pauses = pauses{}
	}
	found, reason := (&search{Session: s, ctx: ctx, at: at, within: until.sampling(old != nil || hand != nil)}).plan(hand)
	if found != nil || !at.unchanged {
		s.pauses = pauses{}
	} else {
		s.pauses.next = min(max(2*s.pauses.next, 1), mostPauses)
		s.pauses.left = s.pauses.next
	}
	return found, reason
}
