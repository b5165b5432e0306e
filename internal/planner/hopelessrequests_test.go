package planner

import (
	"strings"
	"testing"
	"time"

	"github.com/go-pcd/pcd/internal/thorough"
)

// Scenes that have no plan are refused before or after planning: as infeasible, or as a
// contradiction in the request. The reason names the robots, the constraint, the place
// and a remedy.
func TestHopelessScenesSayWhy(t *testing.T) {
	t.Parallel()
	const (
		square = "bounds: {min: [0, 0], max: [10, 10]}\nduration: 10\n"
		door   = "boxes: [{center: [5, 2.3], size: [0.4, 4.6]}, {center: [5, 7.7], size: [0.4, 4.6]}]\n"
		wide   = "boxes: [{center: [5, 2.2], size: [0.4, 4.4]}, {center: [5, 7.8], size: [0.4, 4.4]}]\n"
		cell   = "boxes: [{center: [7, 8.5], size: [3.4, 0.4]}, {center: [7, 5.5], size: [3.4, 0.4]}, {center: [5.5, 7], size: [0.4, 3.4]}, {center: [8.5, 7], size: [0.4, 3.4]}]\n"
		lane   = "bounds: {min: [0, 0], max: [12, 3]}\nduration: 12\nboxes: [{center: [6, 0.9], size: [11.9, 0.2]}, {center: [6, 2.1], size: [11.9, 0.2]}]\n"
		ada    = "robots: [{name: ada, start: [1, 1], goal: [9, 9], radius: 0.5, speed: 3}]\n"
	)
	for name, c := range map[string]struct {
		scene string
		class Class
		want  []string
	}{
		"goal walled in": {
			square + cell + "robots: [{name: ada, start: [1, 1], goal: [7, 7], radius: 0.4, speed: 3}]", Infeasible,
			[]string{"ada", "obstacles leave no way from (1, 1) to (7, 7)", "it needs one that is 0.8 wide"},
		},
		"robot that starts trapped": {
			square + cell + "robots: [{name: bob, start: [1, 1], goal: [9, 2], radius: 0.4, speed: 3}, {name: ada, start: [7, 7], goal: [1, 9], radius: 0.4, speed: 3}]", Infeasible,
			[]string{"ada", "obstacles leave no way from (7, 7) to (1, 9)"},
		},
		"opening too narrow": {
			square + door + "robots: [{name: ada, start: [1, 5], goal: [9, 5], radius: 0.5, speed: 3}]", Infeasible,
			[]string{"ada", "the widest is 0.8 wide, between obstacle 0 and obstacle 1 near (5.2, 5)", "it needs 1 there"},
		},
		"margin larger than a gap": {
			"margin: 0.3\n" + square + wide + "robots: [{name: ada, start: [1, 5], goal: [9, 5], radius: 0.4, speed: 3}]", Infeasible,
			[]string{"ada", "the widest is 1.2 wide, between obstacle 0 and obstacle 1 near (5.2, 5)", "it needs 1.4 there"},
		},
		"too narrow between an obstacle and the border": {
			"bounds: {min: [0, 0], max: [10, 4]}\nduration: 10\nboxes: [{center: [5, 2], size: [1, 2.8]}]\nrobots: [{name: ada, start: [1, 2], goal: [9, 2], radius: 0.4, speed: 3}]", Infeasible,
			[]string{"ada", "the widest is 0.6 wide, between obstacle 0 and the border near (5.5, 3.7)", "it needs 0.8 there"},
		},
		"speed too low for the distance": {
			square + "robots: [{name: ada, start: [1, 1], goal: [9, 9], radius: 0.5, speed: 0.5}]", Infeasible,
			[]string{"ada", "cannot reach its goal in time: the way is 11.31 long", "it needs a duration of 23."},
		},
		"speed too low for the way round a wall": {
			"bounds: {min: [0, 0], max: [10, 10]}\nduration: 3.6\nboxes: [{center: [5, 4], size: [0.6, 8]}]\nrobots: [{name: ada, start: [1, 1], goal: [9, 1], radius: 0.4, speed: 3}]", Infeasible,
			[]string{"ada", "cannot reach its goal in time", "more than it gets at its speed limit"},
		},
		"acceleration too low": {
			"acceleration: 0.2\n" + square + ada, Infeasible,
			[]string{"ada", "from rest to rest it gets 4.845 far", "its goal is 11.31 away: alone on the straight way a duration of 15."},
		},
		"velocity at the start beyond the speed limit": {
			"acceleration: 2\n" + square + "robots: [{name: ada, start: [1, 1], goal: [9, 9], radius: 0.5, speed: 3, start_velocity: [4, 0]}]", Usage,
			[]string{"ada", "the velocity at the start is 4 and the speed limit 3", "lower it"},
		},
		"too fast to stop at the goal": {
			"acceleration: 0.2\n" + square + "robots: [{name: ada, start: [1, 5], goal: [3, 5], radius: 0.5, speed: 3, start_velocity: [2, 0]}]", Infeasible,
			[]string{"ada cannot reach its goal", "its velocities at start and goal", "away after 9.844 s"},
		},
		"too fast to stop before a wall": {
			"acceleration: 0.5\nbounds: {min: [0, 0], max: [10, 6]}\nduration: 10\nboxes: [{center: [5, 3], size: [0.4, 4]}]\n" +
				"robots: [{name: ada, start: [3.5, 3], goal: [8, 3], radius: 0.5, speed: 2, start_velocity: [1.9, 0]}]", Infeasible,
			[]string{"ada runs", "into obstacle 0", "ada exceeds its acceleration limit", "no plan was found either with a duration of 20 s", "or with an acceleration of 4 for ada"},
		},
		"corridor with no room to step aside": {
			lane + "robots: [{name: ada, start: [1, 1.5], goal: [6, 1.5], radius: 0.35, speed: 3}, {name: bob, start: [2.5, 1.5], goal: [1, 1.5], radius: 0.35, speed: 3}]", Infeasible,
			[]string{"ada and bob", "too near to each other", "near (", "the opening there is 1 wide, two abreast need 1.4"},
		},
		"corridor and margins with no room to step aside": {
			"margin: 0.1\n" + lane + "robots: [{name: ada, start: [1, 1.5], goal: [6, 1.5], radius: 0.35, speed: 3}, {name: bob, start: [2.5, 1.5], goal: [1, 1.5], radius: 0.35, speed: 3}]", Infeasible,
			[]string{"ada and bob", "two abreast need 1.7"},
		},
		"goal inside an obstacle grown by the radius": {
			square + "boxes: [{center: [7, 7], size: [1, 1]}]\nrobots: [{name: ada, start: [1, 1], goal: [7.8, 7], radius: 0.5, speed: 3}]", Usage,
			[]string{"the goal (7.8, 7) of ada is in an obstacle", "ada fits at ("},
		},
		"two goals that overlap": {
			square + "robots: [{name: ada, start: [1, 1], goal: [7, 7], radius: 0.5, speed: 3}, {name: bob, start: [9, 1], goal: [7.5, 7], radius: 0.5, speed: 3}]", Usage,
			[]string{"the goals of ada and bob are 0.5 apart, want at least 1"},
		},
		"traffic that parks on a goal": {
			square + ada + "traffic: [{name: truck, radius: 0.6, path: [[0, 1, 9], [5, 9, 9]]}]", Usage,
			[]string{"the goals of truck and ada are 0 apart, want at least 1.1"},
		},
	} {
		if name == "too fast to stop before a wall" && !thorough.Asked() {
			continue // every repair is tried
		}
		t.Run(name, func(t *testing.T) {
			remedies := time.Hour
			if strings.Contains(name, "no room to step aside") {
				remedies = untried // TestNoRemedyThatDoesNotHelp has such a corridor
			}
			o, err := Do(t.Context(), &PlanTask{Request: PlanRequest{Task: "s.yaml", Scene: &c.scene, Samples: new(1), RemedyTime: remedies}}, Watch{}, nil)
			if err == nil {
				if err = o.Verdict; err == nil || o.Summary.Plan != nil {
					t.Fatal("planned for")
				}
			}
			if got := ClassOf(err); got != c.class {
				t.Errorf("class %d, want %d: %v", got, c.class, err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want it to say %q", err, want)
				}
			}
		})
	}
}
