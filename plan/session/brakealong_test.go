//go:build unix

package session

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thorough"
)

// ringRoad is a vehicle in half a ring that is 0.2 m wider than it is: straight ahead there is a wall, nearer than it can brake.
func ringRoad() string {
	var walls []string
	for k := range 40 {
		a := 2 * math.Pi * float64(k) / 40
		walls = append(walls, fmt.Sprintf("{center: [%.6f, %.6f], size: [0.2, 0.6], angle: %.6f}", 5+2.5*math.Cos(a), 5+2.5*math.Sin(a), a*180/math.Pi))
	}
	return "units: m\nbounds: {min: [0, 0], max: [10, 10]}\nboxes: [" + strings.Join(walls, ", ") + "]\ncircles: [{center: [5, 5], radius: 1.6}]\nduration: 11\n" +
		"robots:\n- {name: ada, start: [7, 5], goal: [3, 5], start_heading: 1.5707963, radius: 0.28, speed: 0.9, acceleration: 0.5, turning_radius: 1.2}\n"
}

// A vehicle that is in a bend, where the plan has it or late, brakes along the bend when something stands in its way: of such
// updates half were called unsafe, and where the bend takes all of the acceleration that it may have a few still are. Looked at every few
// milliseconds it keeps clear, and accelerates no more than it may.
func TestVehiclesBrakeAlongBends(t *testing.T) {
	const limit, radius = 0.5, 0.28
	begin := planned(t, sceneTeam(t, ringRoad()))
	arrival := wayOf(begin.Plan(), 0).arrival()
	all, along, unsafe := 0, 0, 0
	for k := range thorough.Cases(10, 38) {
		when := arrival * (0.03 + 0.9*float64(k)/float64(thorough.Cases(10, 38)))
		for _, late := range []float64{0, 0.3} {
			s := again(begin)
			p := s.Plan()
			was, ahead := p.At(0, max(0, when-late)), p.At(0, when-late+3.6)
			if ahead.Velocity.Norm() < 0.2 {
				continue
			}
			q, err := s.Replan(noTime(), Update{Seconds: when, States: []State{was}, Obstacles: []geom.Convex{{Core: geom.Polygon{ahead.Position}, Radius: 0.05}}})
			if err != nil {
				t.Fatal(err)
			}
			if all++; !q.Certificate.Certified {
				unsafe++
				continue
			}
			const tick = 0.005
			before := q.At(0, 0)
			if before.Position.Dist(was.Position) > 1e-6 || before.Velocity.Dist(was.Velocity) > 1e-6 {
				t.Fatalf("late by %v s after %.3g s: begins at %v, want %v", late, when, before, was)
			}
			for at := tick; at < 12; at += tick {
				is := q.At(0, at)
				gap, _ := q.Team.Map.Clearance(q.Team.TaskFrame().ToMap(is.Position))
				if gap*q.Team.LengthUnit() < radius-1e-6 || is.Velocity.Dist(before.Velocity)/tick > limit*(1+1e-3) {
					t.Fatalf("late by %v s after %.3g s, at %.4g s: %v from a wall, acceleration %v", late, when, at, gap*q.Team.LengthUnit(), is.Velocity.Dist(before.Velocity)/tick)
				}
				before = is
			}
			if before.Velocity != (geom.Vec2{}) {
				t.Errorf("late by %v s after %.3g s: it never rests", late, when)
			}
			if end := before.Position.Sub(was.Position); math.Abs(end.Cross(was.Velocity)) > 0.15*was.Velocity.Norm() {
				along++ // off the line ahead
			}
		}
	}
	if along == 0 || all < 10 || unsafe > all/20 {
		t.Errorf("%d of %d along a bend, %d unsafe", along, all, unsafe)
	}
}
