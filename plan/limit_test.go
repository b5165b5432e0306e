package plan

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/turns"
)

// runUntil runs a team whose limit of time ends when it tries something for the nth time, and returns what it tried.
func runUntil(t *testing.T, team Team, what string, nth int) (*Result, []string) {
	t.Helper()
	trying, end := context.WithCancel(t.Context())
	defer end()
	var tried []string
	o := Options{Samples: 2, Workers: 1, TimeLimit: time.Hour, Trying: func(now string) {
		if tried = append(tried, now); now == what {
			if nth--; nth == 0 {
				end()
			}
		}
	}}
	team, o, err := Complete(team, o)
	if err != nil {
		t.Fatal(err)
	}
	team.lines = turns.NewLines()
	r, err := team.run(context.WithValue(trying, wholeKey{}, t.Context()), o)
	if err != nil {
		t.Fatalf("after %q: %v", tried, err)
	}
	return r, tried
}

// A plan that is certified when the time is up is delivered, with its proof: what would have become of it is left out.
func TestTimeLimitKeepsAPlan(t *testing.T) {
	team, _ := walled(t, 1, 0.05, nil, [2]geom.Vec2{at(-0.7, 0), at(0.7, 0)}, [2]geom.Vec2{at(0.7, 0.02), at(-0.7, 0.02)})
	team.Motion = Curve
	for what, shortest := range map[string]bool{"less time": true, "shorter ways": false, "the proof": false} {
		team := team
		team.Shortest = shortest
		r, tried := runUntil(t, team, what, 1)
		if !slices.Contains(tried, what) || r.Plan == nil {
			t.Fatalf("%q was not reached, or the plan is lost: tried %q, %+v", what, tried, r)
		}
		if c := r.Plan.Certificate; !c.Certified || c.Proof.Bodies == nil {
			t.Errorf("ended at %q: certified %v, with %d directions", what, c.Certified, len(c.Proof.Bodies))
		}
	}
}

// Without a plan there is a refusal that names the limit, with what came nearest to one.
func TestTimeLimitRefuses(t *testing.T) {
	team, _ := walled(t, 1, 0.05, nil, [2]geom.Vec2{at(-0.7, 0), at(0.7, 0)}, [2]geom.Vec2{at(0.7, 0), at(-0.7, 0)})
	team.Motion = Curve
	for _, shortest := range []bool{false, true} {
		team.Shortest = shortest
		r, _ := runUntil(t, team, "a repair", 1)
		if r.Plan != nil || r.Refusal == nil || r.Refusal.TimeLimit != time.Hour || r.Refusal.Nearest == nil {
			t.Errorf("shortest %v: %+v, want a refusal", shortest, r)
		}
	}
	team.Shortest = false
	r, err := Run(t.Context(), team, Options{TimeLimit: 1})
	if err != nil || r.Refusal == nil || r.Refusal.Error() != "plan: no sample was drawn in the time limit of 1ns" {
		t.Errorf("%v, %+v", err, r)
	}
}

// Whoever ends a run gets its error, with a limit or without.
func TestCancelledWithTimeLimit(t *testing.T) {
	team, _ := walled(t, 1, 0.05, nil, [2]geom.Vec2{at(-0.7, 0), at(0.7, 0)}, [2]geom.Vec2{at(0.7, 0), at(-0.7, 0)})
	for _, limit := range []time.Duration{0, time.Hour} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Run(ctx, team, Options{TimeLimit: limit, Trying: func(string) { cancel() }})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("limit %v: %v", limit, err)
		}
	}
}
