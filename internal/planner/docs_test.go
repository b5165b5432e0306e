package planner

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestFilesAreDocumented: the page on files names every key of the summaries and every
// array.
func TestFilesAreDocumented(t *testing.T) {
	data, err := os.ReadFile("../../docs/files.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for _, s := range []any{PlanSummary{}, RobotSummary{}, JointPlan{}, OrderSummary{}, SamplesSummary{}, PlanMetrics{}, PushSummary{}, PushMetrics{}, Units{}} {
		kind := reflect.TypeOf(s)
		for i := range kind.NumField() {
			key, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
			if !strings.Contains(page, "`"+key+"`") && !strings.Contains(page, "."+key+"`") {
				t.Errorf("%s: the page does not name %q", kind.Name(), key)
			}
		}
	}
	plan, push := planned(t, PlanRequest{Task: "empty", Robots: new(1), Samples: new(1)}), []string{"actions", "states", "rewards"}
	for _, a := range plan.Arrays {
		push = append(push, a.Name)
	}
	for _, name := range push {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("the page does not name the array %q", name)
		}
	}
}
