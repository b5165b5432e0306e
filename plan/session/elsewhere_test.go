package session

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

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
- {name: ada, start: [%[7]d, %[8]d], goal: [%[9]d, %[8]d], radius: 0.4, speed: 2}
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
		"the goal is (NaN, 5410005), want finite numbers":                                    {X: math.NaN(), Y: y + 5},
		"the goal is (1e+300, 5410005), want numbers of a size below 1e+12":                  {X: 1e300, Y: y + 5},
		"the goal of ada is 1 deep in an obstacle, and needs 0.4 beside it: move it by 1.4;": {X: x + 5, Y: y + 5},
		"the goal of ada is 0.1 from an obstacle, which needs 0.4: move it by 0.3001;":       {X: x + 5, Y: y + 6.1},
	} {
		p := halt(goal)
		if len(p.Halted) != 1 || !strings.Contains(p.Halted[0].Reason.Error(), want) {
			t.Errorf("%v: %v, want %q", goal, p.Halted, want)
			continue
		}
		var covered *plan.CollisionError
		told := regexp.MustCompile(`; it fits at \(([0-9.]+), ([0-9.]+)\)`).FindStringSubmatch(p.Halted[0].Reason.Error())
		if errors.As(p.Halted[0].Reason, &covered) != (told != nil) {
			t.Errorf("%v: %v tells no place", goal, p.Halted[0].Reason)
		}
		if told == nil {
			continue
		}
		var there geom.Vec2
		fmt.Sscan(told[1], &there.X)
		fmt.Sscan(told[2], &there.Y)
		if p := halt(there); len(p.Halted) != 0 {
			t.Errorf("%v: told %v, where it cannot stay: %v", goal, there, p.Halted)
		}
	}
	// Of two goals at one place the second robot is told, in numbers that keep it off the first.
	p := halt(bob)
	if len(p.Halted) != 1 || p.Halted[0].Robot != "bob" {
		t.Fatal(p.Halted)
	}
	var covered *plan.CollisionError
	if !errors.As(p.Halted[0].Reason, &covered) || covered.Free == nil || covered.Free.Dist(bob) < 0.7 || covered.Free.X > x+9.7 || covered.Free.Y > y+9.7 {
		t.Errorf("%v", p.Halted[0].Reason)
	}
}
