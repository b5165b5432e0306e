package session

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/go-pcd/pcd/plan"
)

// search is the sampling of a replan.
type search struct {
	*Session
	ctx    context.Context
	at     situation
	within time.Duration // for samples; 0 for as long as it takes
	began  time.Duration
}

// plan returns a plan of samples, or nil and the reason why none is certified. When there is none for all
// robots those stop that are in the way of one, and the others are planned for around them. Where something at hand
// leads as many to their goals the latter are not planned for once more.
func (s *search) plan(hand *Plan) (*Plan, error) {
	s.began = s.clock.now()
	if hand == nil || len(s.at.missing(hand)) > 0 {
		if p, err := s.again(); p != nil || err != nil {
			return p, err
		}
	}
	held, tried := s.at.held(s.excluded), len(s.at.halted)
	enough := func() bool { return hand != nil && len(s.at.missing(hand)) <= len(held)-len(s.at.halted) }
	var some *Plan
	if s.within > 0 && len(held) > tried && !enough() {
		some, _ = s.sample(s.at.halting(held), s.within/2)
		tried = len(held)
	}
	found, reason := s.sample(s.at, s.within)
	for last := reason; found == nil && some == nil && s.ctx.Err() == nil && s.inTime(); {
		if i := s.at.culprit(last, held); i >= 0 && len(held) == tried {
			held[i] = last
		}
		if len(held) == tried || enough() {
			break
		}
		tried = len(held)
		some, last = s.sample(s.at.halting(held), s.within)
	}
	if found == nil {
		found = some
	}
	return found, reason
}

// again returns the ways that robots left when they stopped, repaired; nil if that is not certified.
func (s *search) again() (*Plan, error) {
	ctx := s.ctx
	if s.within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = s.clock.ending(ctx, s.within/2)
		defer cancel()
	}
	if p, err := s.at.repairedCourse(ctx, s.course); p != nil || err != nil {
		return p, err
	}
	return s.at.bent(ctx)
}

// inTime reports whether there is time for another sample.
func (s *search) inTime() bool { return s.within == 0 || s.clock.now() < s.began+s.within }

// held returns the robots that are halted and those of some names.
func (at situation) held(names map[string]error) map[int]error {
	out := map[int]error{}
	for i, r := range at.team.Robots {
		if err := cmp.Or(at.halted[i], names[r.Name]); err != nil {
			out[i] = err
		}
	}
	return out
}

// culprit returns a robot that is not held and that kept samples from being certified, -1 for none.
func (at situation) culprit(reason error, held map[int]error) int {
	var unsafe *plan.UnsafeError
	if !errors.As(reason, &unsafe) || unsafe.Worst == nil {
		return -1
	}
	for _, name := range []string{unsafe.Worst.Robot, unsafe.Worst.Other} {
		for i, r := range at.team.Robots {
			if r.Name == name && held[i] == nil {
				return i
			}
		}
	}
	return -1
}

// sample samples until a plan is certified, or until a time has passed since the search began if one is
// given: then it goes on, from the plan before and from noise in turns, and keeps the plan that is
// preferred. It returns nil and the reason when none is certified.
func (s *search) sample(at situation, until time.Duration) (*Plan, error) {
	d := &drawing{session: s.Session, at: at}
	var err error
	if d.rest, d.who, err = at.others(); err != nil {
		return nil, err
	}
	if len(d.who) == 0 {
		return nil, at.halted[0]
	}
	if err := d.rest.team.CheckRun(s.options); err != nil {
		return nil, err
	}
	ctx := s.ctx
	if until > 0 {
		var cancel context.CancelFunc
		ctx, cancel = s.clock.ending(ctx, s.began+until-s.clock.now())
		defer cancel()
	}
	began := time.Duration(0)
	for round := range mostDraws {
		began = s.clock.now()
		if err := d.draw(ctx, round); err != nil {
			d.reason = err
			break
		}
		now := s.clock.now()
		if d.best != nil && (until == 0 || s.began+until-now < now-began) || until == 0 && round > 0 {
			break // for want of time for as much again
		}
	}
	s.hasty = until > 0 && (d.draws == 0 || s.hasty && s.clock.now()-began > until/4)
	if d.best == nil {
		return nil, d.reason
	}
	d.best.Draws, d.best.Halted = d.draws, at.haltedRobots()
	return d.best, nil
}

// mostDraws bounds the draws of a replan with much time.
const mostDraws = 1000

// drawing is what a replan has drawn so far.
type drawing struct {
	session *Session
	at      situation
	rest    situation // of the robots that go on
	who     []int     // they are
	draws   int
	best    *Plan
	reason  error // why there is none
}

// draw draws and repairs samples: from the plan before in even rounds, if that is near
// enough, and from noise in odd ones. The best plan is kept.
func (d *drawing) draw(ctx context.Context, round int) error {
	o := d.session.options
	o.Seed += d.session.replans*seedStride + uint64(round/2)*roundStride
	if d.session.hasty {
		o.Samples = 1 // of more there was none in time
	}
	warm := round%2 == 0
	if warm && !d.rest.warms() {
		return nil
	}
	if warm {
		o.From = d.rest.towards()
	}
	r, err := plan.Run(ctx, d.rest.team, o)
	if err != nil {
		return err
	}
	d.draws++
	p, err := d.rest.driven(r.Nearest())
	if err == nil && p != nil && len(d.at.stops) > 0 {
		p, err = d.at.joined(p, d.who)
	}
	if err != nil {
		return err
	}
	if p == nil {
		d.reason = &plan.UnsafeError{Plan: "sample", Worst: r.Nearest().Certificate.Worst(), Nearest: r.Nearest()}
		return nil
	}
	p.Warm = warm
	better := d.best == nil
	if !better {
		better, err = o.Prefer.Better(p.Team, p.Plan, d.best.Plan)
	}
	if better {
		d.best = p
	}
	return err
}

// seedStride is between the seeds of two replans, roundStride between those of the rounds
// of one; a session of the next seed shares none of them.
const (
	seedStride  = 0x9E3779B97F4A7C15
	roundStride = 0xD1B54A32D192ED03
)
