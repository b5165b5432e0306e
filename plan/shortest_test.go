package plan

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/plan/internal/profile"
	"github.com/go-pcd/pcd/plan/internal/turns"
)

// One robot on a straight line from rest to rest is as fast as physics allow, to one percent.
func TestShortestTimeOfOneRobot(t *testing.T) {
	for _, c := range []struct{ speed, acceleration float64 }{{math.Inf(1), 2}, {0.8, 2}, {0.8, 0.7}} {
		team, _ := walled(t, 1, 0.05, nil, [2]geom.Vec2{at(-0.7, -0.5), at(0.8, 0.3)})
		half := larger(team.Robots[0].Model.HalfRange())
		unit := min(team.Robots[0].Model.HalfRange()[0], team.Robots[0].Model.HalfRange()[1])
		team.Shortest, team.Robots[0].Limit, team.Robots[0].Acceleration = true, c.speed/unit, c.acceleration/half
		r, err := Run(t.Context(), team, Options{Samples: 1})
		if err != nil || r.Plan == nil {
			t.Fatalf("%v, %+v", err, r)
		}
		way, a := at(-0.7, -0.5).Dist(at(0.8, 0.3)), c.acceleration
		best := 2 * math.Sqrt(way/a) // full acceleration, then full braking
		if v := c.speed; way > v*v/a {
			best = way/v + v/a
		}
		if got := r.Plan.Curves[0].Duration(); got < best*(1-1e-9) || got > 1.01*best {
			t.Errorf("limits %v: %v s, the optimum is %v", c, got, best)
		}
	}
}

// Teams in the shortest time are certified, arrive and stay; whoever has nothing to do does
// not move.
func TestShortestTimeOfATeam(t *testing.T) {
	team, _ := walled(t, 1, 0.05, nil, [2]geom.Vec2{at(-0.7, 0), at(0.7, 0)}, [2]geom.Vec2{at(0.7, 0.02), at(-0.7, 0.02)}, [2]geom.Vec2{at(0, -0.6), at(0.2, -0.6)}, [2]geom.Vec2{at(-0.6, 0.7), at(-0.6, 0.7)})
	given := delivered(t, team, Options{Samples: 2})
	team.Shortest = true
	r, err := Run(t.Context(), team, Options{Samples: 2})
	if err != nil || r.Plan == nil {
		t.Fatalf("%v, %+v", err, r)
	}
	p := r.Plan
	if f := p.Times[1] / given.Times[1]; f > 0.75 {
		t.Errorf("%v of the time that is given", f)
	}
	team.Step = p.Times[1]
	checkAtInstants(t, team, p)
	if h := profile.Arrival(p.Curves[2], 0.05); h > 20 {
		t.Errorf("one with a short way arrives at waypoint %v", h)
	}
	if moved(p, 3) != 0 {
		t.Errorf("one with nothing to do moves by %v", moved(p, 3))
	}
	early := delivered(t, func() Team { team.Shortest, team.Step = false, given.Times[1]; return team }(), Options{Samples: 2, Prefer: PreferTime})
	if all := 3 * float64(team.waypoints()); early.Times[1] != given.Times[1] || team.Arrival(early) > team.Arrival(given) || team.Arrival(given) > 0.4*all {
		t.Errorf("who prefers time arrives at %v, otherwise at %v of %v", team.Arrival(early), team.Arrival(given), all)
	}
}

// Who prefers time arrives as early as in the shortest time that is found, nearly, in as much time as
// is given.
func TestWhoPrefersTime(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of TestDeliveryDoesNotDependOnWorkers")
	}
	const scene = "bounds: {min: [-5, -5], max: [5, 5]}\nboxes: [{center: [0, 0], size: [1, 3]}]\nrobots:\n" +
		"- {start: [-4, 0], goal: [4, 0], radius: 0.3, speed: 1.5, acceleration: 1}\n- {start: [4, 1], goal: [-4, 1], radius: 0.3, speed: 1.5, acceleration: 1}\n" +
		"- {start: [-3, -4], goal: [-2, -4], radius: 0.3, speed: 1.5, acceleration: 1}\n"
	fast, err := Run(t.Context(), teamOf(t, strings.NewReader(scene)), Options{})
	if err != nil || fast.Plan == nil {
		t.Fatalf("no plan: %v", err)
	}
	team := teamOf(t, strings.NewReader("duration: 20\n"+scene))
	early := delivered(t, team, Options{Prefer: PreferTime})
	for i := range team.Robots {
		least := fast.Plan.Times[1] * profile.Arrival(fast.Plan.Curves[i], 0.3)
		if got := early.Times[1] * profile.Arrival(early.Curves[i], 0.3); got > 1.2*least+2*early.Times[1] {
			t.Errorf("robot %d arrives after %.3g s, and after %.3g s in the shortest time", i, got, least)
		}
	}
}

func TestNoShortestTime(t *testing.T) {
	team, _ := walled(t, math.Inf(1), 0.05, nil, [2]geom.Vec2{at(-0.7, 0), at(0.7, 0)})
	team.Shortest = true
	var refused *TeamError
	if err := team.CheckRun(Options{}); !errors.As(err, &refused) {
		t.Errorf("without limits: %v, want a TeamError", err)
	}
	team.Motion = Polyline
	if err := team.CheckRun(Options{}); !errors.As(err, &refused) {
		t.Errorf("along polylines: %v, want a TeamError", err)
	}
	team, _ = walled(t, 1, 0.05, nil, [2]geom.Vec2{at(-0.7, 0), at(-0.7, 0)})
	team.Shortest = true
	if err := team.CheckRun(Options{}); !errors.As(err, &refused) || !strings.Contains(err.Error(), "nobody moves: give a duration") {
		t.Errorf("where nobody moves: %v", err)
	}
}

// Vehicles turn as their limits say, at many instants, and leave and arrive in their headings.
func TestPlansOfVehicles(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	team, _ := walled(t, 1, 0.05, nil, [2]geom.Vec2{at(-0.6, -0.6), at(0.6, 0.6)}, [2]geom.Vec2{at(0.6, -0.6), at(-0.6, 0.6)})
	half := larger(team.Robots[0].Model.HalfRange())
	for i := range team.Robots {
		team.Robots[i].Acceleration = 1 / half
	}
	car, cart := &team.Robots[0], &team.Robots[1]
	car.TurningRadius, car.TurnRate, car.StartHeading, car.GoalHeading = 0.2, 3, new(0.0), new(0.0)
	cart.TurnRate, cart.StartHeading = 2, new(math.Pi)
	p := delivered(t, team, Options{Samples: 2})
	if !p.Certificate.Certified {
		t.Fatalf("%+v", p.Certificate.Worst())
	}
	checkAtInstants(t, team, p)
	for i, r := range team.Robots {
		c := p.Curves[i]
		for k := range 100*c.Spans() + 1 {
			x, v, a := c.At(float64(k) / 100 * c.Step)
			turn := math.Abs(v.Cross(a))
			if turn > r.TurnRate*v.Dot(v)*(1+1e-9)+1e-12 {
				t.Fatalf("robot %d turns by %v a second", i, turn/v.Dot(v))
			}
			away := min(x.Dist(c.X[0]), x.Dist(c.X[len(c.X)-1])) > 1e-4*r.Radius
			if speed := v.Norm(); away && turn*r.TurningRadius > speed*speed*speed*(1+1e-9) {
				t.Fatalf("robot %d bends with a radius of %v", i, speed*speed*speed/turn)
			}
			if d := x.Dist(c.X[0]); r.TurningRadius > 0 && d > 0.01*r.Radius && d < 0.02*r.Radius && math.Abs(math.Sin(math.Atan2(v.Y, v.X)-*r.StartHeading)) > 0.02 {
				t.Errorf("robot %d leaves with velocity %v", i, v)
			}
		}
	}
}

// Differential drives that look away from their ways turn where they stand, at both ends.
func TestPlansThatTurnOnTheSpot(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	team, _ := walled(t, 1, 0.05, nil, [2]geom.Vec2{at(-0.6, -0.6), at(0.6, 0.6)}, [2]geom.Vec2{at(0.6, -0.6), at(-0.6, 0.6)})
	half := larger(team.Robots[0].Model.HalfRange())
	for i := range team.Robots {
		r := &team.Robots[i]
		r.Acceleration, r.TurnRate, r.StartHeading, r.GoalHeading = 1/half, 3, new(-math.Pi/2), new(math.Pi*float64(i))
	}
	p := delivered(t, team, Options{Samples: 2})
	if !p.Certificate.Certified {
		t.Fatalf("%+v", p.Certificate.Worst())
	}
	checkAtInstants(t, team, p)
	for i, r := range team.Robots {
		c, stood := p.Curves[i], [2]float64{}
		for c.X[int(stood[0])+1] == c.X[0] {
			stood[0]++
		}
		last := len(c.X) - 1
		for c.X[last-int(stood[1])-1] == c.X[last] {
			stood[1]++
		}
		for k, h := range []int{int(stood[0]) + 1, last - int(stood[1]) - 1} {
			heading := []float64{*r.StartHeading, *r.GoalHeading}[k]
			v := c.V[h]
			turn := math.Abs(math.Remainder(math.Atan2(v.Y, v.X)-heading, 2*math.Pi))
			if k == 0 && stood[0] == 0 || turn > stood[k]*c.Step*r.TurnRate+0.3 { // it has gone round a little by then
				t.Errorf("robot %d turns by %v in %v s", i, turn, stood[k]*c.Step)
			}
		}
	}
}

// Differential drives that have to turn at both ends take little longer than turning and a straight way take.
func TestShortestTimeOfThoseWhoTurn(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	team, _ := walled(t, 1, 0.05, nil, [2]geom.Vec2{at(-0.6, -0.6), at(0.6, -0.6)}, [2]geom.Vec2{at(0.6, 0.6), at(-0.6, 0.6)}, [2]geom.Vec2{at(0.8, -0.3), at(-0.8, 0.3)})
	half := larger(team.Robots[0].Model.HalfRange())
	for i := range team.Robots {
		r := &team.Robots[i]
		r.Acceleration, r.TurnRate, r.StartHeading, r.GoalHeading = 1/half, 2, new(-math.Pi/2), new(math.Pi/2)
	}
	team.Shortest = true
	p := delivered(t, team, Options{Samples: 2})
	if !p.Certificate.Certified {
		t.Fatalf("%+v", p.Certificate.Worst())
	}
	const spot, drive = 2 * (math.Pi/2 + turns.Reserve) / 2, 3.3 // seconds
	if took := p.Times[len(p.Times)-1]; took > 1.25*(spot+drive) {
		t.Errorf("%v s, want %v for turning and some more than %v for the longest way", took, spot, drive)
	}
}
