package planner

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/plan"
)

// anyPlan is plan.json as something that can be changed.
type anyPlan map[string]any

func (p anyPlan) plan() map[string]any { return p["plan"].(map[string]any) }

func (p anyPlan) proof() map[string]any { return p.plan()["proof"].(map[string]any) }

func (p anyPlan) robot(i int) map[string]any { return p["robots"].([]any)[i].(map[string]any) }

// motion is what the proof says of a robot.
func (p anyPlan) motion(i int) map[string]any { return p.proof()["robots"].([]any)[i].(map[string]any) }

func (p anyPlan) solid(o int) map[string]any { return p.proof()["solids"].([]any)[o].(map[string]any) }

// van is the only traffic.
func (p anyPlan) van() map[string]any { return p.proof()["traffic"].([]any)[0].(map[string]any) }

func (p anyPlan) way(i int) []any {
	return p.plan()["trajectories"].(map[string]any)[p.robot(i)["name"].(string)].([]any)
}

// tampered are changes of a plan with an acceleration limit after which it proves nothing.
var tampered = map[string]func(p anyPlan){
	"no pairs":              func(p anyPlan) { p.proof()["pairs"] = []any{} },
	"no obstacles' rows":    func(p anyPlan) { p.proof()["obstacles"] = []any{} },
	"a pair is left out":    func(p anyPlan) { p.proof()["pairs"] = p.proof()["pairs"].([]any)[1:] },
	"an obstacle's is":      func(p anyPlan) { rows := p.proof()["obstacles"].([]any); p.proof()["obstacles"] = rows[:len(rows)-1] },
	"a row ends before":     func(p anyPlan) { row := p.proof()["pairs"].([]any)[0].([]any); row[3] = row[3].(float64) - 1 },
	"a row begins after":    func(p anyPlan) { row := p.proof()["obstacles"].([]any)[0].([]any); row[2] = row[2].(float64) + 1 },
	"a direction is turned": func(p anyPlan) { row := p.proof()["pairs"].([]any)[0].([]any); row[4], row[5] = row[5], row[4] },
	"a direction is none":   func(p anyPlan) { row := p.proof()["pairs"].([]any)[0].([]any); row[4], row[5] = 0, 0 },
	"a waypoint elsewhere":  func(p anyPlan) { at := p.way(0)[30].([]any); at[0] = at[0].(float64) + 0.5 },
	"a waypoint outside":    func(p anyPlan) { at := p.way(1)[30].([]any); at[1] = 1e3 },
	"one on the border":     func(p anyPlan) { p.proof()["border"].([]any)[0].([]any)[0] = p.way(0)[0].([]any)[0] },
	"two at one place":      func(p anyPlan) { copy(p.way(0), p.way(1)) },
	"a waypoint less": func(p anyPlan) {
		w := p.plan()["trajectories"].(map[string]any)
		n := p.robot(0)["name"].(string)
		w[n] = w[n].([]any)[1:]
	},
	"a robot without proof": func(p anyPlan) { p.proof()["robots"] = p.proof()["robots"].([]any)[1:] },
	"a robot less":          func(p anyPlan) { p["robots"] = p["robots"].([]any)[1:] },
	"another version":       func(p anyPlan) { p["version"] = 1 },
	"larger robots":         func(p anyPlan) { p.robot(0)["radius"] = 3.0 },
	"slower robots":         func(p anyPlan) { p.motion(0)["step"] = p.motion(0)["step"].(float64) / 4 },
	"lazier robots":         func(p anyPlan) { p.motion(0)["change"] = p.motion(0)["change"].(float64) / 8 },
	"started in motion":     func(p anyPlan) { p.motion(0)["before"] = []any{1e3, 0.0} },
	"no end":                func(p anyPlan) { p.motion(0)["after"] = []any{0.0, 1e3} },
	"rims that may leave":   func(p anyPlan) { delete(p.motion(0), "inset") },
	"robots without size":   func(p anyPlan) { p.robot(0)["radius"], p.robot(1)["radius"] = 0.0, 0.0 },
	"obstacles of nothing":  func(p anyPlan) { p.solid(0)["core"] = []any{} },
	"hollow obstacles":      func(p anyPlan) { p.solid(0)["radius"] = -0.01 },
	"a row from nowhere":    func(p anyPlan) { p.proof()["pairs"].([]any)[0].([]any)[2] = -1.0 },
	"traffic elsewhere":     func(p anyPlan) { p.van()["path"].([]any)[20] = []any{0.0, 0.0} },
	"traffic's end is not":  func(p anyPlan) { p.van()["path"] = p.van()["path"].([]any)[1:] },
	"a moment is left out": func(p anyPlan) {
		for _, key := range []string{"times", "path"} {
			p.van()[key] = slices.Delete(p.van()[key].([]any), 3, 4)
		}
	},
	"traffic's rows": func(p anyPlan) {
		p.proof()["pairs"] = slices.DeleteFunc(p.proof()["pairs"].([]any), func(row any) bool { return row.([]any)[1] == 2.0 })
	},
}

// A plan that was changed does not convince.
func TestTamperedPlansDoNotConvince(t *testing.T) {
	t.Parallel()
	for _, motion := range plan.Motions() {
		t.Run(string(motion), func(t *testing.T) { tamper(t, string(motion)) })
	}
}

func tamper(t *testing.T, motion string) {
	scene := "map: empty\nrobots:\n  - {start: [-0.8, 0], goal: [0.8, 0], radius: 0.05, speed: 0.6, acceleration: 0.6}\n" +
		"  - {start: [0.6, 0.1], goal: [-0.6, 0.1], radius: 0.05, speed: 0.6, acceleration: 0.6}\ncircles:\n  - {center: [0, 0.7], radius: 0.6}\n" +
		"traffic:\n  - {name: van, radius: 0.05, path: [[0, -0.9, -0.6], [1.23, -0.2, -0.7], [4, 0.9, -0.6]]}\n"
	o := planned(t, PlanRequest{Task: "tampered", Scene: &scene, Motion: motion})
	if o.Verdict != nil {
		t.Fatal(o.Verdict)
	}
	good, err := json.Marshal(o.Summary)
	if err != nil {
		t.Fatal(err)
	}
	convinces(t, good, tampered)
}

// convinces holds that a plan.json convinces the second judge and the documented check, and that
// with any of some changes it convinces neither.
func convinces(t *testing.T, good []byte, changes map[string]func(p anyPlan)) {
	t.Helper()
	if err := parsed(t, good).check(); err != nil {
		t.Fatal(err)
	}
	names, plans := slices.Sorted(maps.Keys(changes)), [][]byte{good}
	for _, name := range names {
		bad := changedPlan(t, good, changes[name])
		if parsed(t, bad).check() == nil {
			t.Errorf("%s: it convinces", name)
		}
		plans = append(plans, bad)
	}
	for k, err := range documentedChecks(t, plans) {
		switch {
		case k == 0 && err != nil:
			t.Fatal(err)
		case k > 0 && err == nil:
			t.Errorf("%s: it convinces the documented check", names[k-1])
		}
	}
}

// changedPlan returns a plan.json with a change.
func changedPlan(t *testing.T, good []byte, change func(p anyPlan)) []byte {
	t.Helper()
	p := anyPlan{}
	if err := json.Unmarshal(good, &p); err != nil {
		t.Fatal(err)
	}
	change(p)
	bad, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return bad
}
