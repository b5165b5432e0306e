package session

import (
	"context"
	"time"

	"github.com/go-pcd/pcd/plan"
)

// sampleWithin samples until a plan is certified, or for a time if one is given: then it
// goes on, from the plan before and from noise in turns, and keeps the plan that is
// preferred. It returns nil and the reason when none is certified.
func (s *Session) sampleWithin(ctx context.Context, at situation, within time.Duration) (*Plan, error) {
	d := &drawing{session: s, at: at}
	var err error
	if d.rest, d.who, d.stops, err = at.others(); err != nil {
		return nil, err
	}
	if len(d.who) == 0 {
		return nil, at.halted[0]
	}
	if err := d.rest.team.CheckRun(s.options); err != nil {
		return nil, err
	}
	if within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = s.clock.ending(ctx, within)
		defer cancel()
	}
	first := s.clock.now()
	for round := range mostDraws {
		began := s.clock.now()
		if err := d.draw(ctx, round); err != nil {
			d.reason = err
			break
		}
		now := s.clock.now()
		if d.best != nil && (within == 0 || first+within-now < now-began) || within == 0 && round > 0 {
			break // for want of time for as much again
		}
	}
	if d.best == nil {
		return nil, d.reason
	}
	d.best.Draws = d.draws
	return d.best, nil
}

// mostDraws bounds the draws of a replan with much time.
const mostDraws = 1000

// drawing is what a replan has drawn so far.
type drawing struct {
	session *Session
	at      situation
	rest    situation     // of the robots that go on
	who     []int         // they are
	stops   map[int]*Plan // of the others
	draws   int
	best    *Plan
	reason  error // why there is none
}

// draw draws and repairs samples: from the plan before in even rounds, if that is near
// enough, and from noise in odd ones. The best plan is kept.
func (d *drawing) draw(ctx context.Context, round int) error {
	o := d.session.options
	o.Seed += d.session.replans*seedStride + uint64(round/2)*roundStride
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
	if err == nil && p != nil && len(d.stops) > 0 {
		p, err = d.at.joined(p, d.who, d.stops)
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
