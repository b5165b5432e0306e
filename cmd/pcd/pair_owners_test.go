package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/planner"
)

// Of two models, the first one's classifiers couple and judge, and those of the model that ships where it has none. The
// output says whose.
func TestWhoseClassifiers(t *testing.T) {
	const ships = "the model that ships"
	a, b := shippedModel(t), shippedModel(t)
	drawn := func(args ...string) (s planner.PairSummary) {
		t.Helper()
		args = append([]string{"pair", "--pairs", "1", "--sampling-steps", "1", "-o", filepath.Join(t.TempDir(), "out"), "--json"}, args...)
		if err := json.Unmarshal([]byte(must(t, args...)), &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	check := func(what string, s planner.PairSummary, coupled, judged string) {
		t.Helper()
		if s.CoupledBy != coupled || s.JudgedBy != judged {
			t.Errorf("%s: coupled by %q, judged by %q, want %q and %q", what, s.CoupledBy, s.JudgedBy, coupled, judged)
		}
	}
	check("two models", drawn("--model-a", a, "--model-b", b), a, a)
	check("one beside that which ships", drawn("--model-a", a), ships, ships)
	if err := os.RemoveAll(filepath.Join(a, "judge")); err != nil {
		t.Fatal(err)
	}
	out := must(t, "pair", "--pairs", "1", "--sampling-steps", "1", "-o", filepath.Join(t.TempDir(), "out"), "--model-a", a, "--model-b", b) // without a judge
	if !strings.Contains(out, "coupled by a classifier of  "+a) || !strings.Contains(out, "judged by that of           "+ships) {
		t.Errorf("pair prints %q", out)
	}
}
