package planner

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/plan"
)

// The proof that a plan is stored with is checked as it stands in the file: it holds, and not after it was
// changed in any of these ways, although the motion is still free of contact.
func TestStoredProofsAreChecked(t *testing.T) {
	rows := func(p anyPlan, kind string) []any { return p.proof()[kind].([]any) }
	for _, motion := range plan.Motions() {
		data, err := json.Marshal(plannedToJudge(t, motion).Summary)
		if err != nil {
			t.Fatal(err)
		}
		s, verdict := judgeFile(t, "plan.json", data)
		if verdict != nil || s.StoredProof == nil || !s.StoredProof.Holds || s.StoredProof.Rows == 0 {
			t.Fatalf("%s: stored proof %+v, %v", motion, s.StoredProof, verdict)
		}
		for name, change := range map[string]func(p anyPlan){
			"no pairs":           func(p anyPlan) { p.proof()["pairs"] = []any{} },
			"a pair is left out": func(p anyPlan) { p.proof()["pairs"] = rows(p, "pairs")[1:] },
			"an obstacle is":     func(p anyPlan) { p.proof()["obstacles"] = rows(p, "obstacles")[1:] },
			"a row ends before":  func(p anyPlan) { r := rows(p, "pairs")[0].([]any); r[3] = (r[2].(float64) + r[3].(float64)) / 2 },
			"a row begins later": func(p anyPlan) { r := rows(p, "obstacles")[0].([]any); r[2] = (r[2].(float64) + r[3].(float64)) / 2 },
			"turned round":       func(p anyPlan) { r := rows(p, "pairs")[0].([]any); r[4], r[5] = -r[4].(float64), -r[5].(float64) },
			"none":               func(p anyPlan) { r := rows(p, "obstacles")[0].([]any); r[4], r[5] = 0, 0 },
			"sideways and huge": func(p anyPlan) {
				r := rows(p, "pairs")[0].([]any)
				r[4], r[5] = -1e200*r[5].(float64), 1e200*r[4].(float64)
			},
			"of somebody else":  func(p anyPlan) { rows(p, "pairs")[0].([]any)[1] = 17 },
			"for other traffic": func(p anyPlan) { p.van()["name"] = "bus" },
		} {
			s, verdict := judgeFile(t, "plan.json", changedPlan(t, data, change))
			var refused *JudgedError
			if !errors.As(verdict, &refused) || s.StoredProof.Holds || !strings.Contains(strings.Join(s.Contradictions, ""), s.StoredProof.Fault) {
				t.Errorf("%s, %s: stored proof %+v, %v", motion, name, s.StoredProof, verdict)
			}
			if !s.Certificate.Certified {
				t.Errorf("%s, %s: the motion is not certified", motion, name)
			}
		}
	}
}
