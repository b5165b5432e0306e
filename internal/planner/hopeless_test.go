package planner

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-pcd/pcd/internal/thorough"
)

// untried leaves remedies no time: those of scenes in which nothing is said of them are tried elsewhere.
const untried = -24 * time.Hour

// hopeless scenes have no plan: the reason names the constraint, the place, the robots
// and a remedy, and nothing is called feasible.
func TestHopelessScenes(t *testing.T) {
	t.Parallel()
	corridor := func(robots string) string {
		return "bounds: {min: [0, 0], max: [12, 3]}\nduration: 12\nboxes: [{center: [6, 0.9], size: [11.9, 0.2]}, {center: [6, 2.1], size: [11.9, 0.2]}]\nrobots: [" + robots + "]"
	}
	for name, c := range thorough.Named(map[string]struct {
		scene    string
		want     []string
		remedies time.Duration
		helpless bool // nothing helps, and nothing is advised
	}{
		"swap in a corridor without a bay": {
			corridor("{name: ada, start: [1, 1.5], goal: [11, 1.5], radius: 0.35, speed: 3}, {name: bob, start: [11, 1.5], goal: [1, 1.5], radius: 0.35, speed: 3}"),
			[]string{"ada", "bob", "waypoint", "the opening there is 1 wide, two abreast need 1.4"}, 0, true,
		},
		"traffic that fills the corridor": {
			corridor("{name: ada, start: [6, 1.5], goal: [11, 1.5], radius: 0.35, speed: 0.6}") + "\ntraffic: [{name: sweeper, radius: 0.4, path: [[0, 10.5, 1.5], [1.5, 0.5, 1.5]]}]",
			[]string{"ada", "sweeper", "too near", "two abreast need 1.5"}, untried, false,
		},
		"door that parked traffic closes": {
			"bounds: {min: [0, 0], max: [10, 10]}\nduration: 12\nboxes: [{center: [5, 2.2], size: [0.4, 4.4]}, {center: [5, 7.8], size: [0.4, 4.4]}]\nrobots: [" +
				"{name: bob, start: [1, 2], goal: [2, 8], radius: 0.35, speed: 3}, {name: ada, start: [1, 5], goal: [9, 5], radius: 0.35, speed: 3}]\n" +
				"traffic: [{name: van, radius: 0.4, path: [[0, 5, 5.1]]}, {name: bus, radius: 0.4, path: [[0, 8, 8]]}]",
			[]string{"ada", "van stands at (5, 5.1) in the only way of ada; without van there is a certified plan"}, 0, false,
		},
		"door with a guard who walks up and down in it": {
			"margin: 0.2\nbounds: {min: [0, 0], max: [12, 8]}\nduration: 10\nboxes: [{center: [6, 1.7], size: [0.5, 3.4]}, {center: [6, 6.3], size: [0.5, 3.4]}]\nrobots: [" +
				"{name: ada, start: [2, 4], goal: [10, 4], radius: 0.3, speed: 2}, {name: bob, start: [10, 5.5], goal: [2, 2], radius: 0.3, speed: 2}]\n" +
				"traffic: [{name: guard, radius: 0.3, path: [[0, 6, 4.4], [5, 6, 3.6], [10, 6, 4.4]]}]",
			[]string{"bob runs", "into obstacle", "bob and guard come", "too near to each other", "the opening there is 1.2 wide, two abreast need 1.8"}, untried, false,
		},
	}, "traffic that fills the corridor") {
		t.Run(name, func(t *testing.T) {
			o := planned(t, PlanRequest{Task: "s.yaml", Scene: &c.scene, Samples: new(1), RemedyTime: c.remedies})
			var refused *InfeasibleError
			if !errors.As(o.Verdict, &refused) || ClassOf(o.Verdict) != Infeasible {
				t.Fatalf("verdict %v, want infeasible", o.Verdict)
			}
			for _, want := range c.want {
				if !strings.Contains(refused.Error(), want) {
					t.Errorf("%v, want it to say %q", refused, want)
				}
			}
			if c.helpless {
				refuseAdvice(t, refused.Error())
			}
			if o.Summary.Plan != nil {
				t.Fatalf("a plan beside %v", refused)
			}
			p := o.Summary.Nearest
			if p.Certificate.Certified || p.Proof != nil {
				t.Errorf("certified %v beside %v", p.Certificate.Certified, refused)
			}
			if gap := p.Certificate.Worst(); gap == nil || gap.Kept(p.Certificate.Margin) {
				t.Errorf("worst margin %+v", gap)
			}
			figure, err := o.Pictures.Figure()
			if err != nil || figure == nil {
				t.Error(fmt.Errorf("no picture of what fails: %w", err))
			}
		})
	}
}
