package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/planner"

	"github.com/go-pcd/pcd/internal/experiment"
)

// invoke runs the program as a shell would.
func invoke(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), args, &out, &err)
	return code, out.String(), err.String()
}

// must runs the program and fails the test unless it succeeds.
func must(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	code, out, err := invoke(t, args...)
	if code != exitOK {
		t.Fatalf("pcd %s: exit code %d: %s", strings.Join(args, " "), code, err)
	}
	return out
}

// parse reads JSON into v and fails on keys that v does not have.
func parse(t *testing.T, text string, v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%v in %.400s", err, text)
	}
}

// file writes a file of a test and returns its path.
func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const twoRobots = `
bounds: {min: [0, 0], max: [10, 10]}
circles: [{center: [5, 5], radius: 1}]
robots:
  - {name: ada, start: [1, 5], goal: [9, 5], radius: 0.4, speed: 4}
  - {name: bob, start: [5, 1], goal: [5, 8], radius: 0.4, speed: 4}
`

func TestBadInput(t *testing.T) {
	scene := func(old, new string) string { return file(t, "scene.yaml", strings.Replace(twoRobots, old, new, 1)) }
	for name, c := range map[string]struct {
		args    []string
		code    int
		message string
	}{
		"unknown command":    {[]string{"plna"}, exitUsage, `did you mean "plan"? the verbs are act, bench`},
		"unknown verb":       {[]string{"eval", "nav3d"}, exitUsage, "the verbs are"},
		"unknown flag":       {[]string{"plan", "--robot", "3"}, exitUsage, "--robots"},
		"unknown map":        {[]string{"plan", "highway"}, exitUsage, "highways"},
		"unknown method":     {[]string{"plan", "--method", "magic"}, exitUsage, "pcd-shd"},
		"unknown preset":     {[]string{"plan", "--preset", "magic"}, exitUsage, "default, paper, mmd"},
		"zero robots":        {[]string{"plan", "--robots", "0"}, exitUsage, "--robots is 0"},
		"zero samples":       {[]string{"plan", "--samples", "0"}, exitUsage, "--samples is 0"},
		"negative limit":     {[]string{"plan", "--vmax", "-1"}, exitUsage, "--vmax is -1"},
		"useless gamma":      {[]string{"plan", "--method", "diffuser", "--gamma", "1"}, exitUsage, "does not couple"},
		"gamma is no number": {[]string{"plan", "--gamma", "NaN"}, exitUsage, "gamma is NaN"},
		"crowded":            {[]string{"plan", "empty", "--robots", "500", "--radius", "0.05"}, exitUsage, "use fewer robots"},
		"goal out of reach":  {[]string{"plan", "highways", "--vmax", "0.01"}, exitInfeasible, "robot 0"},
		"missing scene":      {[]string{"plan", "nowhere.yaml"}, exitMissing, "nowhere.yaml"},
		"misspelt key":       {[]string{"plan", scene("radius", "radus")}, exitUsage, `did you mean "radius"?`},
		"start in obstacle":  {[]string{"plan", scene("[1, 5]", "[5, 5]")}, exitUsage, "ada"},
		"starts overlap":     {[]string{"plan", scene("[5, 1]", "[1, 5.1]")}, exitUsage, "bob"},
		"scene out of reach": {[]string{"plan", scene("robots:\n", "duration: 1\nrobots:\n")}, exitInfeasible, "ada"},
		"no robots":          {[]string{"plan", file(t, "scene.yaml", "name: nobody\n")}, exitUsage, "robots"},
		"missing model":      {[]string{"plan", "--model", "nothing.safetensors"}, exitMissing, "nothing.safetensors"},
		"broken model":       {[]string{"plan", "--model", file(t, "m.safetensors", "garbage")}, exitUsage, "m.safetensors"},
		"bad shard":          {[]string{"eval", "nav2d", "--shard", "2/2"}, exitUsage, "--shard"},
		"no trials":          {[]string{"eval", "nav2d", "--trials", "0"}, exitUsage, "trials"},
		"no results":         {[]string{"table", "nav2d", t.TempDir()}, exitMissing, "holds no cells"},
	} {
		code, stdout, stderr := invoke(t, c.args...)
		if code != c.code || !strings.Contains(stderr, c.message) {
			t.Errorf("%s: exit code %d, %q, want %d, %q", name, code, stderr, c.code, c.message)
		}
		if stdout != "" {
			t.Errorf("%s: prints %q", name, stdout)
		}
	}
}

func TestPlanWritesEverything(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var s planner.PlanSummary
	parse(t, must(t, "plan", "--robots", "2", "--samples", "6", "--gif", "--json", "-o", dir), &s)
	if s.Task != "highways" || len(s.Robots) != 2 || s.Samples.Number != 6 || s.Method != "pcd-shd" || s.Plan == nil || s.Samples.Limits.MaxViolation > 0 {
		t.Errorf("summary = %+v", s)
	}
	if cs := s.Samples.Metrics.CS; len(cs) != 2 || cs[0] != 1 || cs[1] != 1 {
		t.Errorf("CS = %v, want all samples of both robots", cs)
	}
	if got := s.Plan.Trajectories["robot 1"]; len(got) != 64 || len(got[0]) != 4 {
		t.Errorf("the trajectory of robot 1 has %d waypoints", len(got))
	}
	if sum := s.Seconds.Model + s.Seconds.Coupling + s.Seconds.Projection + s.Seconds.Other; sum <= 0 || sum > 1.001*s.Seconds.Total {
		t.Errorf("seconds = %+v", s.Seconds)
	}
	for _, name := range []string{"plan.json", "samples.npz", "plan.png", "plan.html", "plan.gif", "motion.csv", "manifest.json"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(s.Files) != 7 {
		t.Errorf("files = %q, want seven", s.Files)
	}
	page, err := os.ReadFile(filepath.Join(dir, "plan.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, external := range []string{"src=", "href=\"http", "href=\"/", "@import", "url("} {
		if bytes.Contains(page, []byte(external)) {
			t.Errorf("the page contains %q: it must work offline", external)
		}
	}
}

// A sample does not depend on how many others are drawn with it, or on goroutines.
func TestPlanIsReproducible(t *testing.T) {
	plan := func(args ...string) planner.PlanSummary {
		var s planner.PlanSummary
		parse(t, must(t, append([]string{"plan", "--robots", "2", "--seed", "5", "--json"}, args...)...), &s)
		return s
	}
	a, b := plan("--samples", "1", "--workers", "1"), plan("--samples", "1", "--workers", "3")
	if a.Plan.Length != b.Plan.Length || a.Samples.Limits.MaxViolation != b.Samples.Limits.MaxViolation {
		t.Errorf("one goroutine gives %+v, three %+v", a.Plan, b.Plan)
	}
}

func TestPlanScene(t *testing.T) {
	path := file(t, "scene.yaml", twoRobots)
	out := must(t, "plan", path, "--samples", "8", "-o", filepath.Join(t.TempDir(), "out"))
	if !strings.Contains(out, "certified") {
		t.Errorf("no certificate in %s", out)
	}
}

// TestPlanWarehouse plans the example: certified, and free of collisions also
// between the waypoints.
func TestPlanWarehouse(t *testing.T) {
	var s planner.PlanSummary
	parse(t, must(t, "plan", "../../examples/warehouse.yaml", "--samples", "4", "--json"), &s)
	if len(s.Robots) != 8 || s.Plan == nil || !s.Plan.Certificate.Certified {
		t.Errorf("%d robots, plan %+v", len(s.Robots), s.Shown())
	}
}

func TestPlanSearches(t *testing.T) {
	var s planner.PlanSummary
	parse(t, must(t, "plan", "empty", "--robots", "2", "--samples", "16", "--method", "mmd-cbs", "--preset", "mmd", "--vmax", "100", "--json"), &s)
	if s.Samples.Number != 1 || s.Search == nil || s.Search.Plans < 2 {
		t.Errorf("samples %d, search %+v, want one joint sample and a report", s.Samples.Number, s.Search)
	}
}

func TestPlanIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, err bytes.Buffer
	if code := run(ctx, []string{"plan", "--samples", "2"}, &out, &err); code != exitInterrupted {
		t.Errorf("exit code %d, %s, want %d", code, &err, exitInterrupted)
	}
}

// TestTrainingIsInterrupted stops a training before its first step: the model that
// it leaves can be used.
func TestTrainingIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	must(t, "data", "gen", "empty", "--contexts", "20", "-o", data)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, err bytes.Buffer
	model := filepath.Join(dir, "model")
	if code := run(ctx, []string{"train", "nav2d", "empty", "--data", filepath.Join(data, "trajectories.npz"), "-o", model}, &out, &err); code != exitInterrupted {
		t.Fatalf("exit code %d, %s, want %d", code, &err, exitInterrupted)
	}
	must(t, "plan", "empty", "--robots", "1", "--samples", "1", "--model", filepath.Join(model, "model.safetensors"))
}

func TestEvalResumesAndTabulates(t *testing.T) {
	dir := t.TempDir()
	eval := func(shard string) (s experiment.Summary) {
		parse(t, must(t, "eval", "nav2d", "--maps", "empty", "--robots", "2", "--methods", "diffuser,pcd-shd", "--vmax", "0.703",
			"--gammas", "0.1,0.3", "--trials", "2", "--samples", "2", "--shard", shard, "--json", "-o", dir), &s)
		return s
	}
	if s := eval("0/2"); s.Cells != 3 || s.Finished != 2 || s.Computed != 2 {
		t.Errorf("first shard: %+v, want 2 of 3 cells", s)
	}
	if s := eval("0/1"); s.Finished != 3 || s.Computed != 1 {
		t.Errorf("rest: %+v, want 3 finished and 1 computed", s)
	}
	table := must(t, "table", "nav2d", dir)
	for _, word := range []string{"pcd-shd", "published", "difference", "certified"} {
		if !strings.Contains(table, word) {
			t.Errorf("no %q in the table:\n%s", word, table)
		}
	}
	var tables []json.RawMessage
	parse(t, must(t, "table", "nav2d", dir, "--format", "json"), &tables)
	if len(tables) != 1 {
		t.Errorf("%d tables, want 1", len(tables))
	}
	figure := filepath.Join(t.TempDir(), "gamma.png")
	must(t, "plot", "nav2d", "gamma", dir, "-o", figure)
	if _, err := os.Stat(figure); err != nil {
		t.Error(err)
	}
	code, _, stderr := invoke(t, "eval", "nav2d", "--maps", "empty", "--robots", "2", "--methods", "diffuser", "--trials", "2", "--samples", "3", "--vmax", "0.703", "-o", dir)
	if code == exitOK || !strings.Contains(stderr, "another directory") {
		t.Errorf("other settings in the same directory: exit code %d, %s", code, stderr)
	}
}

func TestBenchAndPlotRuntime(t *testing.T) {
	profile := file(t, "bench.json", must(t, "bench", "plan", "--robots", "2,3", "--samples", "2", "--repeats", "1", "--json"))
	must(t, "plot", "nav2d", "runtime", profile, "-o", filepath.Join(t.TempDir(), "runtime.svg"))
}

func TestHelpNamesExitCodes(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"plan", "--help"}, {"eval", "nav2d", "--help"}} {
		if out := must(t, args...); !strings.Contains(out, "130 interrupted") {
			t.Errorf("pcd %s does not name the exit codes", strings.Join(args, " "))
		}
	}
}
