package planner

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/go-pcd/pcd/internal/thorough"
)

// rooms is a hall of six rooms, through which a small vehicle goes to a place beside a wall.
const rooms = `
bounds: {min: [0, 0], max: [7.335, 14.671]}
duration: 60
boxes:
- {center: [3.668, 1.744], size: [0.160, 3.487]}
- {center: [3.668, 4.744], size: [0.160, 0.292]}
- {center: [3.668, 6.610], size: [0.160, 3.439]}
- {center: [3.668, 9.512], size: [0.160, 0.536]}
- {center: [3.668, 10.516], size: [0.160, 1.471]}
- {center: [3.668, 13.564], size: [0.160, 2.214]}
- {center: [0.705, 4.890], size: [1.410, 0.160]}
- {center: [3.191, 4.890], size: [0.954, 0.160]}
- {center: [4.234, 4.890], size: [1.133, 0.160]}
- {center: [6.575, 4.890], size: [1.520, 0.160]}
- {center: [0.780, 9.780], size: [1.559, 0.160]}
- {center: [3.285, 9.780], size: [0.765, 0.160]}
- {center: [3.937, 9.780], size: [0.538, 0.160]}
- {center: [6.407, 9.780], size: [1.855, 0.160]}
robots:
- {name: cart, start: [5.848, 3.065], goal: [4.365, 12.751], radius: 0.305, speed: 0.985, turning_radius: 0.157, start_heading: 2.39, goal_heading: -2.894}
`

// A vehicle whose way has more arcs than models have waypoints is given more of them, in the duration of the scene;
// the judge and the documented program accept its plan.
func TestVehiclesWithMoreWaypoints(t *testing.T) {
	thorough.Test(t)
	o := planned(t, PlanRequest{Task: "rooms", Scene: new(rooms)})
	if o.Verdict != nil {
		t.Fatal(o.Verdict)
	}
	times := o.Summary.Times
	if n := len(times); n <= 64 || times[n-1]+times[1] > 60*(1+1e-12) || times[n-1] < 59 {
		t.Errorf("%d waypoints up to %v s, want more than 64 in 60 s", n, times[n-1])
	}
	data, err := json.Marshal(o.Summary)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(documentedChecks(t, [][]byte{data})...); err != nil {
		t.Error(err)
	}
	for name, file := range map[string][]byte{"plan.json": data, "motion.csv": tableOf(t, o.Summary, 50)} {
		if verdict := judgedIn(t, rooms, name, file); verdict != nil {
			t.Errorf("%s: %v", name, verdict)
		}
	}
}
