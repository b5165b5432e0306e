package planner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-pcd/pcd/project/separation"
)

// crossing is a scene of two robots whose lengths are multiplied by a scale.
func crossing(scale float64, extra string) *string {
	text := fmt.Sprintf(`name: crossing
units: u
duration: 8
bounds: {min: [0, 0], max: [%[2]g, %[2]g]}
circles: [{center: [%[3]g, %[3]g], radius: %[1]g}]
robots:
  - {name: ada, start: [%[1]g, %[3]g], goal: [%[4]g, %[3]g], radius: %[5]g, speed: %[6]g}
  - {name: bob, start: [%[3]g, %[1]g], goal: [%[3]g, %[4]g], radius: %[5]g%[7]s}
`, scale, 10*scale, 5*scale, 9*scale, 0.4*scale, 4*scale, extra)
	return &text
}

func planned(t *testing.T, r PlanRequest) *Outcome[PlanSummary] {
	t.Helper()
	r.RemedyTime = cmp.Or(r.RemedyTime, time.Hour)
	o, err := Do(t.Context(), &PlanTask{Request: r}, Watch{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestSceneHasOneSystemOfUnits plans a scene in two units: every length and speed of
// the summary and the arrays is in the scene's.
func TestSceneHasOneSystemOfUnits(t *testing.T) {
	const scale = 1024 // a power of two: the samples are the same but for it
	small := planned(t, PlanRequest{Task: "s.yaml", Scene: crossing(1, ", speed: 3"), Samples: new(4)})
	large := planned(t, PlanRequest{Task: "s.yaml", Scene: crossing(scale, fmt.Sprint(", speed: ", 3*scale)), Samples: new(4)})
	a, b := small.Summary, large.Summary
	if a.Units != (Units{"u", "s", "u/s"}) || a.Name != "crossing" || a.Times[1] != 0.125 || len(a.Times) != 64 || a.Times[63] != 7.875 {
		t.Errorf("units %+v, name %q, times %v", a.Units, a.Name, a.Times)
	}
	if a.CommonLimit() != nil || *a.Robots[0].Limit != 4 || *a.Robots[1].Limit != 3 || *b.Robots[0].Limit != 4*scale {
		t.Errorf("robots %+v and %+v", a.Robots, b.Robots)
	}
	if !a.Samples.Limits.Certified || a.Plan.Sample != b.Plan.Sample || a.Samples.Metrics.Feasible != b.Samples.Metrics.Feasible {
		t.Errorf("the same task in other units: %+v and %+v", a, b)
	}
	gaps := func(s *PlanSummary, kind separation.Kind) float64 { return *s.Plan.Certificate.Gap(kind) }
	for name, v := range map[string][2]float64{
		"length": {a.Plan.Length, b.Plan.Length}, "separation": {gaps(a, separation.Bodies), gaps(b, separation.Bodies)},
		"border": {gaps(a, separation.Border), gaps(b, separation.Border)}, "violation": {a.Samples.Limits.MaxViolation, b.Samples.Limits.MaxViolation},
	} {
		if v[0] == 0 || math.Abs(v[1]/v[0]/scale-1) > 1e-6 {
			t.Errorf("%s %v in one unit, %v in another %d times smaller", name, v[0], v[1], scale)
		}
	}
	way := a.Plan.Trajectories["ada"]
	if way[0][0] != 1 || way[63][0] != 9 {
		t.Errorf("ada goes from %v to %v", way[0], way[63])
	}
	top := 0.0
	for h := 1; h < len(way); h++ {
		top = max(top, math.Hypot(float64(way[h][0])-float64(way[h-1][0]), float64(way[h][1])-float64(way[h-1][1]))/a.Times[1])
	}
	if top > 4 || -a.Samples.Limits.MaxViolation > 4-top+1e-9 {
		t.Errorf("ada's top speed is %v, the certificate leaves %v", top, -a.Samples.Limits.MaxViolation)
	}
}

// TestLimitOfRequestBoundsScene: the limit of a request is in the units of the scene,
// and does not loosen that of a robot.
func TestLimitOfRequestBoundsScene(t *testing.T) {
	for _, c := range []struct{ limit, ada, bob float64 }{{2, 2, 2}, {6, 4, 6}} {
		s := planned(t, PlanRequest{Task: "s.yaml", Scene: crossing(1, ""), Limit: &c.limit, Samples: new(1)}).Summary
		if ada, bob := *s.Robots[0].Limit, *s.Robots[1].Limit; ada != c.ada || bob != c.bob {
			t.Errorf("--vmax %v gives limits %v and %v, want %v and %v", c.limit, ada, bob, c.ada, c.bob)
		}
	}
}

func TestPlanRequestsAreRefused(t *testing.T) {
	scene := crossing(1, "")
	for _, c := range []struct {
		field   string
		request PlanRequest
	}{
		{"method", PlanRequest{Method: "magic"}}, {"preset", PlanRequest{Preset: "magic"}}, {"task", PlanRequest{Task: "highway"}},
		{"samples", PlanRequest{Samples: new(0)}}, {"samples", PlanRequest{Samples: new(999999999999)}}, {"samples", PlanRequest{Samples: new(math.MaxInt)}},
		{"vmax", PlanRequest{Limit: new(0.0)}}, {"vmax", PlanRequest{Limit: new(math.Inf(1))}}, {"vmax", PlanRequest{Limit: new(math.NaN())}},
		{"gamma", PlanRequest{Gamma: new(math.NaN())}}, {"gamma", PlanRequest{Gamma: new(1e38)}}, {"gamma", PlanRequest{Gamma: new(-1e38)}},
		{"gamma", PlanRequest{Method: "diffuser", Gamma: new(1.0)}},
		{"search-limit", PlanRequest{Method: "pp", SearchLimit: new(time.Duration(0))}}, {"search-limit", PlanRequest{SearchLimit: new(-time.Second)}},
		{"robots", PlanRequest{Robots: new(0)}}, {"robots", PlanRequest{Robots: new(500), Radius: new(0.05), Task: "empty"}}, {"robots", PlanRequest{Robots: new(1 << 40)}},
		{"radius", PlanRequest{Radius: new(0.0)}}, {"radius", PlanRequest{Radius: new(math.NaN())}}, {"radius", PlanRequest{Radius: new(0.6)}}, {"radius", PlanRequest{Scene: scene, Radius: new(0.1)}},
		{"trial", PlanRequest{Trial: new(-1)}}, {"trial", PlanRequest{Trial: new(1 << 40)}},
		{"robots", PlanRequest{Scene: scene, Robots: new(2)}}, {"trial", PlanRequest{Scene: scene, Trial: new(1)}},
		{"workers", PlanRequest{Workers: 1000000}}, {"workers", PlanRequest{Workers: -1}},
		{"scene", PlanRequest{Scene: new("nonsense: 1")}},
	} {
		_, err := c.request.Check()
		var refused *RequestError
		if !errors.As(err, &refused) || refused.Field != c.field || ClassOf(err) != Usage {
			t.Errorf("%s: %v, class %v", c.field, err, ClassOf(err))
		}
	}
}

// Teams that would not fit are made of smaller robots, and summaries say how large.
func TestLargeTeamsFit(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of the tests of package plan")
	}
	for _, name := range []string{"empty", "highways", "conveyor", "dropregion"} {
		for robots, radius := range map[int]float64{23: 0.05, 64: 0.025, 256: 0.0125} {
			task, err := PlanRequest{Task: name, Robots: &robots, Trial: new(1)}.Check()
			if err != nil {
				t.Fatal(err)
			}
			if got := task.Team.Robots[robots-1].Radius; math.Abs(got-radius) > 1e-15 || len(task.Team.Robots) != robots {
				t.Errorf("%d robots on %s have radius %v, want %v", robots, name, got, radius)
			}
		}
	}
	o := planned(t, PlanRequest{Task: "empty", Robots: new(30), Radius: new(0.02), Samples: new(1)})
	if s := o.Summary; s.Plan == nil || s.Robots[29].Radius != 0.02 {
		t.Errorf("robots %+v, certified %v", s.Robots, s.Plan != nil)
	}
}

// TestTrialBesideSeed: a trial is the published one, whatever the seed of the noise.
func TestTrialBesideSeed(t *testing.T) {
	published, err := PlanRequest{Trial: new(3)}.Check()
	if err != nil {
		t.Fatal(err)
	}
	both, err := PlanRequest{Trial: new(3), Seed: new(uint64(7))}.Check()
	if err != nil {
		t.Fatal(err)
	}
	if published.Team.Robots[2].Start != both.Team.Robots[2].Start || both.Options.Seed != 7 || *both.Trial != 3 {
		t.Errorf("a seed moves the published trial: %+v", both.Options)
	}
	drawn, err := PlanRequest{Seed: new(uint64(7))}.Check()
	if err != nil {
		t.Fatal(err)
	}
	if drawn.Trial != nil || drawn.Team.Robots[2].Start == published.Team.Robots[2].Start {
		t.Error("a seed alone does not draw a trial")
	}
}

// TestInterruptedRunWritesNothing: an interrupted run has no outcome, and what an
// earlier one wrote stays.
func TestInterruptedRunWritesNothing(t *testing.T) {
	dir := t.TempDir()
	request := PlanRequest{Task: "empty", Robots: new(2), Samples: new(2)}
	save := func(ctx context.Context, w Watch) error {
		folder, err := OpenFolder(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Do(ctx, &PlanTask{Request: request}, w, folder)
		return err
	}
	if err := save(t.Context(), Watch{}); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	for _, after := range []int{0, 1, 6} {
		ctx, cancel := context.WithCancel(t.Context())
		if after == 0 {
			cancel()
		}
		request.Seed = new(uint64(9))
		err := save(ctx, Watch{Progress: func(_ string, done, _ int) {
			if done == after {
				cancel()
			}
		}})
		cancel()
		if ClassOf(err) != Interrupted || after > 0 && !strings.Contains(err.Error(), fmt.Sprintf("after %d of 8 steps", after)) {
			t.Errorf("interrupted after %d steps: %v", after, err)
		}
		if got := contents(t, dir); fmt.Sprint(got) != fmt.Sprint(before) {
			t.Errorf("interrupted after %d steps: the folder has changed", after)
		}
	}
	if len(before) != 6 {
		t.Errorf("%d files, want six", len(before))
	}
}

// contents reads a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(data)
	}
	return out
}

// TestVerdictOfInfeasiblePlans: a plan without a feasible sample is delivered with an
// error that says so.
func TestVerdictOfInfeasiblePlans(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of the tests of package plan")
	}
	o := planned(t, PlanRequest{Task: "conveyor", Robots: new(4), Samples: new(1), Method: "diffuser", Preset: "paper", Limit: new(0.01)})
	var none *InfeasibleError
	if o.Summary.Plan != nil || !errors.As(o.Verdict, &none) || ClassOf(o.Verdict) != Infeasible {
		t.Errorf("certified %v, verdict %v", o.Summary.Plan != nil, o.Verdict)
	}
	if o := planned(t, PlanRequest{Task: "empty", Robots: new(1), Samples: new(8)}); o.Summary.Plan == nil || o.Verdict != nil {
		t.Errorf("one robot on an empty floor: certified %v, verdict %v", o.Summary.Plan != nil, o.Verdict)
	}
}

func TestOutputThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(file, "below")} {
		if _, err := OpenFolder(path, nil); ClassOf(err) != Usage || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
