package render

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	navmetric "github.com/go-pcd/pcd/internal/metric/nav2d"
	"github.com/go-pcd/pcd/tensor"
)

// straight returns a way of n waypoints at constant speed.
func straight(from, to geom.Vec2, n int) []geom.Vec2 {
	out := make([]geom.Vec2, n)
	for h := range out {
		out[h] = from.Lerp(to, float64(h)/float64(n-1))
	}
	return out
}

// arc returns a way around the origin that starts and ends at rest.
func arc(radius, from, to float64, n int) []geom.Vec2 {
	out := make([]geom.Vec2, n)
	for h := range out {
		s := float64(h) / float64(n-1)
		sin, cos := math.Sincos(from + (to-from)*s*s*(3-2*s))
		out[h] = geom.Vec2{X: radius * cos, Y: radius * sin}
	}
	return out
}

// rulesOf judges the robots of a view by a map, in map units per second.
func rulesOf(m *nav2d.Map, v PlanView) (navmetric.Criteria, []float64) {
	rules := navmetric.Criteria{World: m, HalfRange: [2]float64{1, 1}, Step: v.Step}
	var limits []float64
	for _, r := range v.Robots {
		rules.Radii, limits = append(rules.Radii, r.Radius), append(limits, r.Limit)
	}
	return rules, limits
}

// viewOf returns a plan of robots with the given paths as its only sample.
func viewOf(m *nav2d.Map, limit float64, paths ...[]geom.Vec2) PlanView {
	v := PlanView{
		Title: "pcd-shd on " + m.Name, Note: fmt.Sprintf("%d robots", len(paths)),
		Map: MapView{Bounds: m.Bounds, Obstacles: m.Obstacles}, Step: nav2d.Step,
		LengthUnit: "m", SpeedUnit: "m/s",
	}
	for i, p := range paths {
		v.Robots = append(v.Robots, RobotView{
			Name: fmt.Sprint("robot ", i), Radius: nav2d.RobotRadius, Start: p[0], Goal: p[len(p)-1], Limit: limit,
		})
	}
	rules, limits := rulesOf(m, v)
	v.Samples = []SampleView{{Name: "sample 0", Paths: paths, Marks: FindMarks(rules, limits, paths)}}
	return v
}

// busyView has three robots on the highways, of which two overlap, one crosses
// the central block and one is too fast.
func busyView() PlanView {
	return viewOf(nav2d.Highways(), 0.4,
		arc(0.5, 0, 3, nav2d.Waypoints),
		arc(0.5, 1.2, 2.6, nav2d.Waypoints),
		straight(geom.Vec2{X: -0.9, Y: -0.45}, geom.Vec2{X: 0.6, Y: 0.3}, nav2d.Waypoints))
}

// calmView breaks no rule.
func calmView() PlanView {
	return viewOf(nav2d.Empty(), 0.5,
		straight(geom.Vec2{X: -0.8, Y: -0.5}, geom.Vec2{X: 0.8, Y: -0.5}, nav2d.Waypoints),
		straight(geom.Vec2{X: 0.8, Y: 0.5}, geom.Vec2{X: -0.8, Y: 0.5}, nav2d.Waypoints))
}

// TestFindMarksAgreesWithTheJudgement draws ways at random and compares the marks
// with what the tables are made from.
func TestFindMarksAgreesWithTheJudgement(t *testing.T) {
	const robots, waypoints = 3, 6
	var feasible, marked int
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var batches []tensor.Batch
		var paths [][]geom.Vec2
		for range robots {
			b := tensor.New(1, waypoints, 2)
			x, y := 2*r.Float64()-1, 2*r.Float64()-1
			for h := range waypoints {
				b.Data[2*h], b.Data[2*h+1] = float32(x+0.02*r.NormFloat64()), float32(y+0.02*r.NormFloat64())
			}
			batches, paths = append(batches, b), append(paths, geom.Points(nil, b.Sample(0), 2))
		}
		v := viewOf(nav2d.Conveyor(), 0.9, paths...)
		rules, limits := rulesOf(nav2d.Conveyor(), v)
		judged, err := rules.Judge(batches)
		if err != nil {
			t.Fatal(err)
		}
		marks := v.Samples[0].Marks
		hit, fast := make([]bool, robots), make([]bool, robots)
		for _, m := range marks {
			hit[m.Robots[0]] = hit[m.Robots[0]] || m.Kind == Hit
			fast[m.Robots[0]] = fast[m.Robots[0]] || m.Kind == Speeding
		}
		want := judged[0]
		for p := range robots {
			if hit[p] != want.Hit[p] || fast[p] == want.Within(p, limits[p]) {
				t.Errorf("seed %d, robot %d: marked hit %v, fast %v; judged %+v", seed, p, hit[p], fast[p], want)
			}
		}
		if n := tally(marks)[Overlap]; n != want.Contacts {
			t.Errorf("seed %d: %d overlaps marked, %d judged", seed, n, want.Contacts)
		}
		if (len(marks) == 0) != want.Feasible(limits) {
			t.Errorf("seed %d: marks %v, but feasible is %v", seed, marks, want.Feasible(limits))
		}
		if len(marks) == 0 {
			feasible++
		} else {
			marked++
		}
	}
	if feasible < 10 || marked < 10 {
		t.Errorf("%d ways are feasible and %d are not: the test sees too few of one", feasible, marked)
	}
}

func TestFindMarksPlacesThem(t *testing.T) {
	m := nav2d.Conveyor()
	x := func(x, y float64) geom.Vec2 { return geom.Vec2{X: x, Y: y} }
	paths := [][]geom.Vec2{
		{x(-0.9, 0.8), x(-0.9, 0.8), x(-0.9, 0.8)},
		{x(-0.9, 0.9), x(-0.9, 0.86), x(-0.9, 0.86)}, // overlaps from waypoint 1
		{x(0, 0.6), x(0, 0.38), x(0, 0.6)},           // into the upper wall and back
	}
	v := viewOf(m, 2, paths...)
	v.Robots[1].Radius = 0.03
	rules, limits := rulesOf(m, v)
	got := FindMarks(rules, limits, paths)
	want := []Mark{
		{Overlap, 1, []int{0, 1}, x(-0.9, 0.8375)}, // five eighths of the way to the smaller one
		{Hit, 1, []int{2}, paths[2][1]},
		{Speeding, 1, []int{2}, paths[2][1]},
		{Overlap, 2, []int{0, 1}, x(-0.9, 0.8375)},
		{Speeding, 2, []int{2}, paths[2][2]},
	}
	if len(got) != len(want) {
		t.Fatalf("FindMarks = %v, want %v", got, want)
	}
	for i, w := range want {
		g := got[i]
		if g.Kind != w.Kind || g.Waypoint != w.Waypoint || fmt.Sprint(g.Robots) != fmt.Sprint(w.Robots) || g.At.Dist(w.At) > 1e-12 {
			t.Errorf("mark %d = %v, want %v", i, g, w)
		}
	}
}

func TestIncidentsJoinSuccessiveWaypoints(t *testing.T) {
	var marks []Mark
	for _, h := range []int{7, 2, 3, 4, 8} {
		marks = append(marks, Mark{Kind: Overlap, Waypoint: h, Robots: []int{0, 1}})
	}
	marks = append(marks, Mark{Kind: Overlap, Waypoint: 3, Robots: []int{0, 2}}, Mark{Kind: Hit, Waypoint: 4, Robots: []int{0}})
	var got []string
	for _, c := range incidents(marks) {
		got = append(got, fmt.Sprintf("%d-%d %s", c.first, c.last, c.describe([]string{"a", "b", "c"})))
	}
	want := "2-4 a and b overlap; 3-3 a and c overlap; 4-4 a hits an obstacle or the border; 7-8 a and b overlap"
	if g := strings.Join(got, "; "); g != want {
		t.Errorf("incidents:\n%s, want\n%s", g, want)
	}
}

func TestShortNames(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"robot 0", "robot 1", "robot 12"}, []string{"0", "1", "12"}},
		{[]string{"north-a", "north-b"}, []string{"a", "b"}},
		{[]string{"alice", "albert"}, []string{"alice", "albert"}},
		{[]string{"robot ", "robot 1"}, []string{"robot ", "robot 1"}},
		{[]string{"lone wolf"}, []string{"lone wolf"}},
		{[]string{"größe é", "größe è"}, []string{"é", "è"}},
	} {
		if got := shortNames(c.names); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("shortNames(%q) = %q, want %q", c.names, got, c.want)
		}
	}
}

func TestPlanRefusesWhatCannotBeDrawn(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(v *PlanView)
		reason string
	}{
		{"step", func(v *PlanView) { v.Step = 0 }, "0 seconds between waypoints"},
		{"bounds", func(v *PlanView) { v.Map.Bounds.Max.X = v.Map.Bounds.Min.X }, "bounds of 0 by 2"},
		{"robots", func(v *PlanView) { v.Robots = nil }, "0 robots"},
		{"samples", func(v *PlanView) { v.Samples = nil }, "0 samples"},
		{"radius", func(v *PlanView) { v.Robots[1].Radius = -1 }, "robot 1: radius -1"},
		{"goal", func(v *PlanView) { v.Robots[1].Goal.Y = math.NaN() }, "robot 1: start"},
		{"paths", func(v *PlanView) { v.Samples[0].Paths = v.Samples[0].Paths[:1] }, "sample 0: 1 paths for 2 robots"},
		{"length", func(v *PlanView) { v.Samples[0].Paths[1] = v.Samples[0].Paths[1][:3] }, "robot 1: 3 waypoints, want 64"},
		{"empty path", func(v *PlanView) { v.Samples[0].Paths[0] = nil }, "robot 0: 0 waypoints, want 1"},
		{"waypoint", func(v *PlanView) { v.Samples[0].Paths[1][5].X = math.Inf(1) }, "waypoint 5 is (+Inf"},
		{"speeds", func(v *PlanView) { v.Samples[0].Speeds = [][]float64{{1}} }, "speeds of 1 robots"},
		{"others", func(v *PlanView) { v.Others = [][][]geom.Vec2{{nil, nil}} }, "sample 1: robot 0: 0 waypoints"},
		{"mark", func(v *PlanView) { v.Samples[0].Marks = []Mark{{Overlap, 64, []int{0, 1}, geom.Vec2{}}} }, "waypoint 64 of 64"},
		{"mark's robots", func(v *PlanView) { v.Samples[0].Marks = []Mark{{Hit, 3, []int{2}, geom.Vec2{}}} }, "robots [2] of 2"},
		{"mark's kind", func(v *PlanView) { v.Samples[0].Marks = []Mark{{9, 3, []int{1}, geom.Vec2{}}} }, "unknown kind 9"},
	} {
		v := calmView()
		c.spoil(&v)
		_, err := Plan(v)
		var bad *PlanViewError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: Plan = %v, want a PlanViewError with %q", c.name, err, c.reason)
		}
	}
}
