package session

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
)

// Who cannot have its goal is told why in the units of the scene, and where it fits nearby: a goal there is one that it has.
func TestHaltedRobotsAreToldWhereTheyFit(t *testing.T) {
	const x, y = 432000, 5410000
	team := sceneTeam(t, fmt.Sprintf(`bounds: {min: [%d, %d], max: [%d, %d]}
circles: [{center: [%d, %d], radius: 1}]
duration: 20
robots:
- {name: ada, start: [%[7]d, %[8]d], goal: [%[9]d, %[8]v], radius: 0.4, speed: 2}
- {name: bob, start: [%[7]d, %[10]d], goal: [%[9]d, %[10]d], radius: 0.3, speed: 1}
`, x, y, x+10, y+10, x+5, y+5, x+1, y+1, x+9, y+9))
	s, err := New(team, plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := s.Replan(t.Context(), Update{}); err != nil || p.Kind != Planned {
		t.Fatal(err, p.Kind)
	}
	bob := geom.Vec2{X: x + 9, Y: y + 9}
	halt := func(goal geom.Vec2) *Plan {
		p, err := s.Replan(t.Context(), Update{Steps: 1, Goals: []geom.Vec2{goal, bob}})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for want, goal := range map[string]geom.Vec2{
		"the goal is (NaN, 5410005), want finite numbers":                            {X: math.NaN(), Y: y + 5},
		"the goal is (1e+300, 5410005), want numbers of a size below 1e+12":          {X: 1e300, Y: y + 5},
		"the goal of ada is 1 deep in an obstacle, and needs 0.4 beside it; it fits": {X: x + 5, Y: y + 5},
		"the goal of ada is 0.1 from an obstacle, which needs 0.4; it fits":          {X: x + 5, Y: y + 6.1},
		"the goal (432012, 5410005) leaves the workspace by 2.4; it fits":            {X: x + 12, Y: y + 5},
	} {
		p := halt(goal)
		if len(p.Halted) != 1 || !strings.Contains(p.Halted[0].Reason.Error(), want) {
			t.Errorf("%v: %v, want %q", goal, p.Halted, want)
			continue
		}
		there, told := fitsAt(p.Halted[0].Reason)
		if near := math.Abs(goal.X-x) < 100; told != near {
			t.Errorf("%v: %v", goal, p.Halted[0].Reason)
		}
		if !told {
			continue
		}
		if p := halt(there); len(p.Halted) != 0 {
			t.Errorf("%v: told %v, where it cannot stay: %v", goal, there, p.Halted)
		}
	}
	// The nearest place off the pillar is the goal of another.
	bob = geom.Vec2{X: x + 6.5, Y: y + 5}
	p := halt(geom.Vec2{X: x + 5.9, Y: y + 5})
	if len(p.Halted) != 1 || p.Halted[0].Robot != "ada" {
		t.Fatal(p.Halted)
	}
	if there, told := fitsAt(p.Halted[0].Reason); !told || there.Dist(bob) < 0.7 {
		t.Errorf("%v", p.Halted[0].Reason)
	}
	bob = geom.Vec2{X: x + 9, Y: y + 9}
	// Of two goals at one place the second robot is told, in numbers that keep it off the first.
	p = halt(bob)
	if len(p.Halted) != 1 || p.Halted[0].Robot != "bob" {
		t.Fatal(p.Halted)
	}
	var covered *plan.CollisionError
	if !errors.As(p.Halted[0].Reason, &covered) || !strings.Contains(covered.Error(), "the goal of bob is 0 from the goal of ada, which") || covered.Free == nil || covered.Free.Dist(bob) < 0.7 || covered.Free.X > x+9.7 || covered.Free.Y > y+9.7 {
		t.Errorf("%v", p.Halted[0].Reason)
	}
}

// Those who cannot have their goals, all at one place, are told places where all of them can be.
func TestHaltedRobotsFitTogether(t *testing.T) {
	const text = `bounds: {min: [0, 0], max: [10, 10]}
circles: [{center: [5, 5], radius: 1}]
duration: 20
robots:
- {name: ada, start: [1, 1], goal: [9, 1], radius: 0.4, speed: 2}
- {name: bob, start: [1, 9], goal: [9, 9], radius: 0.3, speed: 2}
- {name: cleo, start: [1, 5], goal: [9, 5], radius: 0.3, speed: 2}
`
	for _, goal := range []geom.Vec2{{X: 5.9, Y: 5}, {X: 11, Y: 5}} {
		s, err := New(sceneTeam(t, text), plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if p, err := s.Replan(t.Context(), Update{}); err != nil || p.Kind != Planned {
			t.Fatal(err, p.Kind)
		}
		p, err := s.Replan(t.Context(), Update{Steps: 1, Goals: []geom.Vec2{goal, goal, goal}})
		if err != nil || len(p.Halted) != 3 {
			t.Fatal(err, p.Halted)
		}
		var told []geom.Vec2
		for _, h := range p.Halted {
			there, ok := fitsAt(h.Reason)
			if !ok {
				t.Errorf("%v", h.Reason)
			}
			told = append(told, there)
		}
		if p, err = s.Replan(t.Context(), Update{Steps: 1, Goals: told}); err != nil || len(p.Halted) != 0 {
			t.Errorf("all three near %v are told %v, where they cannot be: %v, %v", goal, told, p.Halted, err)
		}
	}
}

// fitsAt returns where an error says that a robot fits.
func fitsAt(err error) (there geom.Vec2, told bool) {
	text := regexp.MustCompile(`; it fits at \(([0-9.]+), ([0-9.]+)\)`).FindStringSubmatch(err.Error())
	if text == nil {
		return there, false
	}
	fmt.Sscan(text[1], &there.X)
	fmt.Sscan(text[2], &there.Y)
	return there, true
}

// A newcomer that cannot be where it starts is told where it fits nearby, and joins there: off who stands there, too.
func TestNewcomersAreToldWhereTheyFit(t *testing.T) {
	const x, y = 432000, 5410000
	team := sceneTeam(t, fmt.Sprintf(`bounds: {min: [%d, %d], max: [%d, %d]}
circles: [{center: [%d, %d], radius: 1}]
traffic: [{radius: 0.5, path: [[0, %[7]d, %[8]v]]}]
duration: 20
robots: [{name: ada, start: [%[9]d, %[10]d], goal: [%[9]d, %[8]v], radius: 0.4, speed: 2}]
`, x, y, x+10, y+10, x+5, y+5, x+6, y+6.5, x+1, y+1))
	for want, start := range map[string]geom.Vec2{
		"within the workspace and off obstacles": {X: x + 5, Y: y + 5}, "workspace and off obstacles": {X: x + 5, Y: y + 40},
		"further from ada: they are 0.1 apart and need 0.7": {X: x + 1, Y: y + 1.1},
		"want a start within the workspace":                 {X: x + 5.8, Y: y + 5.8}, "off obstacles": {X: x - 1e9, Y: y + 1},
	} {
		s, err := New(team, plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		join := func(start geom.Vec2) error {
			_, err := s.Replan(t.Context(), Update{Join: []Newcomer{{Name: "eve", Start: start, Goal: geom.Vec2{X: x + 8, Y: y + 2}, Radius: 0.3, Speed: 1}}})
			return err
		}
		refused := join(start)
		if refused == nil || !strings.Contains(refused.Error(), want) {
			t.Errorf("%v: %v, want %q", start, refused, want)
			continue
		}
		there, told := fitsAt(refused)
		if err := join(there); !told || err != nil || there.Dist(geom.Vec2{X: x + 6, Y: y + 6.5}) < 0.8 {
			t.Errorf("%v: %v; there: %v", start, refused, err)
		}
	}
}

// A newcomer that starts on traffic is refused, whatever moves there by then, and told where it fits: not in front of the traffic,
// where it could not get away, but beside its way.
func TestNewcomersOnTrafficAreToldWhereTheyFit(t *testing.T) {
	const tram = `bounds: {min: [0, 0], max: [10, 10]}
duration: 20
motion: %s
traffic: [{name: tram, radius: 0.5, path: [[0, 1, 8], [18, 9, 8], [20, 9, 7]]}]
robots: [{name: ada, start: [1, 2], goal: [9, 2], radius: 0.3, speed: 1}]
`
	for _, motion := range []string{"curve", "polyline"} {
		for x, want := range map[float64]string{1: "they are 0 apart", 1.7: "they are 0.7 apart"} {
			s, err := New(sceneTeam(t, fmt.Sprintf(tram, motion)), plan.Options{})
			if err != nil {
				t.Fatal(err)
			}
			join := func(u Update, start geom.Vec2) (*Plan, error) {
				u.Join = []Newcomer{{Name: "bob", Start: start, Goal: geom.Vec2{X: 9, Y: 5}, Radius: 0.3, Speed: 1, Acceleration: 1}}
				return s.Replan(t.Context(), u)
			}
			later := Update{Steps: 16} // when the tram has come so far
			on := geom.Vec2{X: x + 8.0/18*16*s.team.Step, Y: 8}
			_, refused := join(later, on)
			if refused == nil || !strings.Contains(refused.Error(), `newcomer "bob"`) || !strings.Contains(refused.Error(), "further from tram: "+want+" and need 0.8;") {
				t.Errorf("%s: %v: %v", motion, on, refused)
				continue
			}
			there, told := fitsAt(refused)
			if p, err := join(later, there); !told || err != nil || p.Kind != Planned || math.Abs(there.Y-8) < 0.8 {
				t.Errorf("%s: %v: %v; there: %v, %v", motion, on, refused, p.Kind, err)
			}
		}
	}
}

// Whose goal is where another one comes to rest that was told to stop is told where it fits beside it, and has a goal there.
func TestGoalsBesideStops(t *testing.T) {
	team := drawnTeam(t, nav2d.Empty(), 3, 6)
	d := newDrive(t, team)
	d.replan(t.Context(), Update{})
	d.replan(t.Context(), Update{Steps: 63}) // all are at their goals
	goals, stop := goalsOf(team), []string{team.Robots[2].Name}
	goals[1] = goals[2]
	p := d.replan(t.Context(), Update{Goals: goals, Stop: stop})
	var covered *plan.CollisionError
	if len(p.Halted) != 2 || !errors.As(p.Halted[0].Reason, &covered) || covered.Free == nil {
		t.Fatalf("halted %v, want who stops, and who is told where it fits", p.Halted)
	}
	goals[1] = *covered.Free
	if p := d.replan(t.Context(), Update{Goals: goals, Stop: stop}); len(p.Halted) != 1 || p.Halted[0].Robot != stop[0] {
		t.Errorf("with its goal at %v: halted %v", goals[1], p.Halted)
	}
	d.check()
}
