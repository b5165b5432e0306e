package plan

import (
	"slices"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thorough"
)

// moved returns by how much a robot leaves its start.
func moved(d *Plan, i int) (most float64) {
	p := geom.Points(nil, d.Trajectories[i].Sample(0), channels)
	for _, q := range p {
		most = max(most, q.Dist(p[0]))
	}
	return most
}

// A robot whose goal is its start stays there while another goes round it, in a scene with
// units of its own, too.
func TestRobotsWithNowhereToGoStay(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of TestDeliveryDoesNotDependOnWorkers")
	}
	for name, frame := range map[string]nav2d.Frame{"map": {}, "metres": {Center: at(3.7, -1.3), Scale: 6.3}} {
		team, _ := walled(t, 1.2, 0.05, nil,
			[2]geom.Vec2{at(0.31, -0.3), at(0.31, -0.3)}, [2]geom.Vec2{at(-0.7, -0.3), at(0.7, -0.3)}, [2]geom.Vec2{at(-0.7, 0.6), at(-0.7, 0.6)})
		team.Frame = frame
		for seed := range uint64(3) {
			o := Options{Method: PCDSHD, Settings: settings(t, "default"), Gamma: new(0.1), Seed: seed, Samples: 2}
			r, err := Run(t.Context(), team, o)
			if err != nil {
				t.Fatal(err)
			}
			d := r.Nearest()
			if !d.Certificate.Certified || moved(d, 0) != 0 || moved(d, 2) != 0 || moved(d, 1) < 1 {
				t.Errorf("%s, seed %d: certified %v, robots move by %v, %v and %v", name, seed, d.Certificate.Certified, moved(d, 0), moved(d, 1), moved(d, 2))
			}
			for k := range 2 {
				s := r.Samples[2].Sample(k)
				if !slices.Equal(s, slices.Repeat(s[:channels], 64)) || s[2] != 0 || s[3] != 0 {
					t.Errorf("%s: sample %d is not at rest", name, k)
				}
			}
		}
	}
}

// One that stands in the only way of another makes room, and comes back.
func TestRobotsWithNowhereToGoMakeRoom(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of TestDeliveryDoesNotDependOnWorkers")
	}
	boxes := []geom.Box{
		{Min: at(-1, -1), Max: at(1, -0.08)},
		{Min: at(-1, 0.08), Max: at(-0.1, 1)}, {Min: at(0.1, 0.08), Max: at(1, 1)}, {Min: at(-0.1, 0.3), Max: at(0.1, 1)},
	}
	team, _ := walled(t, 1.4, 0.05, boxes, [2]geom.Vec2{at(0, 0), at(0, 0)}, [2]geom.Vec2{at(-0.7, 0), at(0.7, 0)})
	d := delivered(t, team, Options{Seed: 1, Samples: 2})
	if !d.Certificate.Certified || moved(d, 0) < 0.03 {
		t.Errorf("certified %v, it moves by %v", d.Certificate.Certified, moved(d, 0))
	}
	checkAtInstants(t, team, d)
}

// The same with samples that are kept apart while they are drawn, and with those of a
// search.
func TestRobotsMakeRoomWhateverTheMethod(t *testing.T) {
	thorough.Test(t)
	apart := settings(t, "default")
	apart.SeparationSteps = 2
	for name, o := range map[string]Options{
		"kept apart": {Method: PCDSHD, Samples: 2, Gamma: new(0.1), Settings: apart},
		"searched":   {Method: PP, Samples: 16, Settings: settings(t, "default")},
	} {
		team, _ := walled(t, 1.4, 0.05, nil, [2]geom.Vec2{at(0, 0), at(0, 0)}, [2]geom.Vec2{at(-0.7, 0.02), at(0.7, 0.02)}, [2]geom.Vec2{at(0.6, -0.6), at(0.6, -0.6)})
		r, err := Run(t.Context(), team, o)
		if err != nil {
			t.Fatal(err)
		}
		d := r.Nearest()
		if !d.Certificate.Certified {
			t.Errorf("%s: %+v", name, d.Certificate.Worst())
		}
		checkAtInstants(t, team, d)
	}
}
