package plan

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/golden"
	navmetric "github.com/go-pcd/pcd/internal/metric/nav2d"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/plan/internal/mmd"
)

// brief are options of a search that is over soon.
func brief(t *testing.T, m Method, preset string) Options {
	return Options{Method: m, Samples: 2, Settings: settings(t, preset), Seed: 4, Search: SearchOptions{Expansions: 2, TimeLimit: -1}}
}

// The random network crosses the map at every step, but the batch-wide rule keeps
// it inside, so that all its paths are free where there are no obstacles.
func TestSearchGivesOneJointSample(t *testing.T) {
	thorough.Test(t)
	team := fourOnEmpty(t)
	for _, method := range searchMethods() {
		r, err := Run(context.Background(), team, brief(t, method, "mmd"))
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		if r.Status != pcd.Complete || r.Search == nil || r.Search.Plans < 4 || len(r.Judged) != 1 || len(r.Limits) != 4 {
			t.Errorf("%s: %+v, want a complete run with one judged sample", method, r)
		}
		for i, x := range r.Samples {
			if x.N != 1 || !slices.Equal(x.Shape, []int{64, channels}) {
				t.Errorf("%s: robot %d has %d trajectories of shape %v, want one of 64 states", method, i, x.N, x.Shape)
			}
		}
		want := mmd.ExpansionLimit
		if method == PP {
			want = mmd.Conflicting
		}
		if r.Search.Status != want || r.Search.Conflicts == 0 {
			t.Errorf("%s: %+v, want %s with conflicts", method, r.Search, want)
		}
	}
}

// Where other costs see points between waypoints, constraints still name waypoints.
func TestSearchBesideSweptCosts(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	team := fourOnEmpty(t)
	for _, method := range searchMethods() {
		if _, err := Run(t.Context(), team, brief(t, method, "default")); err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
}

func TestSearchOfOneRobotIsSolved(t *testing.T) {
	team := pairOnEmpty(t)
	team.Robots = team.Robots[:1]
	for _, method := range searchMethods() {
		r, err := Run(context.Background(), team, brief(t, method, "mmd"))
		if err != nil {
			t.Fatal(err)
		}
		if r.Search.Err() != nil || r.Search.Plans != 1 || !r.Judged[0].Safe() || r.Nearest().Sample != 0 {
			t.Errorf("%s: %+v, want a solution by one plan", method, r.Search)
		}
	}
}

// All variants give the same result on one goroutine and on three.
func TestSearchDoesNotDependOnGoroutines(t *testing.T) {
	team := fourOnEmpty(t)
	for _, method := range []Method{MMDCBS, XECBS} {
		o := brief(t, method, "mmd")
		o.Workers = 1
		want, err := Run(context.Background(), team, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Workers = 3
		got, err := Run(context.Background(), team, o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want.Samples {
			if !slices.Equal(got.Samples[i].Data, want.Samples[i].Data) {
				t.Errorf("%s: robot %d differs between 1 and 3 goroutines", method, i)
			}
		}
		got.Search.Seconds = want.Search.Seconds
		if *got.Search != *want.Search {
			t.Errorf("%s: %+v on 3 goroutines, %+v on one", method, got.Search, want.Search)
		}
	}
}

// With goals pinned, robots start and end where they should although the paths
// are smoothed; a limit that is too low for the goal is no objection.
func TestSearchKeepsEndsButNotLimits(t *testing.T) {
	team := pairOnEmpty(t)
	team.Robots = team.Robots[:1]
	team.Robots[0].Limit = 1e-3
	o := brief(t, MMDCBS, "mmd")
	o.Settings.PinGoal = true
	r, err := Run(context.Background(), team, o)
	if err != nil {
		t.Fatal(err)
	}
	path := geom.Points(nil, r.Samples[0].Data, channels)
	if path[0] != team.Robots[0].Start || path[63] != team.Robots[0].Goal {
		t.Errorf("from %v to %v, want from %v to %v", path[0], path[63], team.Robots[0].Start, team.Robots[0].Goal)
	}
	if r.SampleLimits.Certified || r.Judged[0].Within(0, 1e-3) || !(r.SampleLimits.MaxViolation > 0) {
		t.Errorf("certificate %+v of a path that is too fast", r.SampleLimits)
	}
}

// Results are in the units of the task; the search is not concerned.
func TestSearchInUnitsOfTheTask(t *testing.T) {
	team := pairOnEmpty(t)
	o := brief(t, MMDCBS, "mmd")
	o.Settings.PinGoal = true
	inMap, err := Run(context.Background(), team, o)
	if err != nil {
		t.Fatal(err)
	}
	team.Frame = nav2d.Frame{Center: geom.Vec2{X: 4, Y: -2}, Scale: 10}
	got, err := Run(context.Background(), team, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range got.Samples {
		want := inMap.Samples[i].Clone()
		team.toTask(want)
		golden.Close(t, "trajectory", x.Data, want.Data, 1e-5, 0)
		if goal := team.Frame.FromMap(team.Robots[i].Goal); geom.Points(nil, x.Data, channels)[63] != goal {
			t.Errorf("robot %d does not end at its goal %v", i, goal)
		}
	}
	got.Search.Seconds = inMap.Search.Seconds
	if *got.Search != *inMap.Search || got.Judged[0].Meeting != inMap.Judged[0].Meeting {
		t.Errorf("search %+v, want %+v", got.Search, inMap.Search)
	}
}

// The random network finds no way between obstacles.
func TestSearchWithoutResult(t *testing.T) {
	team := pairOnEmpty(t)
	team.Map = nav2d.Conveyor()
	team.Robots[0].Start = geom.Vec2{X: -0.8, Y: 0.8}
	r, err := Run(context.Background(), team, brief(t, MMDCBS, "mmd"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Search.Status != NoPath || r.Search.Robot != "robot 0" || r.Samples != nil || r.Nearest() != nil || r.Refusal == nil || !errors.As(r.Refusal, new(*SearchError)) {
		t.Errorf("search %+v, refused with %v, want no path for robot 0 and no trajectories", r.Search, r.Refusal)
	}
	var failed *SearchError
	if err := r.Search.Err(); !errors.As(err, &failed) || !strings.Contains(err.Error(), "robot 0") {
		t.Errorf("Search.Err() = %v, want a SearchError that names robot 0", err)
	}
	if len(r.Judged) != 1 || r.Judged[0].Success() || !math.IsNaN(r.Judged[0].TopSpeed[0]) {
		t.Errorf("judged %+v, want that of no result", r.Judged)
	}
	if s := navmetric.Summarise([][]navmetric.Sample{r.Judged}, r.Limits); s.LimitTrials != 0 || s.Success.Mean != 0 {
		t.Errorf("summary %+v, want a failure that is left out of the speeds", s)
	}
}

// A search that is cancelled has the paths of the node it was at, as soon as all
// robots have one. They are not judged: nothing unfinished is feasible.
func TestSearchCanBeCancelled(t *testing.T) {
	team := fourOnEmpty(t)
	for after, whole := range map[int]bool{0: false, 1: false, 4: true, 5: true} {
		ctx, cancel := context.WithCancel(context.Background())
		o := brief(t, MMDCBS, "mmd")
		o.Search.Progress = func(r SearchReport) {
			if r.Plans == after {
				cancel()
			}
		}
		if after == 0 {
			cancel()
		}
		r, err := Run(ctx, team, o)
		if !errors.Is(err, context.Canceled) || r.Status != pcd.Interrupted || r.Search.Status != mmd.Cancelled {
			t.Errorf("cancelled after %d plans: error %v, status %v, search %+v", after, err, r.Status, r.Search)
		}
		if r.Nearest() != nil || r.SampleLimits.Certified {
			t.Errorf("cancelled after %d plans: plan %+v, limits %+v", after, r.Nearest(), r.SampleLimits)
		}
		if judged := len(r.Judged); (r.Samples != nil) != whole || judged != 0 && whole || r.Search.Plans != after {
			t.Errorf("cancelled after %d plans: %d plans, %d trajectories, want them: %v", after, r.Search.Plans, len(r.Samples), whole)
		}
		cancel()
	}
}

// Progress counts the steps of the first plans.
func TestSearchProgress(t *testing.T) {
	var done []int
	o := brief(t, MMDCBS, "mmd")
	o.Progress = func(d, total int) {
		if total != 50 {
			t.Errorf("progress out of %d steps, want 50", total)
		}
		done = append(done, d)
	}
	if _, err := Run(context.Background(), pairOnEmpty(t), o); err != nil {
		t.Fatal(err)
	}
	for i, d := range done {
		if d != i+1 {
			t.Fatalf("progress %v, want 1 to 50", done)
		}
	}
	if len(done) != 50 {
		t.Errorf("%d calls, want 50", len(done))
	}
}

func TestSearchRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Team, *Options)
		want   any // pointer to the type of the error, or nil
	}{
		"starts in conflict": {func(team *Team, _ *Options) { team.Robots[1].Start = geom.Vec2{X: -0.5 + 0.102, Y: -0.5} }, new(*CollisionError)},
		"goals in conflict":  {func(team *Team, _ *Options) { team.Robots[1].Goal = geom.Vec2{X: 0.5, Y: 0.5 - 0.102} }, new(*CollisionError)},
		"limit":              {func(team *Team, _ *Options) { team.Robots[1].Limit = math.NaN() }, new(*LimitError)},
		"samples":            {func(_ *Team, o *Options) { o.Samples = -1 }, new(*pcd.ProblemError)},
		"expansions":         {func(_ *Team, o *Options) { o.Search.Expansions = -1 }, nil},
		"short models": {func(team *Team, _ *Options) {
			spec := team.Robots[0].Model.Spec
			spec.Network.Horizon = 8
			net, err := spec.NewNetwork(1)
			if err != nil {
				t.Fatal(err)
			}
			m, err := spec.With(net)
			if err != nil {
				t.Fatal(err)
			}
			team.Robots[0].Model, team.Robots[1].Model = m, m
		}, nil},
	} {
		team, o := pairOnEmpty(t), brief(t, MMDCBS, "default")
		c.change(&team, &o)
		r, err := Run(context.Background(), team, o)
		if err == nil || r != nil {
			t.Errorf("%s: Run = %v, %v, want an error and nothing else", name, r, err)
		}
		if c.want != nil && !errors.As(err, c.want) {
			t.Errorf("%s: error is %T (%v), want %v", name, err, err, reflect.TypeOf(c.want).Elem())
		}
	}
}

func TestMethodsHaveTheirNames(t *testing.T) {
	for _, m := range Methods() {
		if got, err := ParseMethod(string(m)); err != nil || got != m {
			t.Errorf("ParseMethod(%q) = %v, %v", m, got, err)
		}
		if m.Searches() == slices.Contains(jointMethods(), m) {
			t.Errorf("%s searches: %v, want either that or a joint method", m, m.Searches())
		}
	}
}
