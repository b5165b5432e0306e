package planner

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/thorough"
)

// turning is a hall with a differential drive that looks away from its way at both ends, and a vehicle.
const turning = `
bounds: {min: [0, 0], max: [10, 8]}
duration: 20
robots:
  - {name: drive, start: [2, 2], goal: [8, 3], radius: 0.3, speed: 1.5, acceleration: 1, turn_rate: 1, start_heading: 3, goal_heading: -2}
  - {name: car, start: [2, 5], goal: [8, 6], radius: 0.3, speed: 1.5, acceleration: 1, turning_radius: 0.6, start_heading: 0.5}
`

func judgedIn(t *testing.T, scene, name string, data []byte) error {
	t.Helper()
	out, err := Do(t.Context(), &JudgeTask{Request: JudgeRequest{Task: "turning", Scene: &scene, Paths: []PathFile{{name, data}}}}, Watch{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Verdict
}

// A robot that turns where it stands does so in motion.csv, within its turn rate; the judge and the documented
// program accept its plan, and find what is wrong under other limits, and in headings that were changed.
func TestRobotsThatTurnOnTheSpot(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	o := planned(t, PlanRequest{Task: "turning", Scene: new(turning)})
	if o.Verdict != nil {
		t.Fatal(o.Verdict)
	}
	data, err := json.Marshal(o.Summary)
	if err != nil {
		t.Fatal(err)
	}
	table := tableOf(t, o.Summary, 50)
	stood := turnsIn(t, table)
	if stood < 0.5 {
		t.Errorf("it stands for %v s to turn", stood)
	}
	if err := errors.Join(documentedChecks(t, [][]byte{data})...); err != nil {
		t.Error(err)
	}
	for name, file := range map[string][]byte{"plan.json": data, "motion.csv": table} {
		if verdict := judgedIn(t, turning, name, file); verdict != nil {
			t.Errorf("%s: %v", name, verdict)
		}
		for _, c := range []struct{ from, to string }{
			{"turn_rate: 1", "turn_rate: 0.3"},
			{"turning_radius: 0.6", "turning_radius: 60"},
			{"start_heading: 0.5", "start_heading: 0.9"},
			{"turn_rate: 1", "turning_radius: 0.01"},
		} {
			if verdict := judgedIn(t, strings.Replace(turning, c.from, c.to, 1), name, file); verdict == nil {
				t.Errorf("%s is certified with %s", name, c.to)
			}
		}
	}
	var changed [][]byte
	tighter := []struct{ from, to string }{{`"turn_rate":1`, `"turn_rate":0.3`}, {`"turning_radius":0.6`, `"turning_radius":60`}}
	for k, c := range tighter {
		changed = append(changed, bytes.Replace(data, []byte(c.from), []byte(c.to), 1))
		if bytes.Equal(changed[k], data) {
			t.Fatalf("no %s", c.from)
		}
	}
	for k, err := range documentedChecks(t, changed) {
		if err == nil {
			t.Errorf("the documented check passes with %s", tighter[k].to)
		}
	}
	if verdict := judgedIn(t, strings.Replace(turning, "goal_heading: -2", "goal_heading: -1.9", 1), "motion.csv", table); verdict == nil {
		t.Error("a table that ends in another heading is certified")
	}
	lines := strings.Split(string(table), "\n")
	for k, line := range lines {
		if f := strings.Split(line, ","); len(f) > 4 && f[1] == "drive" && f[0] == "0.5" {
			f[4] = "1"
			lines[k] = strings.Join(f, ",")
		}
	}
	if verdict := judgedIn(t, turning, "motion.csv", []byte(strings.Join(lines, "\n"))); verdict == nil {
		t.Error("a heading that jumps is certified")
	}
}

// turnsIn checks the headings of the drive in a table, and returns how long it stands at its start.
func turnsIn(t *testing.T, table []byte) (stood float64) {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	before, last := math.NaN(), 0.0
	for _, row := range rows[1:] {
		if row[1] != "drive" {
			continue
		}
		v := make([]float64, len(row))
		for k, text := range row {
			v[k], _ = strconv.ParseFloat(text, 64) // a name is not a number
		}
		if row[2] == "2" && row[3] == "2" {
			stood = v[0]
		}
		switch turned := math.Abs(math.Remainder(v[4]-before, 2*math.Pi)); {
		case math.IsNaN(before) && v[4] != 3:
			t.Fatalf("it looks to %v at first", v[4])
		case turned > (v[0]-last)*1.001+1e-9:
			t.Fatalf("it turns by %v at %v s", turned, v[0])
		}
		before, last = v[4], v[0]
	}
	if math.Abs(before+2) > 1e-9 {
		t.Fatalf("it looks to %v at last", before)
	}
	return stood
}

// Vehicles go round obstacles in arcs, and take turns where one cannot be led round another; five
// thousand kilometres from zero as well.
func TestVehicles(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	for name, scene := range map[string]string{
		"four": `
bounds: {min: [0, 0], max: [18.4, 7]}
duration: 39.57
robots:
  - {name: r0, start: [11.8, 4.79], goal: [8.9, 3.81], radius: 0.43, speed: 0.644, acceleration: 0.563, turning_radius: 0.547}
  - {name: r1, start: [17.79, 5.16], goal: [10.83, 1.15], radius: 0.42, speed: 1.369, acceleration: 1.294, turning_radius: 0.547}
  - {name: r2, start: [14.49, 4.4], goal: [14.72, 2.99], radius: 0.42, speed: 1.214, acceleration: 1.288, turning_radius: 0.444}
  - {name: r3, start: [16.39, 4.98], goal: [6.82, 6.01], radius: 0.45, speed: 0.977, acceleration: 1.547, turning_radius: 0.274}
`,
		"obstacles": `
bounds: {min: [0, 0], max: [10, 6]}
boxes: [{center: [5, 2], size: [1, 4]}]
duration: 40
robots:
  - {name: car, start: [2, 1], goal: [8, 1], radius: 0.25, speed: 1, acceleration: 1, turning_radius: 0.8, start_heading: 1.5}
`,
		"far": `
bounds: {min: [432100.5, 5412345.25], max: [432110.357, 5412351.758]}
duration: 43.31
robots:
  - {name: r0, start: [432109.4674, 5412346.6474], goal: [432101.3472, 5412347.9717], radius: 0.1841, speed: 0.741, acceleration: 1.327, turning_radius: 0.224}
`,
		"goal beside a wall": `
bounds: {min: [0, 0], max: [10, 10]}
margin: 0.097
duration: 45
robots:
  - {name: r0, start: [5.544066407209391, 6.034804705543563], goal: [2.369177530829502, 9.178076538745023], goal_heading: -1.34, radius: 0.25, speed: 1.5, turning_radius: 0.5}
`,
		"goal beside a wall, and hardly time": `
bounds: {min: [0, 0], max: [10, 10]}
duration: 20
robots:
  - {name: r1, start: [4.466406086359568, 8.72267308835239], goal: [0.613167198730041, 4.254718127086043], goal_heading: 0.27, radius: 0.2, speed: 1.5, acceleration: 0.5, turning_radius: 0.5}
`,
	} {
		o := planned(t, PlanRequest{Task: name, Scene: &scene})
		if o.Verdict != nil {
			t.Errorf("%s: %v", name, o.Verdict)
			continue
		}
		data, err := json.Marshal(o.Summary)
		if err != nil {
			t.Fatal(err)
		}
		if verdict := judgedIn(t, scene, "plan.json", data); verdict != nil {
			t.Errorf("%s: %v", name, verdict)
		}
	}
}
