package planner

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

// Lengths of a scene come back as they were given, in summary and proof, to the last bit.
func TestLengthsComeBackAsGiven(t *testing.T) {
	for _, c := range []struct{ side, radius float64 }{{8.8, 0.45}, {10.2, 0.45}, {19.2, 0.35}, {8.5, 0.3}, {17.3, 0.7}, {3.4, 0.03}, {61.5, 1.1}, {10, 0.1}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			s, low := c.side, -0.1*c.side
			scene := fmt.Sprintf("duration: 9\nbounds: {min: [%v, 0.3], max: [%v, %v]}\nrobots: [{start: [%v, %v], goal: [%v, %v], radius: %v}]\ntraffic: [{radius: %v, path: [[0, %v, %v]]}]",
				low, s, s, 0.2*s, 0.3*s, 0.7*s, 0.3*s, c.radius, c.radius, 0.5*s, 0.8*s)
			o := planned(t, PlanRequest{Task: "s.yaml", Scene: &scene})
			if o.Verdict != nil {
				t.Fatal(o.Verdict)
			}
			data, err := json.Marshal(o.Summary)
			if err != nil {
				t.Fatal(err)
			}
			p := o.Summary.Plan.Proof
			for what, got := range map[string]float64{"robot": o.Summary.Robots[0].Radius, "its inset": p.Robots[0].Inset, "traffic": p.Traffic[0].Radius} {
				if got != c.radius && !(what == "its inset" && math.Abs(got-c.radius) < 1e-9) { // less what rounding costs
					t.Errorf("%s: %v, want %v", what, got, c.radius)
				}
			}
			if want := [2][2]float64{{low, 0.3}, {s, s}}; *p.Border != want {
				t.Errorf("border %v, want %v", *p.Border, want)
			}
			for _, neighbour := range []float64{math.Nextafter(c.radius, 0), math.Nextafter(c.radius, 1e9)} {
				if strings.Contains(string(data), fmt.Sprint(neighbour)) {
					t.Errorf("plan.json says %v", neighbour)
				}
			}
		})
	}
}
