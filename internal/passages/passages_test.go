package passages_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/passages"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

const margin = 0.004

// team returns a joint motion that keeps apart on time: robots across a circle, or between
// random places.
func team(t testing.TB, n int, radius float64, ring bool, seed uint64, curved bool) []passages.Motion {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	w := &separation.World{Margin: 2 * margin}
	w.Motion.Curved = curved
	var starts, goals []geom.Vec2
	place := func(taken []geom.Vec2) geom.Vec2 {
		for {
			p := geom.Vec2{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1}
			free := true
			for _, q := range taken {
				free = free && p.Dist(q) > 2*radius+4*margin
			}
			if free {
				return p
			}
		}
	}
	for k := range n {
		w.Robots = append(w.Robots, separation.Robot{Radius: radius})
		if s, c := math.Sincos(2 * math.Pi * float64(k) / float64(n)); ring {
			starts, goals = append(starts, geom.Vec2{X: c, Y: s}), append(goals, geom.Vec2{X: -c, Y: -s})
		} else {
			starts, goals = append(starts, place(starts)), append(goals, place(goals))
		}
	}
	var x []tensor.Batch
	for k := range n {
		b := tensor.New(1, 64, 2)
		for h := range 64 {
			p := starts[k].Lerp(goals[k], float64(h)/63)
			b.Data[2*h], b.Data[2*h+1] = float32(p.X), float32(p.Y)
		}
		x = append(x, b)
	}
	o, err := w.Repair(t.Context(), x, x, 0)
	if err != nil || !o.Verdict.Certified(w.Margin) {
		t.Skipf("no plan for seed %d: %v", seed, err)
	}
	var out []passages.Motion
	for k, b := range x {
		m := passages.Motion{Radius: radius}
		for h := range 63 {
			if curved {
				m.Spans = append(m.Spans, w.Curves(x, 0)[k].Span(h))
				continue
			}
			p := geom.Points(nil, b.Data[2*h:2*h+4], 2)
			m.Spans = append(m.Spans, geom.Straight(p[0], p[1]))
		}
		out = append(out, m)
	}
	return out
}

func at(m passages.Motion, progress float64) geom.Vec2 {
	h := min(int(progress), len(m.Spans)-1)
	return m.Spans[h].At(progress - float64(h))
}

// run executes a team with random delays: every robot has a speed of its own that changes,
// stops now and then, and starts late. It returns the smallest gap of any two and whether
// all arrive.
func run(motions []passages.Motion, o *passages.Order, r *rand.Rand, keep bool) (gap float64, arrived bool) {
	e := passages.NewExecution(o)
	n := len(motions)
	progress, speed, rest := make([]float64, n), make([]float64, n), make([]int, n)
	for i := range motions {
		speed[i] = 0.05 + 0.45*r.Float64()
		rest[i] = r.IntN(60)
	}
	gap = math.Inf(1)
	last := float64(len(motions[0].Spans))
	for idle := 0; idle < 200; idle++ {
		for i := range motions {
			if rest[i] > 0 {
				rest[i]--
				idle = min(idle, 100)
				continue
			}
			if r.IntN(60) == 0 {
				rest[i], speed[i] = r.IntN(40), 0.05+0.45*r.Float64()
			}
			to := min(progress[i]+speed[i], last)
			if keep {
				to = min(to, e.Limit(i))
			}
			if to > progress[i] {
				progress[i], idle = to, 0
			}
			if r.IntN(3) > 0 { // some reports come late
				e.Report(i, progress[i])
			}
		}
		for i := range motions {
			p := at(motions[i], progress[i])
			for j := range i {
				gap = min(gap, p.Dist(at(motions[j], progress[j]))-motions[i].Radius-motions[j].Radius)
			}
		}
		if e.Arrived() {
			return gap, true
		}
	}
	return gap, false
}

var (
	plans      = flag.Int("passages.plans", 0, "teams whose executions are late (default: a few)")
	executions = flag.Int("passages.executions", 40, "executions of each of them, with the order and without")
)

// Executions that keep the order are free of contact and arrive, however late anybody is;
// those that do not keep it touch.
func TestExecutionsKeepApart(t *testing.T) {
	if testing.Short() {
		t.Skip("computes on one goroutine")
	}
	if *plans == 0 {
		*plans = thorough.Cases(4, 10)
	}
	r := rand.New(rand.NewPCG(22, 10))
	touched, runs := 0, 0
	for seed := range uint64(*plans) {
		motions := team(t, 8+int(seed%10), 0.05, seed%3 == 0, seed, seed%2 == 0)
		o := ordered(t, motions, margin)
		if !o.Certified() {
			t.Fatalf("seed %d: %d places that no order covers, the first %+v", seed, len(o.Open), o.Open[0])
		}
		if len(o.Passages) == 0 {
			t.Fatalf("seed %d: nobody meets anybody", seed)
		}
		for range *executions {
			runs++
			gap, arrived := run(motions, o, r, true)
			if gap < margin-1e-9 || !arrived {
				t.Fatalf("seed %d: gap %v, arrived %v", seed, gap, arrived)
			}
			if gap, _ := run(motions, o, r, false); gap < 0 {
				touched++
			}
		}
	}
	t.Logf("%d plans, %d executions with the order: none touches, all arrive; %d of as many without it touch", *plans, runs, touched)
	if touched < runs/2 {
		t.Errorf("without the order %d of %d touch: too few to tell", touched, runs)
	}
}

// Every piece of two ways is apart or in a forbidden quadrant, on a grid of progresses with
// none of the formulas of the order; on time nobody waits; nothing goes round in circles.
func TestOrdersCoverAllMeetings(t *testing.T) {
	if testing.Short() {
		t.Skip("computes on one goroutine")
	}
	motions := team(t, 9, 0.06, true, 1, true)
	o := ordered(t, motions, margin)
	const fine = 8
	for i := range motions {
		for j := range i {
			for a := 0; a <= 63*fine; a += 3 {
				for b := 0; b <= 63*fine; b += 3 {
					s, u := float64(a)/fine, float64(b)/fine
					if at(motions[i], s).Dist(at(motions[j], u)) >= motions[i].Radius+motions[j].Radius+margin {
						continue
					}
					if !forbidden(o, i, s, j, u) {
						t.Fatalf("robots %d at %v and %d at %v are in contact and may be there", i, s, j, u)
					}
				}
			}
		}
	}
	for _, p := range o.Passages {
		if p.Reached > p.At || p.At <= 0 || p.Reached <= 0 {
			t.Fatalf("%+v: somebody waits on time", p)
		}
	}
	e := passages.NewExecution(o)
	for k := range 63 * 1024 {
		now := float64(k+1) / 1024
		for i := range motions {
			if limit := e.Limit(i); limit < now-1.0/1024 {
				t.Fatalf("robot %d has to wait at %v although all are on time, at %v", i, limit, now)
			}
		}
		for i := range motions {
			e.Report(i, now)
		}
	}
}

// forbidden reports whether two robots cannot be at some progresses: followed through all
// passages, since those that follow from others were dropped.
func forbidden(o *passages.Order, i int, s float64, j int, u float64) bool {
	reached := func(from int, at float64, to int, need float64) bool {
		least := make([]float64, o.Robots)
		least[from] = at
		for changed := true; changed; {
			changed = false
			for _, p := range o.Passages {
				if least[p.Robot] > p.At && least[p.After] < p.Reached {
					least[p.After], changed = p.Reached, true
				}
			}
		}
		return least[to] > need
	}
	return reached(i, s, j, u) || reached(j, u, i, s)
}

// Two that pass through one point: the later one waits for the earlier.
func TestOrderOfTwo(t *testing.T) {
	var motions []passages.Motion
	for _, ends := range [][2]geom.Vec2{{{X: -1}, {X: 3}}, {{Y: -3}, {Y: 1}}} {
		m := passages.Motion{Radius: 0.1}
		for h := range 8 {
			m.Spans = append(m.Spans, geom.Straight(ends[0].Lerp(ends[1], float64(h)/8), ends[0].Lerp(ends[1], float64(h+1)/8)))
		}
		motions = append(motions, m)
	}
	o := ordered(t, motions, 0)
	want := []passages.Passage{{Robot: 1, At: 5, After: 0, Reached: 3}}
	if len(o.Passages) != 1 || o.Passages[0] != want[0] || !o.Certified() {
		t.Fatalf("%+v, want %+v", o, want)
	}
	late := o.Lateness()
	for h, want := range []float64{2, 2, 2, 2, math.Inf(1)} {
		if late[0][h] != want || !math.IsInf(late[1][h], 1) {
			t.Errorf("lateness at waypoint %d: %v and %v, want %v and any", h, late[0][h], late[1][h], want)
		}
	}
	e := passages.NewExecution(o)
	if !e.May(1, 4) || e.May(1, 5) || !e.May(0, 7) || e.Limit(1) != 5 {
		t.Errorf("robot 1 may go to %v, robot 0 to %v", e.Limit(1), e.Limit(0))
	}
	e.Report(0, 2.9)
	e.Report(0, math.NaN())
	if p, waits := e.Waits(1); !waits || p != want[0] {
		t.Errorf("robot 1 waits for %+v, %v", p, waits)
	}
	e.Report(0, 3)
	e.Report(0, 1) // nobody goes back
	if !e.May(1, 7) || e.Arrived() {
		t.Errorf("robot 1 may go to %v, want to its goal", e.Limit(1))
	}
	e.Report(0, 9)
	e.Report(1, 8)
	if !e.Arrived() {
		t.Error("both are at their goals")
	}
}

func ordered(t testing.TB, motions []passages.Motion, margin float64) *passages.Order {
	t.Helper()
	o, err := passages.New(t.Context(), motions, margin)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Robots that touch at one time on the plan itself have no order.
func TestPlacesWithoutOrder(t *testing.T) {
	a := passages.Motion{Radius: 0.1, Spans: []geom.Bezier{geom.Straight(geom.Vec2{X: -1}, geom.Vec2{X: 1})}}
	b := passages.Motion{Radius: 0.1, Spans: []geom.Bezier{geom.Straight(geom.Vec2{X: 1, Y: 0.2}, geom.Vec2{X: -1, Y: 0.2})}}
	if o := ordered(t, []passages.Motion{a, b}, 0.01); o.Certified() || o.Open[0].Robots != [2]int{0, 1} || math.Abs(o.Open[0].At-0.5) > 0.06 {
		t.Errorf("%+v, want a place without order near the middle", o)
	}
}

func BenchmarkOrderOf100(b *testing.B) {
	motions := team(b, 100, 0.015, false, 3, true)
	var o *passages.Order
	for b.Loop() {
		o = ordered(b, motions, margin)
	}
	b.ReportMetric(float64(len(o.Passages)), "passages")
	b.ReportMetric(float64(len(o.Open)), "open")
}
