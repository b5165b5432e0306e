package planner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/exact"
	"github.com/go-pcd/pcd/internal/judge"
	"github.com/go-pcd/pcd/internal/messages"
	"github.com/go-pcd/pcd/plan"
)

// judged is a scene whose robots have all that is judged: walls, traffic, a margin and limits.
const judged = `units: m
duration: 12
margin: 0.05
bounds: {min: [0, 0], max: [10, 6]}
boxes: [{center: [5, 3], size: [1, 1.5], radius: 0.1, angle: 20}]
circles: [{center: [2, 5], radius: 0.5}]
traffic: [{name: cart, radius: 0.2, path: [[1, 8, 0.5], [7.3, 8, 5.5]]}]
robots:
- {name: ada, start: [1, 3], goal: [9, 3], radius: 0.3, speed: 2, acceleration: 1.5}
- {name: bob, start: [9, 2], goal: [1, 2], radius: 0.25, speed: 1.5}
- {name: cleo, start: [1, 1], goal: [9, 5], radius: 0.3, speed: 2, acceleration: 2}
`

// plansToJudge holds a certified plan of the scene for each motion, made once.
var plansToJudge = map[plan.Motion]func() (*Outcome[PlanSummary], error){}

func init() {
	for _, motion := range plan.Motions() {
		plansToJudge[motion] = sync.OnceValues(func() (*Outcome[PlanSummary], error) {
			r := PlanRequest{Task: "judged", Scene: new(judged), Motion: string(motion)}
			return Do(context.Background(), &PlanTask{Request: r}, Watch{}, nil)
		})
	}
}

func plannedToJudge(t *testing.T, motion plan.Motion) *Outcome[PlanSummary] {
	t.Helper()
	out, err := plansToJudge[motion]()
	if err != nil || out.Verdict != nil {
		t.Fatal(err, out.Verdict)
	}
	return out
}

func judgeFile(t *testing.T, name string, data []byte) (*JudgeSummary, error) {
	t.Helper()
	out, err := Do(t.Context(), &JudgeTask{Request: JudgeRequest{Task: "judged", Scene: new(judged), Paths: []PathFile{{name, data}}}}, Watch{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Summary, out.Verdict
}

// tableOf returns the table of a plan on curves, from the numbers of plan.json.
func tableOf(t *testing.T, s *PlanSummary, rate float64) []byte {
	t.Helper()
	var curves []geom.Curve
	for _, r := range s.Robots {
		c := geom.Curve{Step: s.Times[1]}
		for _, x := range s.Plan.Trajectories[r.Name] {
			c.X, c.V = append(c.X, geom.Vec2{X: x[0], Y: x[1]}), append(c.V, geom.Vec2{X: x[2], Y: x[3]})
		}
		curves = append(curves, c)
	}
	var table bytes.Buffer
	if err := writeMotion(&table, s.Robots, curves, rate, messages.Made{}); err != nil {
		t.Fatal(err)
	}
	return table.Bytes()
}

// A plan that is judged as plan.json, or as a table of whatever rate, has the margins that the
// plan has, and a proof. Of speeds these are no more than there is.
func TestJudgedPlansHaveTheirMargins(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of the tests of package plan")
	}
	t.Parallel()
	for _, motion := range plan.Motions() {
		out := plannedToJudge(t, motion)
		data, err := json.Marshal(out.Summary)
		if err != nil {
			t.Fatal(err)
		}
		files := []PathFile{{"plan.json", data}}
		if motion == plan.Curve {
			for _, rate := range []float64{12, 50} {
				files = append(files, PathFile{fmt.Sprintf("at %v.csv", rate), tableOf(t, out.Summary, rate)})
			}
		}
		for _, f := range files {
			s, verdict := judgeFile(t, f.Name, f.Data)
			if verdict != nil || s.Proof == nil {
				t.Fatalf("%s: %v", f.Name, verdict)
			}
			found := map[string]float64{}
			for _, m := range s.Certificate.Margins {
				found[string(m.Constraint)] = m.Margin
			}
			for _, m := range out.Summary.Plan.Certificate.Margins {
				got, loose := found[m.Constraint], 0.01
				if m.Constraint == string(judge.Speed) {
					loose = 0.2 // the hull of velocities of a whole span
				}
				if got < m.Margin-1e-6 || got > m.Margin+loose {
					t.Errorf("%s of %s: %s of %v, in the plan %v", f.Name, motion, m.Constraint, got, m.Margin)
				}
			}
			if f.Name != "at 50.csv" {
				checkJudged(t, s)
			}
		}
	}
}

// checkJudged checks the proof of a judgement in rational numbers.
func checkJudged(t *testing.T, s *JudgeSummary) {
	t.Helper()
	p := s.Proof
	all := append(append([]ProofPath{}, p.Robots...), p.Traffic...)
	ends := map[[3]int]float64{}
	rows := func(kind int, rows [][6]float64, differences func(i, j int, from, to float64) []exact.Vec, size func(i, j int) float64) {
		for _, r := range rows {
			i, j := int(r[0]), int(r[1])
			key := [3]int{kind, i, j}
			if last := ends[key]; last != r[2] && !(kind == 1 && boxesPart(p, i, j, last, r[2])) {
				t.Fatalf("a gap before %v", r)
			}
			ends[key] = r[3]
			n := exact.Of(geom.Vec2{X: r[4], Y: r[5]})
			need := exact.Number(size(i, j))
			need.Mul(need, need).Mul(need, n.Dot(n))
			for _, d := range differences(i, j, r[2], r[3]) {
				if along := n.Dot(d); along.Sign() < 0 || along.Mul(along, along).Cmp(need) < 0 {
					t.Fatalf("row %v fails", r)
				}
			}
		}
	}
	rows(0, p.Pairs, func(i, j int, from, to float64) (out []exact.Vec) {
		cuts := append([]float64{from}, breaks(from, to, all[i].Times, all[j].Times)...)
		for k := range len(cuts) - 1 {
			a, b := hullOf(all[i], cuts[k], cuts[k+1]), hullOf(all[j], cuts[k], cuts[k+1])
			for m := range a {
				out = append(out, exact.Vec{X: exact.Sub(a[m][0], b[m][0]), Y: exact.Sub(a[m][1], b[m][1])})
			}
		}
		return out
	}, func(i, j int) float64 { return all[i].Radius + all[j].Radius })
	rows(1, p.Obstacles, func(i, j int, from, to float64) (out []exact.Vec) {
		cuts := append([]float64{from}, breaks(from, to, all[i].Times)...)
		for k := range len(cuts) - 1 {
			for _, x := range hullOf(all[i], cuts[k], cuts[k+1]) {
				for _, v := range p.Solids[j].Core {
					out = append(out, exact.Vec{X: x[0], Y: x[1]}.Sub(exact.Of(geom.Vec2{X: v[0], Y: v[1]})))
				}
			}
		}
		return out
	}, func(i, j int) float64 { return all[i].Radius + p.Solids[j].Radius })
	const end = 12 // the duration of the scene: what rests after its last point is judged up to it
	for i := range p.Robots {
		for j := i + 1; j < len(all); j++ {
			if last := ends[[3]int{0, i, j}]; last != end {
				t.Fatalf("rows of %d and %d end at %v", i, j, last)
			}
		}
		for o := range p.Solids {
			if last := ends[[3]int{1, i, o}]; last != end && !boxesPart(p, i, o, last, end) {
				t.Fatalf("rows of robot %d and obstacle %d end at %v", i, o, last)
			}
		}
	}
}

// boxesPart reports whether the boxes around all pieces of a robot's motion between two times lie beyond
// that of an obstacle.
func boxesPart(p *JudgeProof, i, o int, from, to float64) bool {
	size := exact.Add(rat(p.Robots[i].Radius), rat(p.Solids[o].Radius))
	for _, until := range breaks(from, to, p.Robots[i].Times) {
		piece := hullOf(p.Robots[i], from, until)
		if !beyond(piece[:], p.Solids[o].Core, size) {
			return false
		}
		from = until
	}
	return true
}

// breaks returns the times of some lists after from, up to and including to.
func breaks(from, to float64, lists ...[]float64) (out []float64) {
	for at := from; at < to; {
		next := to
		for _, list := range lists {
			for _, t := range list {
				if t > at {
					next = min(next, t)
				}
			}
		}
		out, at = append(out, next), next
	}
	return out
}

// hullOf returns the four points of a path between two times within a piece, exactly.
func hullOf(p ProofPath, from, to float64) (out hull) {
	k := 0
	for k < len(p.Times)-2 && p.Times[k+1] <= from {
		k++
	}
	a, b := p.Times[k], p.Times[k+1]
	x, y := p.States[k], p.States[k+1]
	if from < a || from >= b { // it rests
		for m := range out {
			out[m] = point{rat(x[0]), rat(x[1])}
			if from >= b {
				out[m] = point{rat(y[0]), rat(y[1])}
			}
		}
		return out
	}
	dt := exact.Sub(rat(b), rat(a))
	if len(x) == 4 {
		out = spanOf([][]float64{x, y}, 0, dt)
	} else {
		out = straightPart([][2]float64{{x[0], x[1]}, {y[0], y[1]}}, []float64{0, 1}, rat(0), rat(1))
	}
	u, v := exact.Sub(rat(from), rat(a)), exact.Sub(rat(to), rat(a))
	return out.cut(u.Quo(u, dt), v.Quo(v, dt))
}

// Files that were tampered with are refused, and it is said why.
func TestTamperedPathsAreRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of the tests of package plan")
	}
	data, err := json.Marshal(plannedToJudge(t, plan.Curve).Summary)
	if err != nil {
		t.Fatal(err)
	}
	var f map[string]any
	for what, c := range map[string]struct {
		change func(states []any)
		want   string
	}{
		"through the wall":  {func(s []any) { s[30].([]any)[0], s[30].([]any)[1] = 5.0, 3.0 }, "obstacles"},
		"too fast":          {func(s []any) { s[30].([]any)[2] = 60.0 }, "speed"},
		"begins elsewhere":  {func(s []any) { s[0].([]any)[0] = 1.2 }, "start"},
		"ends elsewhere":    {func(s []any) { s[63].([]any)[1] = 3.1 }, "goal"},
		"begins in motion":  {func(s []any) { s[0].([]any)[2] = 0.3 }, "acceleration"},
		"leaves the border": {func(s []any) { s[40].([]any)[1] = 8.0 }, "border"},
	} {
		if err := json.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
		states := f["plan"].(map[string]any)["trajectories"].(map[string]any)["ada"].([]any)
		c.change(states)
		changed, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		s, verdict := judgeFile(t, "plan.json", changed)
		var refused *JudgedError
		if !errors.As(verdict, &refused) || !errors.Is(verdict, pcd.ErrUncertified) || ClassOf(verdict) != Uncertified || len(s.Contradictions) == 0 || s.Proof != nil {
			t.Errorf("%s: %v, contradictions %q", what, verdict, s.Contradictions)
		}
		told := ""
		for _, fault := range append(s.Contacts, s.Exceeded...) {
			told += string(fault.Constraint) + ","
		}
		if !strings.Contains(told, c.want) {
			t.Errorf("%s: %s fails, want %s", what, told, c.want)
		}
	}
	for _, c := range []struct{ from, to, want string }{
		{`"radius":0.3`, `"radius":0.2`, "the radius of ada is 0.2, which is 0.3"},
		{`"constraint":"obstacles","margin":`, `"constraint":"obstacles","margin":1`, "the margin of obstacles is 1"},
	} {
		changed := strings.Replace(string(data), c.from, c.to, 1)
		if changed == string(data) {
			t.Fatalf("no %s in %.2000s", c.from, data)
		}
		s, verdict := judgeFile(t, "plan.json", []byte(changed))
		if ClassOf(verdict) != Uncertified || !strings.Contains(strings.Join(s.Contradictions, ";"), c.want) {
			t.Errorf("%s: %v, contradictions %q", c.to, verdict, s.Contradictions)
		}
	}
}

// Every contact of straight paths is told: with whom, when, where and how deep.
func TestEveryContactIsTold(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of the tests of package plan")
	}
	table := "t,robot,x,y\n0,ada,1,3\n1,ada,3,3\n4,ada,9,3\n0,bob,9,2\n8,bob,1,2\n0,cleo,1,1\n10,cleo,9,5\n"
	s, verdict := judgeFile(t, "paths.csv", []byte(table))
	if verdict == nil {
		t.Fatal("certified")
	}
	type contact struct {
		robot, other string
		obstacle     int
	}
	told := map[contact]JudgedFault{}
	for _, f := range s.Contacts {
		c := contact{f.Robot, f.Other, -1}
		if f.Obstacle != nil {
			c.obstacle = *f.Obstacle
		}
		told[c] = f
	}
	for _, want := range []contact{{"ada", "", 0}, {"cleo", "", 0}, {"bob", "", 0}, {"ada", "cart", -1}} {
		f, ok := told[want]
		if !ok {
			t.Errorf("%v is not told", want)
		}
		if !(f.From < f.Time && f.Time < f.To) || f.By <= 0 || math.Abs(f.By+f.Gap-0.05) > 1e-9 {
			t.Errorf("%v: %+v", want, f)
		}
		delete(told, want)
	}
	if len(told) > 0 {
		t.Errorf("told besides: %v", told)
	}
	if len(s.Exceeded) == 0 || s.Exceeded[0].Constraint != judge.Acceleration {
		t.Errorf("limits: %+v, want the acceleration of the first step", s.Exceeded)
	}
}

func TestJudgeRequestsAreChecked(t *testing.T) {
	paths := []PathFile{{"p.csv", []byte("t,robot,x,y\n0,ada,1,3\n")}}
	for what, r := range map[string]JudgeRequest{
		"no paths":               {Scene: new(judged)},
		"a path is missing":      {Scene: new(judged), Paths: paths},
		"two paths of one robot": {Scene: new(judged), Paths: append(paths, paths[0])},
		"unknown robot":          {Scene: new("duration: 3\n"), Paths: paths},
		"no paths at all":        {Scene: new(judged), Paths: []PathFile{{"p.csv", []byte("nothing")}}},
		"motion":                 {Scene: new(judged), Paths: paths, Motion: "jump"},
		"radius":                 {Scene: new("duration: 3\n"), Paths: paths, Radius: new(-1.0)},
		"map":                    {Task: "nowhere", Paths: paths},
		"scene":                  {Scene: new("bounds: 3\n"), Paths: paths},
	} {
		if err := (&JudgeTask{Request: r}).Check(); ClassOf(err) != Usage {
			t.Errorf("%s: %v", what, err)
		}
	}
	// A file that says that it was made for another scene is judged, and it is told.
	told := JudgeRequest{Scene: new("bounds: {min: [0, 0], max: [4, 4]}\n"), Radius: new(0.5), Paths: []PathFile{
		{"p.csv", []byte("# scene sha256: " + strings.Repeat("0", 64) + "\nt,robot,x,y\n0,ada,1,3\n")}}}
	if out, err := Do(t.Context(), &JudgeTask{Request: told}, Watch{}, nil); err != nil || !strings.Contains(strings.Join(out.Summary.Notes, ";"), "made for another scene") {
		t.Errorf("%v, error %v", out, err)
	}
	// Robots that the scene does not list have the radius that is given.
	out, err := Do(t.Context(), &JudgeTask{Request: JudgeRequest{Scene: new("bounds: {min: [0, 0], max: [4, 4]}\n"), Paths: paths, Radius: new(0.5)}}, Watch{}, nil)
	if err != nil || out.Verdict != nil {
		t.Errorf("%v, %v", err, out.Verdict)
	}
}

// What is exported has the traffic of the scene where its path has it, and orders beside it are
// not certified for robots that are late.
func TestTrafficIsExported(t *testing.T) {
	for _, motion := range plan.Motions() {
		s := plannedToJudge(t, motion).Summary
		team, err := teamOfPlan(s, messages.Made{Plan: strings.Repeat("0", 64)})
		if err != nil || len(team.Traffic) != 1 || team.Traffic[0].Name != "cart" || team.Traffic[0].Radius != 0.2 {
			t.Fatalf("%v: traffic %+v", err, team.Traffic)
		}
		for k := range 9 { // from (8, 0.5) after a second to (8, 5.5) after 7.3
			at := s.Times[len(s.Times)-1] * float64(k) / 8
			want := geom.Vec2{X: 8, Y: 0.5 + 5*min(max((at-1)/6.3, 0), 1)}
			if x := team.Traffic[0].States([]float64{at})[0].X; x.Dist(want) > 1e-6 {
				t.Errorf("%s: traffic at %v s is at %v, want %v", motion, at, x, want)
			}
		}
		files, err := team.VDA5050(t.Context(), messages.VDA30, time.Unix(0, 0))
		var releases messages.Releases
		if err != nil || json.Unmarshal(files["releases.json"], &releases) != nil || releases.Certified || !slices.Equal(releases.Traffic, []string{"cart"}) {
			t.Errorf("%s: %v, releases %+v", motion, err, releases)
		}
	}
}
