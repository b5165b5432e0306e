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
