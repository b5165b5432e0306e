package planner

import (
	"encoding/json"
	"fmt"
	"testing"
)

// Whoever starts or ends at the border touches it there and goes beyond it nowhere, also where the
// place is no float32: what is asked of its curve is its radius, less what float64 rounds.
func TestRobotsThatStartAtTheBorderStayWithin(t *testing.T) {
	var plans [][]byte
	for _, c := range []struct{ radius, low, width, height float64 }{{0.4, 0, 10, 3}, {0.3, -12.1, 10, 10}, {0.35, 103.7, 23.7, 11.3}, {0.55, 5400000, 10, 10}} {
		near := func(v float64) string { return fmt.Sprintf("%.4f", v) }
		a, x, y := near(c.low+c.radius), near(c.low+c.width-c.radius), near(c.low+c.height-c.radius)
		scene := fmt.Sprintf("duration: 60\nbounds: {min: [%v, %v], max: [%s, %s]}\nrobots: [{start: [%s, %s], goal: [%s, %s], radius: %v, speed: 1.1, acceleration: 0.8}]",
			c.low, c.low, near(c.low+c.width), near(c.low+c.height), a, a, x, y, c.radius)
		o := planned(t, PlanRequest{Task: "s.yaml", Scene: &scene})
		if o.Verdict != nil {
			t.Fatal(scene, o.Verdict)
		}
		data, err := json.Marshal(o.Summary)
		if err != nil {
			t.Fatal(err)
		}
		if err := parsed(t, data).check(); err != nil {
			t.Errorf("%s\n%v", scene, err)
		}
		plans = append(plans, data)
	}
	for k, err := range documentedChecks(t, plans) {
		if err != nil {
			t.Errorf("plan %d: %v", k, err)
		}
	}
}

// The same of places that have more digits than a plan: it has them rounded, beyond the border by less than
// anybody can measure. The judge accepts what the plan is certified for, and not a millionth more.
func TestRobotsAtTheBorderAreJudgedAsTheyWerePlanned(t *testing.T) {
	for _, width := range []float64{1072.9918924594922, 1072.9918974594922, 1072.9918024594922} {
		const radius = 11.19
		scene := func(motion string) string {
			return fmt.Sprintf("motion: %s\nduration: 60\nbounds: {min: [0, 0], max: [%v, 1000]}\nrobots: [{name: ada, start: [500, 500], goal: [%v, 621], radius: %v, speed: 50}]",
				motion, width, width-radius, radius)
		}
		for _, motion := range []string{"curve", "polyline"} {
			o := planned(t, PlanRequest{Task: "s.yaml", Scene: new(scene(motion))})
			if o.Verdict != nil {
				t.Fatal(o.Verdict)
			}
			data, err := json.Marshal(o.Summary)
			if err != nil {
				t.Fatal(err)
			}
			if err := judgedIn(t, scene(motion), "plan.json", data); err != nil {
				t.Errorf("%v wide, %s: %v", width, motion, err)
			}
		}
		table := fmt.Sprintf("t,robot,x,y\n0,ada,500,500\n30,ada,%v,560\n60,ada,%v,621\n", width*(1+1e-6)-radius, width-radius)
		if err := judgedIn(t, scene("polyline"), "beyond.csv", []byte(table)); err == nil {
			t.Errorf("%v wide: a millionth beyond the border on the way is accepted", width)
		}
	}
}
