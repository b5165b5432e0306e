package session

import (
	"context"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/plan"
)

// noTime is a context in which nothing is sampled.
func noTime() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// planned returns a session of a team that has a plan.
func planned(t *testing.T, team plan.Team) *Session {
	t.Helper()
	s, err := New(team, plan.Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := s.Replan(t.Context(), Update{}); err != nil || p.Kind != Planned || len(p.Halted) > 0 {
		t.Fatalf("%s: %v", p.Kind, err)
	}
	return s
}

// again returns a session that goes on from where another one is.
func again(s *Session) *Session {
	c := *s
	c.team.Robots = slices.Clone(s.team.Robots)
	return &c
}

// When a robot cannot go on and there is no time for a new plan, it stops for itself: in front of an obstacle, with
// a goal that is nowhere, when it is told to, or because it has broken down. Of the others those stop whose ways before
// would touch something then, and the rest drives to its goals, also at the next updates.
func TestOnlyWhoIsConcernedStops(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	halls := map[plan.Motion]*Session{}
	for _, motion := range plan.Motions() {
		halls[motion] = planned(t, hallOf(t, motion, 0, 0))
	}
	for name, c := range map[string]func(s *Session) (Update, geom.Convex){
		"an obstacle ahead": func(s *Session) (Update, geom.Convex) {
			is := s.Plan().At(2, taken)
			solid := geom.Convex{Core: geom.Polygon{is.Position.Add(is.Velocity.Unit().Scale(2.4))}, Radius: 0.2}
			return Update{Obstacles: []geom.Convex{solid}}, solid
		},
		"a goal outside": func(s *Session) (Update, geom.Convex) {
			goals := s.Goals()
			goals[2] = geom.Vec2{X: 1000, Y: 1000}
			return Update{Goals: goals}, geom.Convex{}
		},
		"told to stop": func(s *Session) (Update, geom.Convex) {
			return Update{Stop: []string{"r2"}}, geom.Convex{}
		},
		"a breakdown": func(s *Session) (Update, geom.Convex) {
			var states []State
			for i := range s.team.Robots {
				states = append(states, s.Plan().At(i, taken))
			}
			states[2].Velocity = geom.Vec2{}
			return Update{States: states}, geom.Convex{}
		},
	} {
		for _, motion := range plan.Motions() {
			t.Run(string(motion)+", "+name, func(t *testing.T) { onlyWhoIsConcerned(t, again(halls[motion]), c) })
		}
	}
}

// taken is when something happens, between two waypoints.
const taken = 2.0

func onlyWhoIsConcerned(t *testing.T, s *Session, happens func(s *Session) (Update, geom.Convex)) {
	before, wanted := s.Plan(), s.Goals()
	u, solid := happens(s)
	u.Seconds = taken
	p, err := s.Replan(noTime(), u)
	if err != nil || !p.Certificate.Certified || p.Kind != Continued || !p.halts("r2") || len(p.Halted) == len(wanted) {
		t.Fatalf("%s, halted %v: %v", p.Kind, p.Halted, err)
	}
	for i, r := range p.Team.Robots {
		if far := p.At(i, 30).Position.Dist(wanted[i]); (far > 1e-3) != p.halts(r.Name) {
			t.Errorf("robot %d ends %v from its goal", i, far)
		}
		if i != 2 && p.halts(r.Name) && !wouldTouch(before, p, i, solid) {
			t.Errorf("robot %d stops, and could have gone on", i)
		}
	}
	ends, halted := p.At(1, 30), len(p.Halted)
	if p, err = s.Replan(noTime(), Update{Seconds: 0.7}); err != nil || p.Kind != Continued || p.At(1, 30) != ends || len(p.Halted) != halted {
		t.Errorf("then %s, halted %v: %v", p.Kind, p.Halted, err)
	}
}

// wouldTouch reports whether robot i would nearly touch a solid or another robot of a plan, or one that would itself,
// on the way that it had before.
func wouldTouch(before, p *Plan, i int, solid geom.Convex) bool {
	const near = 0.05
	for k := range 400 {
		t := float64(k) / 20
		x := before.At(i, taken+t).Position
		if solid.Core != nil {
			if gap, _ := solid.SignedDistance(x); gap < 0.3+near {
				return true
			}
		}
		for j := range p.Team.Robots {
			if j != i && p.halts(p.Team.Robots[j].Name) && x.Dist(p.At(j, t).Position) < 0.6+near {
				return true
			}
		}
	}
	return false
}

// Twenty carts that have all stopped on their ways drive on along these, without samples.
func TestTeamsDriveOnAfterAStop(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	text, err := os.ReadFile("../../examples/carts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := planned(t, sceneTeam(t, string(text)))
	wanted, others := s.Goals(), s.Goals()
	for i := range others {
		others[i].X += 0.5
	}
	p, err := s.Replan(noTime(), Update{Seconds: 7, Goals: others})
	if err != nil || p.Kind != Stopped {
		t.Fatalf("%s: %v", p.Kind, err)
	}
	p, err = s.Replan(t.Context(), Update{Seconds: 30, Goals: wanted})
	if err != nil || p.Draws != 0 || !p.Certificate.Certified || len(p.Halted) > 0 {
		t.Fatalf("%s after %d draws, halted %v: %v, %v", p.Kind, p.Draws, p.Halted, p.Reason, err)
	}
	for i := range wanted {
		if far := p.At(i, 60).Position.Dist(wanted[i]); far > 1e-3 {
			t.Errorf("robot %d ends %v from its goal", i, far)
		}
	}
}

// One robot brakes before a wall that appears across its way as physics has it: where the way is longer than it takes
// to stop it stops, and where it is shorter it says when it touches the wall, and how fast.
func TestBrakingBeforeAWall(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of TestSessionIsDeterministic")
	}
	const v, a, radius = 2.0, 0.8, 0.3
	stops := v * v / (2 * a)
	alone := planned(t, sceneTeam(t, `
bounds: {min: [0, 0], max: [40, 4]}
duration: 30
robots:
- {name: ada, start: [1, 2], goal: [39, 2], radius: 0.3, speed: 2, acceleration: 0.8}
`))
	for _, way := range []float64{0.2, 0.5, 0.9, 1.02, 1.3, 2} {
		way *= stops
		s := again(alone)
		at := 0.0
		for s.Plan().At(0, at).Velocity.X < v*(1-1e-3) && at < 20 {
			at += 0.05
		}
		is := s.Plan().At(0, at)
		fast := is.Velocity.Norm()
		wall := geom.Convex{Core: geom.Rectangle(geom.Vec2{X: is.Position.X + radius + way + 0.5, Y: 2}, geom.Vec2{X: 1, Y: 8}, 0)}
		p, err := s.Replan(noTime(), Update{Seconds: at, Obstacles: []geom.Convex{wall}})
		if err != nil {
			t.Fatal(err)
		}
		if way > fast*fast/(2*a) {
			if p.Kind != Stopped || !p.Certificate.Certified || p.At(0, 20).Position.X > is.Position.X+way {
				t.Errorf("%.3g m to stop in %.3g: %s, certified %v", fast*fast/(2*a), way, p.Kind, p.Certificate.Certified)
			}
			continue
		}
		left := math.Sqrt(fast*fast - 2*a*way)
		if p.Kind != Unsafe || p.Certificate.Certified || len(p.Contacts) != 1 {
			t.Errorf("%.3g m to stop in %.3g: %s, %d contacts", fast*fast/(2*a), way, p.Kind, len(p.Contacts))
		} else if c := p.Contacts[0]; math.Abs(c.Seconds-(fast-left)/a) > 0.02 || math.Abs(c.Speed-left) > 0.05 {
			t.Errorf("touches after %.4g s at %.4g m/s, want %.4g and %.4g", c.Seconds, c.Speed, (fast-left)/a, left)
		}
	}
}

// A robot whose goal nobody can get to, though it is free, stops, and the others get new plans to new goals around it,
// again and again; when the goal is open it goes there.
func TestTheOthersArePlannedForAround(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	s := planned(t, hallOf(t, plan.Curve, 0, 0))
	goals := s.Goals()
	g := goals[2]
	var ring []geom.Convex
	for k := range 8 {
		s, c := math.Sincos(float64(k) * math.Pi / 4)
		ring = append(ring, geom.Convex{Core: geom.Polygon{g.Add(geom.Vec2{X: c, Y: s}.Scale(0.6))}, Radius: 0.2})
	}
	p, err := s.Replan(t.Context(), Update{Seconds: 2, Obstacles: ring})
	if err != nil || !p.Certificate.Certified || !p.halts("r2") || len(p.Halted) != 1 || p.Reason == nil {
		t.Fatalf("%s, halted %v: %v, %v", p.Kind, p.Halted, p.Reason, err)
	}
	goals[0].Y += 0.7
	for range 2 {
		goals[0].X -= 0.7
		if p, err = s.Replan(t.Context(), Update{Seconds: 1, Goals: goals}); err != nil || p.Kind != Planned || !p.halts("r2") || len(p.Halted) != 1 {
			t.Fatalf("%s, halted %v: %v, %v", p.Kind, p.Halted, p.Reason, err)
		}
		if far := p.At(0, 60).Position.Dist(goals[0]); far > 1e-3 {
			t.Errorf("r0 ends %v from its new goal", far)
		}
	}
	if p, err = s.Replan(t.Context(), Update{Seconds: 1, Obstacles: slices.Clip(ring[:0])}); err != nil || len(p.Halted) > 0 || p.At(2, 60).Position.Dist(g) > 1e-3 {
		t.Errorf("when the goal is open %s, halted %v: %v", p.Kind, p.Halted, err)
	}
}
