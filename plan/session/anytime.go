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
	if err := at.team.CheckRun(s.options); err != nil {
		return nil, err
	}
	if within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, within)
		defer cancel()
	}
	d := &drawing{session: s, at: at}
	for round := range mostDraws {
		began := time.Now()
		if err := d.draw(ctx, round); err != nil {
			d.reason = err
			break
		}
		end, limited := ctx.Deadline()
		if d.best != nil && (within == 0 || limited && time.Until(end) < time.Since(began)) || within == 0 && round > 0 {
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
	if warm && !d.at.warms() {
		return nil
	}
	if warm {
		o.From = d.at.towards()
	}
	r, err := plan.Run(ctx, d.at.team, o)
	if err != nil {
		return err
	}
	d.draws++
	p, err := d.at.certified(r.Nearest(), Planned)
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
		better, err = o.Prefer.Better(d.at.ending(p.Trajectories), p.Plan, d.best.Plan)
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
