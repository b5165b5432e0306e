//go:build unix

package session

import (
	"context"
	"testing"

	"github.com/go-pcd/pcd/internal/thorough"
)

// besideAWall is a vehicle whose goal leaves it little room, and inTheOpen is another one.
const besideAWall = `
units: m
bounds: {min: [0, 0], max: [10, 10]}
duration: 40
robots:
- {name: ada, start: [4.85, 7.54], goal: [6.91, 9.46], goal_heading: 0.02, radius: 0.2, speed: 1, turning_radius: 0.4}
`

const inTheOpen = `- {name: bo, start: [2, 2], goal: [6, 4], goal_heading: -2.4, radius: 0.3, speed: 1, turning_radius: 0.7}
`

// Vehicles that were told to stop, on their ways or where they creep to their goals, drive on as soon as they may: on straight
// parts along what is left of their ways, without samples. Nothing of it is ever uncertified, and they arrive as they are to look.
func TestVehiclesDriveOnAfterAStop(t *testing.T) {
	text, all := besideAWall, []string{"ada"}
	if thorough.Asked() {
		text, all = text+inTheOpen, append(all, "bo")
	}
	begin := planned(t, sceneTeam(t, text))
	arrival := 0.0
	for i := range begin.team.Robots {
		arrival = max(arrival, wayOf(begin.Plan(), i).arrival())
	}
	along := 0
	for when := 0.3; when < arrival; when += arrival / float64(thorough.Cases(2, 12)) {
		s := again(begin)
		replan := func(ctx context.Context, u Update) *Plan {
			p, err := s.Replan(ctx, u)
			if err != nil || !p.Certificate.Certified {
				t.Fatalf("stopped after %.3g s: %s, certified %v: %v, %v", when, p.Kind, p.Certificate.Certified, p.Reason, err)
			}
			return p
		}
		replan(noTime(), Update{Seconds: when, Stop: all})
		p := replan(t.Context(), Update{Seconds: 7.3, Stop: []string{}})
		if len(p.Halted) > 0 || p.Kind != Planned && p.Kind != Continued {
			t.Fatalf("stopped after %.3g s: %s, halted %v: %v", when, p.Kind, p.Halted, p.Reason)
		}
		if p.Kind == Continued {
			along++
		}
		for range 100 {
			replan(noTime(), Update{Seconds: 0.37})
		}
		for i, r := range s.team.Robots {
			p := s.Plan()
			if far := p.At(i, 0).Position.Dist(s.Goals()[i]); far > 1e-3 {
				t.Errorf("stopped after %.3g s %s ends %v from its goal", when, r.Name, far)
			}
			if is := p.looks(i, p.From); is == nil || angle(*is, *r.GoalHeading) > 0.02 {
				t.Errorf("stopped after %.3g s %s looks along %v at its goal, want %v", when, r.Name, says(is), *r.GoalHeading)
			}
		}
	}
	if along == 0 {
		t.Error("nobody ever drives on along the way before")
	}
}
