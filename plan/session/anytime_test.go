package session

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/plan"
)

// Every draw keeps the better plan: what is preferred never gets worse, and no two rounds
// draw the same samples.
func TestDrawsKeepTheBestPlan(t *testing.T) {
	thorough.Test(t)
	team := drawnTeam(t, nav2d.Highways(), 4, 41)
	o := sessionOptions()
	o.Prefer = plan.PreferLength
	s, err := New(team, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Replan(t.Context(), Update{}); err != nil {
		t.Fatal(err)
	}
	at := s.advance(Update{Steps: 2})
	d := &drawing{session: s, at: at, rest: at, who: []int{0, 1, 2, 3}}
	var lengths []float64
	for round := range 6 {
		one := &drawing{session: s, at: d.at, rest: d.rest, who: d.who}
		if err := errors.Join(d.draw(t.Context(), round), one.draw(t.Context(), round)); err != nil {
			t.Fatal(err)
		}
		if one.best == nil {
			continue
		}
		if one.best.Warm != (round%2 == 0) {
			t.Errorf("round %d: warm %v", round, one.best.Warm)
		}
		if slices.Contains(lengths, one.best.Length) {
			t.Errorf("round %d draws what another one drew", round)
		}
		lengths = append(lengths, one.best.Length)
		if d.best.Length != slices.Min(lengths) {
			t.Errorf("round %d: the best plan is %v long, of %v", round, d.best.Length, lengths)
		}
	}
	if len(lengths) < 4 || d.draws != 6 {
		t.Errorf("%d plans of %d draws", len(lengths), d.draws)
	}
}

// A time that is over at once leaves what needs no samples.
func TestSessionWithoutTime(t *testing.T) {
	d := newDrive(t, drawnTeam(t, nav2d.Empty(), 4, 8))
	if p := d.replan(t.Context(), Update{Within: time.Nanosecond}); p.Kind != Stopped || !errors.Is(p.Reason, context.DeadlineExceeded) || p.Draws != 0 {
		t.Errorf("%s after %d draws because of %v, want a stop because time is over", p.Kind, p.Draws, p.Reason)
	}
	if p := d.replan(t.Context(), Update{}); p.Kind != Planned || p.Draws != 1 {
		t.Errorf("%s after %d draws", p.Kind, p.Draws)
	}
}
