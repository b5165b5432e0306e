package plan

import (
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// A plan says at its ends the velocities that robots are given there, and otherwise how its
// positions change.
func TestPlansStateGivenVelocities(t *testing.T) {
	team, _ := walled(t, 2.5, 0.05, nil, [2]geom.Vec2{at(-0.5, 0), at(0.5, 0.1)}, [2]geom.Vec2{at(0, -0.6), at(0, 0.6)})
	team.Motion = Polyline
	for i := range team.Robots {
		team.Robots[i].Acceleration = 2
	}
	team.Robots[0].StartVelocity, team.Robots[0].GoalVelocity = at(0.25, 0.125), at(0, -0.5)
	d := delivered(t, team, Options{Seed: 3, Samples: 2})
	if !d.Certificate.Certified {
		t.Fatalf("not certified: %+v", d.Certificate.Worst())
	}
	for i, want := range [][4]float32{{0.25, 0.125, 0, -0.5}, {}} {
		s := d.Trajectories[i].Data
		end := s[len(s)-channels:]
		if got := [4]float32{s[2], s[3], end[2], end[3]}; got != want {
			t.Errorf("%s starts and ends at the velocities %v, want %v", team.Robots[i].Name, got, want)
		}
		if got, want := s[5*channels+2], (s[6*channels]-s[4*channels])/float32(2*team.Step); got < want-1e-4 || got > want+1e-4 {
			t.Errorf("%s goes at %v at waypoint 5, want %v", team.Robots[i].Name, got, want)
		}
	}
}
