//go:build unix

package session

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/internal/judge"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/plan"
)

// turningHall is a room with two differential drives, of which one has headings at both ends, and one that turns as it likes.
const turningHall = `
bounds: {min: [0, 0], max: [20, 12]}
duration: 30
robots:
- {name: ada, start: [2, 2], goal: [17, 3], radius: 0.3, speed: 1.5, acceleration: 1, turn_rate: 0.8, start_heading: 3, goal_heading: 1.5}
- {name: bo, start: [2, 6], goal: [17, 7], radius: 0.3, speed: 1.5, acceleration: 1, turn_rate: 1}
- {name: cy, start: [17, 10], goal: [2, 10], radius: 0.3, speed: 1.5, acceleration: 1}
`

// angle returns the angle between two directions.
func angle(a, b float64) float64 { return math.Abs(math.Remainder(a-b, 2*math.Pi)) }

// says returns a heading, NaN for none.
func says(h *float64) float64 {
	if h == nil {
		return math.NaN()
	}
	return *h
}

// Headings go on from plan to plan: a robot that has stood on its way, or while it turned, leaves as it looks by
// then, and whoever drives turns within its limits in all plans and where one takes over.
func TestHeadingsGoOn(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	d := record(t, sceneTeam(t, turningHall))
	if p := d.after(0, Update{}); p.Kind != Planned || len(p.Halted) > 0 {
		t.Fatalf("%s: %v, %v", p.Kind, p.Reason, p.Halted)
	}
	wanted := d.Goals()
	last := map[int]float64{}
	drives := []string{"ada", "bo"}
	for k, u := range []Update{
		{Seconds: 1.3, Stop: drives}, // ada turns at her start
		{Seconds: 2, Stop: []string{}},
		{Seconds: 6.1, Stop: drives}, // both are on their ways
		{Seconds: 1.7, Stop: []string{"ada", "bo", "cy"}},
		{Seconds: 5, Stop: []string{}}, // all stand
	} {
		before := d.Plan()
		p := d.after(u.Seconds, u)
		if p.Kind == Unsafe || k == 4 && len(p.Halted) > 0 {
			t.Errorf("update %d: %s, halted %v: %v", k, p.Kind, p.Halted, p.Reason)
		}
		for i := range d.team.Robots {
			was, is := before.looks(i, before.From+u.Seconds), p.looks(i, p.From)
			if (was == nil) != (is == nil) || was != nil && angle(*was, *is) > 0.02 {
				t.Errorf("update %d: robot %d turns from %v to %v at once", k, i, says(was), says(is))
			}
			if is != nil {
				last[i] = *is
			}
		}
	}
	if len(last) < 2 {
		t.Errorf("headings of %d robots at rest were looked at", len(last))
	}
	d.after(60, Update{})
	for i, r := range d.team.Robots {
		at := d.Plan().At(i, 0)
		if at.Position.Dist(wanted[i]) > 1e-3 {
			t.Errorf("%s ends at %v, want %v", r.Name, at.Position, wanted[i])
		}
		if is := d.Plan().looks(i, d.Plan().From); r.GoalHeading != nil && (is == nil || angle(*is, *r.GoalHeading) > 0.02) {
			t.Errorf("%s looks along %v at its goal, want %v", r.Name, says(is), *r.GoalHeading)
		}
	}
	for _, p := range d.pieces {
		w := d.world(p, 0)
		for i := range w.Robots {
			w.Robots[i].TurnRate = d.team.Robots[i].TurnRate * (1 + 1e-3)
		}
		v, err := w.Judge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range v.Faults {
			if f.Kind == judge.Turning || f.Kind == judge.Separation {
				t.Errorf("from %.4g to %.4g s: %+v", p.from, p.to, f)
			}
		}
	}
}

// A robot that turns stands where it starts without turning, whatever digits the place has beyond those that are stored.
func TestTurningRobotsStandAnywhere(t *testing.T) {
	for _, limit := range []string{"turn_rate: 1", "turning_radius: 0.5", "turn_rate: 1, turning_radius: 0.5, start_heading: 2, goal_heading: 1"} {
		for k := range thorough.Cases(6, 40) {
			start := fmt.Sprintf("[%v, %v]", 1+math.Mod(math.Phi*float64(k), 8), 1+math.Mod(math.Pi*float64(k), 6))
			scene := "bounds: {min: [0, 0], max: [13.024794792611939, 8.792949174685631]}\nduration: 60\n" +
				"robots: [{name: ada, start: " + start + ", goal: [10, 5], radius: 0.3, speed: 0.5, " + limit + "}]"
			s, err := New(sceneTeam(t, scene), plan.Options{})
			if err != nil {
				t.Errorf("%s from %s: %v", limit, start, err)
				continue
			}
			p, err := s.Replan(t.Context(), Update{Steps: 3, Stop: []string{"ada"}})
			if err != nil || p.Kind == Unsafe {
				t.Errorf("%s from %s stays: %s: %v, %v", limit, start, p.Kind, p.Reason, err)
			}
		}
	}
}

// A robot that turns brakes straight ahead from any motion, with all others or for itself, and that is certified: in an empty
// room nothing keeps it from it.
func TestTurningRobotsStop(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, limit := range []string{"turn_rate: 1", "turning_radius: 0.5", "turn_rate: 0.5, turning_radius: 0.3"} {
		for range thorough.Cases(8, 60) {
			speed, heading := 2*r.Float64(), 2*math.Pi*r.Float64()
			scene := fmt.Sprintf("bounds: {min: [0, 0], max: [40, 40]}\nduration: %v\n"+
				"robots: [{name: ada, start: [%v, %v], start_velocity: [%v, %v], goal: [20, 20], radius: 0.2, speed: 2.01, acceleration: %v, %s}]",
				[]int{30, 40, 60, 100}[r.IntN(4)], 12+8*r.Float64(), 12+8*r.Float64(), speed*math.Cos(heading), speed*math.Sin(heading), []float64{0.3, 1, 2, 5}[r.IntN(4)], limit)
			team := sceneTeam(t, scene)
			s, err := New(team, plan.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if p := s.Plan(); p.Kind != Stopped || !p.Certificate.Certified {
				t.Errorf("%s: %s, %v", scene, p.Kind, p.Reason)
			}
			at := situation{team: s.Plan().Team, who: []int{0}}
			at.team.Robots = team.Robots
			if p, _, err := at.stopOf(0); err != nil || p == nil {
				t.Errorf("%s: no stop for itself: %v", scene, err)
			}
			if b := at.onNewClock(); b != nil {
				b.own, b.first, b.next = map[int]stop{}, map[int]stop{}, map[int]int{}
				if !b.brake(0) {
					t.Errorf("%s: it does not brake for others", scene)
				}
			}
		}
	}
}
