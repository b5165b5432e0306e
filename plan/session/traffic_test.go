package session

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
)

// A session goes on with a timetable, beyond the time of its first plan.
func TestSessionAmongTrafficOnATimetable(t *testing.T) {
	team := drawnTeam(t, nav2d.Empty(), 2, 9)
	tram := plan.Mover{Name: "tram", Radius: 0.04}
	for k := range 60 { // to and fro, with turns at any time
		tram.Times = append(tram.Times, 0.13+0.211*float64(k))
		tram.Path = append(tram.Path, geom.Vec2{X: -0.9 + 1.8*float64(k%2), Y: -0.93})
	}
	team.Traffic = []plan.Mover{tram}
	d := newDrive(t, team)
	for range 6 {
		if p := d.replan(t.Context(), Update{Steps: 17}); p.Kind == Stopped && p.Reason != nil {
			t.Logf("stopped: %v", p.Reason)
		}
	}
	d.check()
	if now := d.team.Traffic[0]; len(now.Path) != 60 || math.Abs(now.Times[0]-(0.13-6*17*team.Step)) > 1e-9 {
		t.Errorf("the timetable begins at %v", now.Times[0])
	}
}

// Robots without names have those that plans have, and traffic cannot take them.
func TestNamesOfASession(t *testing.T) {
	team := drawnTeam(t, nav2d.Empty(), 2, 3)
	for i := range team.Robots {
		team.Robots[i].Name = ""
	}
	s, err := New(team, sessionOptions())
	if err != nil || s.Plan().Team.Robots[1].Name != "robot 1" {
		t.Fatalf("%v, %v", s, err)
	}
	var update *UpdateError
	path := slices.Repeat([]geom.Vec2{{X: 0.99, Y: 0.99}}, 64)
	if _, err := s.Replan(t.Context(), Update{Traffic: []plan.Mover{{Name: "robot 1", Radius: 0.01, Path: path}}}); !errors.As(err, &update) {
		t.Errorf("traffic with the name of a robot: %v", err)
	}
}

// comesTo is a room in which traffic comes to where a robot starts: it cannot stay, and gets away in time.
const comesTo = `
bounds: {min: [0, 0], max: [10, 10]}
duration: 30
traffic: [{name: tram, radius: 0.5, path: [[0, 1, 0.6], [10, 1, 0.6], [20, 1, 5]]}]
robots: [{name: ada, start: [1, 5], goal: [8, 5], radius: 0.3, speed: 1}]
`

// A session begins for a team that cannot stay where it starts, and has a certified plan if there is one.
func TestSessionWhereNobodyCanStay(t *testing.T) {
	s, err := New(sceneTeam(t, comesTo), plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p := s.Plan(); p.Kind != Unsafe || p.Certificate.Certified || p.Reason == nil {
		t.Errorf("to stay where traffic comes to is %s: %v", p.Kind, p.Reason)
	}
	if p, err := s.Replan(t.Context(), Update{}); err != nil || p.Kind != Planned || !p.Certificate.Certified {
		t.Errorf("%s: %v, %v", p.Kind, p.Reason, err)
	}
}
