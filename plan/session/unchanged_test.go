package session

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
)

// An update that brings nothing new is a check of the plan in force: no samples are drawn for it. They
// are for what is new, and with time to spend.
func TestUpdatesWithoutNews(t *testing.T) {
	drawn := 0
	o := sessionOptions()
	o.Progress = func(int, int) { drawn++ }
	team := drawnTeam(t, nav2d.Empty(), 3, 6)
	s, err := New(team, o)
	if err != nil {
		t.Fatal(err)
	}
	for k, of := range []struct {
		update Update
		draws  bool
	}{
		{Update{}, true},
		{Update{Steps: 2}, false},
		{Update{Seconds: 0.03}, false},
		{Update{Steps: 1, Goals: s.Goals()}, false},
		{Update{Steps: 1, Obstacles: []geom.Convex{}}, true},
		{Update{Steps: 1, Within: time.Nanosecond}, true},
		{Update{Steps: 1}, false},
	} {
		drawn = 0
		p, err := s.Replan(t.Context(), of.update)
		if err != nil {
			t.Fatal(err)
		}
		if (drawn > 0) != of.draws && of.update.Within == 0 {
			t.Errorf("update %d: %d steps were drawn", k, drawn)
		}
		if !p.Certificate.Certified || p.Reason != nil || !of.draws && p.Kind != Continued {
			t.Errorf("update %d: %s, certified %v: %v", k, p.Kind, p.Certificate.Certified, p.Reason)
		}
	}
}

// What was not found is searched for again after one update, then after two, and at once when
// something is new.
func TestPauses(t *testing.T) {
	s, err := New(drawnTeam(t, nav2d.Empty(), 2, 3), sessionOptions())
	if err != nil {
		t.Fatal(err)
	}
	hurried, done := context.WithTimeout(t.Context(), time.Hour)
	defer done()
	over, cancel := context.WithCancel(hurried)
	cancel()
	kinds := func(ctx context.Context, n int, u Update) (all []Kind) {
		for range n {
			p, err := s.Replan(ctx, u)
			if err != nil {
				t.Fatal(err)
			}
			if p.Kind == Stopped && p.Reason == nil {
				t.Error("it does not say why it stops")
			}
			all = append(all, p.Kind)
		}
		return all
	}
	kinds(over, 3, Update{}) // sought, paused, sought
	if got, want := kinds(hurried, 3, Update{}), []Kind{Stopped, Stopped, Planned}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := kinds(hurried, 2, Update{Steps: 1}), []Kind{Continued, Continued}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	away := goalsOf(drawnTeam(t, nav2d.Empty(), 2, 4))
	kinds(over, 1, Update{Goals: away})
	if got := kinds(t.Context(), 1, Update{}); got[0] != Planned {
		t.Errorf("%v, want a plan for who has time", got)
	}
	kinds(over, 1, Update{Goals: goalsOf(drawnTeam(t, nav2d.Empty(), 2, 3))})
	kinds(over, 1, Update{})
	if got := kinds(hurried, 1, Update{Goals: goalsOf(drawnTeam(t, nav2d.Empty(), 2, 5))}); got[0] != Planned {
		t.Errorf("%v, want a plan for goals that are new", got)
	}
}

// A goal where a robot rests that cannot have its own cannot be had either: who wants it stops for itself, and
// the third drives on.
func TestGoalsWhereOthersRest(t *testing.T) {
	team := drawnTeam(t, nav2d.Empty(), 3, 6)
	d := newDrive(t, team)
	d.replan(t.Context(), Update{})
	d.replan(t.Context(), Update{Steps: 63}) // all are at their goals
	goals := goalsOf(team)
	goals[0], goals[1] = team.Robots[0].Start, goals[2]
	p := d.replan(t.Context(), Update{Goals: goals})
	if p.Kind != Planned || len(p.Halted) != 2 || p.Halted[0].Robot != team.Robots[1].Name || p.Halted[1].Robot != team.Robots[2].Name {
		t.Fatalf("%s, halted %v", p.Kind, p.Halted)
	}
	d.replan(t.Context(), Update{Steps: 63})
	d.check()
	if at := p.At(0, 1e3).Position; at.Dist(goals[0]) > 1e-3 {
		t.Errorf("robot 0 ends at %v, want %v", at, goals[0])
	}
}
