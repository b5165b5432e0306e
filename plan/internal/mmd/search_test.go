package mmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/tensor"
)

// The methods that are published.
var (
	cbs   = Method{}
	pp    = Method{ByPriority: true}
	ecbs  = Method{Soft: true}
	xcbs  = Method{Warm: true}
	xecbs = Method{Soft: true, Warm: true}
)

// canned is a low-level planner that plays recorded batches: plan j of robot i is
// batches[i][min(j, last)]. It keeps what it was asked for.
type canned struct {
	batches [][]*Batch
	asked   []Request
	fail    error // returned by the plan with number failAt
	failAt  int
}

func (c *canned) Plan(ctx context.Context, r Request) (*Batch, error) {
	if c.fail != nil && len(c.asked) == c.failAt {
		return nil, c.fail
	}
	c.asked = append(c.asked, r)
	of := c.batches[r.Robot]
	return of[min(r.Replan, len(of)-1)], nil
}

// newBatch makes a Batch of paths at rest, of which the shortest free one is best.
func newBatch(free []int, paths ...[]geom.Vec2) *Batch {
	b := &Batch{States: tensor.New(len(paths), len(paths[0]), Channels), Free: free, Best: -1}
	shortest := math.Inf(1)
	for k, path := range paths {
		for h, p := range path {
			at := b.States.Sample(k)[h*Channels:]
			at[0], at[1] = float32(p.X), float32(p.Y)
		}
		if l := geom.Length(path); slices.Contains(free, k) && l < shortest {
			b.Best, shortest = k, l
		}
	}
	return b
}

// searchLog is a case of the high-level vectors.
type searchLog struct {
	Case        int       `json:"case"`
	N           int       `json:"N"`
	ECBS        bool      `json:"ecbs"`
	Free        [][][]int `json:"free_indices"`
	CBS         outcome   `json:"cbs"`
	Prioritized outcome   `json:"prioritized"`
}

type outcome struct {
	Expansions int    `json:"expansions"`
	Status     string `json:"status"`
	Conflicts  int    `json:"conflicts"`
	Calls      []struct {
		Agent       int `json:"agent"`
		Call        int `json:"call"`
		Constraints []struct {
			N      int        `json:"n"`
			Soft   bool       `json:"soft"`
			First  [2]float64 `json:"first_center"`
			Ranges [2][2]int  `json:"t_ranges_first_last"`
			Radius float64    `json:"radius"`
		} `json:"constraints"`
	} `json:"calls"`
}

func searchLogs(t *testing.T) []searchLog {
	t.Helper()
	data, err := os.ReadFile("testdata/search_log.json")
	if err != nil {
		t.Fatal(err)
	}
	var logs []searchLog
	if err := json.Unmarshal(data, &logs); err != nil {
		t.Fatal(err)
	}
	return logs
}

// recordedPlans reads the canned batches of a case.
func recordedPlans(g *golden.Archive, log searchLog) *canned {
	const calls, samples, size = 8, 5, 64 * 2
	flat := g.Float32(fmt.Sprint("batches_", log.Case))
	c := &canned{}
	for i := range log.N {
		c.batches = append(c.batches, nil)
		for j := range calls {
			var paths [][]geom.Vec2
			for k := range samples {
				at := ((i*calls+j)*samples + k) * size
				paths = append(paths, geom.Points(nil, flat[at:at+size], 2))
			}
			c.batches[i] = append(c.batches[i], newBatch(log.Free[i][j], paths...))
		}
	}
	return c
}

// compareSearch compares the decisions of a search with those of the reference.
func compareSearch(t *testing.T, what string, s *Search, n *Node, asked []Request, want outcome, paths []float32) {
	t.Helper()
	statuses := map[string]Status{
		"TrialSuccessStatus.SUCCESS": Solved, "TrialSuccessStatus.FAIL_COLLISION_AGENTS": Conflicting,
	}
	if r := s.report; r.Status != statuses[want.Status] || r.Expanded != want.Expansions || r.Conflicts != want.Conflicts {
		t.Errorf("%s: report %+v, want status %s after %d expansions with %d conflicts", what, r, want.Status, want.Expansions, want.Conflicts)
	}
	var flat []float32
	for _, r := range n.robots {
		for _, p := range r.path {
			flat = append(flat, float32(p.X), float32(p.Y))
		}
	}
	if !slices.Equal(flat, paths) {
		t.Errorf("%s: the paths are not those of the reference", what)
	}
	if len(asked) != len(want.Calls) || s.report.Plans != len(asked) {
		t.Fatalf("%s: %d plans, reported as %d, want %d", what, len(asked), s.report.Plans, len(want.Calls))
	}
	for k, r := range asked {
		call := want.Calls[k]
		if r.Robot != call.Agent || r.Replan != call.Call || len(r.Constraints) != len(call.Constraints) {
			t.Fatalf("%s: plan %d is replan %d of robot %d under %d constraints, want %+v", what, k, r.Replan, r.Robot, len(r.Constraints), call)
		}
		for l, c := range r.Constraints {
			w := call.Constraints[l]
			first, last := c.Disks[0], c.Disks[len(c.Disks)-1]
			ok := len(c.Disks) == w.N && c.Soft == w.Soft &&
				first.near(Disk{geom.Vec2{X: w.First[0], Y: w.First[1]}, w.Radius, w.Ranges[0][0], w.Ranges[0][1]}) &&
				last.From == w.Ranges[1][0] && last.To == w.Ranges[1][1]
			if !ok {
				t.Errorf("%+v: plan %d, Constraint %d is %d disks from %+v to %+v, soft %v; want %+v", what, k, l, len(c.Disks), first, last, c.Soft, w)
			}
		}
	}
}

func TestReferenceSearch(t *testing.T) {
	g := golden.Open(t, "testdata/search.npz")
	for _, log := range searchLogs(t) {
		method := cbs
		if log.ECBS {
			method = ecbs
		}
		for _, c := range []struct {
			name   string
			method Method
			want   outcome
		}{{"cbs", method, log.CBS}, {"pp", pp, log.Prioritized}} {
			what := fmt.Sprintf("%s, case %d", c.name, log.Case)
			low := recordedPlans(g, log)
			s := New(teamOfEqual(log.N), low, c.method, Options{})
			n, err := s.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			compareSearch(t, what, s, n, low.asked, c.want, g.Float32(fmt.Sprintf("best_paths_%s_%d", c.name, log.Case)))
		}
	}
}

// stay is the path of a robot that rests at a point.
func stay(x, y float64) []geom.Vec2 { return slices.Repeat([]geom.Vec2{{X: x, Y: y}}, 64) }

// cross is the path of a robot from -x to x at a height.
func cross(x, y float64) []geom.Vec2 {
	var p []geom.Vec2
	for h := range 64 {
		p = append(p, geom.Vec2{X: x * (2*float64(h)/63 - 1), Y: y})
	}
	return p
}

// duel is two robots that meet head on, whatever they plan.
func duel() *canned {
	return &canned{batches: [][]*Batch{{newBatch([]int{0}, cross(0.8, 0))}, {newBatch([]int{0}, cross(-0.8, 0))}}}
}

// ticks is a clock that moves on by a second whenever it is looked at.
func ticks() func() time.Time {
	now := time.Unix(0, 0)
	return func() time.Time { now = now.Add(time.Second); return now }
}

func TestSearchStopsAtItsLimits(t *testing.T) {
	for want, o := range map[Status]Options{
		TimeLimit:      {TimeLimit: 30 * time.Second, Now: ticks()},
		ExpansionLimit: {Expansions: 7, TimeLimit: -1},
	} {
		s := New(teamOfEqual(2), duel(), cbs, o)
		n, err := s.Run(context.Background())
		if err != nil || n == nil {
			t.Fatalf("run = %v, %v, want the node expanded last", n, err)
		}
		r := s.report
		if r.Status != want || r.Conflicts != len(n.conflicts) || r.Conflicts == 0 {
			t.Errorf("report %+v, want %s with the conflicts of the paths", r, want)
		}
		if want == ExpansionLimit && (r.Expanded != 7 || r.Plans != 16) {
			t.Errorf("%d expansions and %d plans, want 7 and 16", r.Expanded, r.Plans)
		}
		if want == TimeLimit && (r.Seconds < 30 || r.Expanded > 15) {
			t.Errorf("%+v, want the limit to pass after 30 looks at the clock", r)
		}
	}
}

// When the first robot of a conflict has no free path the second is not planned
// any more; when the second has none, the child of the first stays.
func TestExpansionIsAbandoned(t *testing.T) {
	for failing, plans := range map[int]int{0: 3, 1: 4} {
		low := duel()
		low.batches[failing] = append(low.batches[failing], newBatch(nil, cross(0.8, 0)))
		if failing == 1 { // the child of robot 0 is without conflict
			low.batches[0] = append(low.batches[0], newBatch([]int{0}, stay(-0.8, 0.5)))
		}
		s := New(teamOfEqual(2), low, cbs, Options{})
		n, err := s.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		want := []Status{Exhausted, Solved}[failing]
		if r := s.report; r.Status != want || r.Plans != plans || r.Abandoned != 1 || len(n.conflicts) != r.Conflicts {
			t.Errorf("robot %d without a path: report %+v, want %s after %d plans, 1 abandoned", failing, r, want, plans)
		}
	}
}

// Of the free samples the first with the fewest conflicts is taken.
func TestReplansTakeTheFewestConflicts(t *testing.T) {
	low := duel()
	aside := func(y float64) []geom.Vec2 { return cross(0.8, y) }
	low.batches[0] = append(low.batches[0], newBatch([]int{1, 2, 3, 4}, aside(0.3), aside(0.05), aside(0.2), aside(0.09), aside(0.3)))
	s := New(teamOfEqual(2), low, cbs, Options{})
	n, err := s.Run(context.Background())
	if err != nil || s.report.Status != Solved {
		t.Fatalf("run: %v, %+v, want a solution", err, s.report)
	}
	if got := n.robots[0].path[0].Y; math.Abs(got-0.2) > 1e-6 {
		t.Errorf("robot 0 takes the path at y = %v, want 0.2", got)
	}
}

func TestSearchWithoutAPath(t *testing.T) {
	for _, method := range []Method{cbs, pp, ecbs, xcbs, xecbs} {
		low := duel()
		low.batches[1] = []*Batch{newBatch(nil, cross(-0.8, 0))}
		team := teamOfEqual(2)
		team[1].Name = "second"
		s := New(team, low, method, Options{})
		n, err := s.Run(context.Background())
		if n != nil || err != nil || s.report.Status != NoPath || s.report.Robot != "second" {
			t.Errorf("%+v: node %v, error %v, report %+v; want none, and no path for the second", method, n, err, s.report)
		}
	}
}

// Only the variants that say so start from the Batch before, and that of the node
// which is expanded.
func TestWarmVariantsHandOverTheirBatch(t *testing.T) {
	for _, method := range []Method{cbs, pp, ecbs, xcbs, xecbs} {
		low := duel()
		for i, b := range low.batches {
			low.batches[i] = append(b, newBatch([]int{0}, b[0].Path(0)))
		}
		s := New(teamOfEqual(2), low, method, Options{Expansions: 3})
		if _, err := s.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		for k, r := range low.asked {
			warm := method.Warm && r.Replan > 0
			if (r.Seed != nil) != warm {
				t.Errorf("%+v: plan %d has seed %v, want one: %v", method, k, r.Seed != nil, warm)
			}
			if !warm {
				continue
			}
			hard := 0
			for _, c := range r.Constraints {
				if !c.Soft {
					hard++
				}
			}
			if want := low.batches[r.Robot][min(hard-1, 1)]; r.Seed != want {
				t.Errorf("%+v: plan %d of robot %d under %d constraints does not start from that under one less", method, k, r.Robot, hard)
			}
		}
	}
}

func TestSearchReturnsErrorsOfPlans(t *testing.T) {
	broken := errors.New("broken")
	for at := range 6 {
		for _, c := range []struct {
			err  error
			want Status
		}{{broken, Broken}, {context.Canceled, Cancelled}} {
			low := duel()
			low.fail, low.failAt = c.err, at
			s := New(teamOfEqual(2), low, cbs, Options{})
			n, err := s.Run(context.Background())
			if !errors.Is(err, c.err) || s.report.Status != c.want || (n != nil) != (at >= 2) {
				t.Errorf("error of plan %d: node %v, error %v, report %+v; want the error, %s, and a node after the first two", at, n != nil, err, s.report, c.want)
			}
		}
	}
}

func TestSearchReportsEveryPlan(t *testing.T) {
	var plans []int
	s := New(teamOfEqual(2), duel(), cbs, Options{Expansions: 2, Progress: func(r Report) {
		if r.Status == Searching {
			plans = append(plans, r.Plans)
		}
	}})
	if _, err := s.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if want := []int{1, 2, 3, 4, 5, 6}; !slices.Equal(plans, want) {
		t.Errorf("progress after the plans %v, want %v", plans, want)
	}
}
