package judge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/paths"
)

// random returns a path over four seconds or so with times of its own.
func random(r *rand.Rand, name string, curved bool) *paths.Path {
	p := &paths.Path{Robot: name}
	t := r.Float64()
	for range 3 + r.IntN(8) {
		p.Times = append(p.Times, t)
		p.X = append(p.X, geom.Vec2{X: 10 * r.Float64(), Y: 10 * r.Float64()})
		if curved {
			p.V = append(p.V, geom.Vec2{X: r.NormFloat64(), Y: r.NormFloat64()})
		}
		t += 0.1 + r.Float64()
	}
	if curved {
		p.V[0], p.V[len(p.V)-1] = geom.Vec2{}, geom.Vec2{}
	}
	return p
}

// at returns where a path is, by its definition.
func at(p *paths.Path, t float64) geom.Vec2 {
	last := len(p.X) - 1
	if t <= p.Times[0] {
		return p.X[0]
	}
	if t >= p.Times[last] {
		return p.X[last]
	}
	k, _ := slices.BinarySearch(p.Times, t)
	k = max(k-1, 0)
	dt := p.Times[k+1] - p.Times[k]
	u := (t - p.Times[k]) / dt
	if p.V == nil {
		return p.X[k].Lerp(p.X[k+1], u)
	}
	h00, h10, h01, h11 := 1-3*u*u+2*u*u*u, u*(1-u)*(1-u)*dt, 3*u*u-2*u*u*u, u*u*(u-1)*dt
	return p.X[k].Scale(h00).Add(p.V[k].Scale(h10)).Add(p.X[k+1].Scale(h01)).Add(p.V[k+1].Scale(h11))
}

func (v *Verdict) margin(k Kind) float64 {
	for _, m := range v.Margins {
		if m.Kind == k {
			return m.Value
		}
	}
	return math.Inf(1)
}

// Random worlds are judged as samples of them are: the smallest gaps are never more, and no
// less than the samples show; contact is told for the times at which samples touch, and no
// others. What is certified is proven by rows that hold and leave no gap.
func TestJudgeAgreesWithSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, many numbers")
	}
	r := rand.New(rand.NewPCG(1, 2))
	certified := 0
	for trial := range 120 {
		w := &World{Border: &geom.Box{Min: geom.Vec2{X: -4, Y: -4}, Max: geom.Vec2{X: 14, Y: 14}}, Margin: 0.02 * float64(trial%2)}
		for i := range 2 + r.IntN(4) {
			w.Robots = append(w.Robots, Robot{Name: string(rune('a' + i)), Radius: 0.02 + 0.1*r.Float64()*float64(trial%3), Path: random(r, "", i%2 == trial%2)})
		}
		w.Traffic = []Robot{{Name: "cart", Radius: 0.1, Path: random(r, "", false)}}
		for range 3 {
			p := geom.Vec2{X: 10 * r.Float64(), Y: 10 * r.Float64()}
			w.Obstacles = append(w.Obstacles, geom.Convex{Core: geom.Rectangle(p, geom.Vec2{X: 0.3, Y: 0.1}, r.Float64()), Radius: 0.05})
		}
		v, err := w.Judge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		const samples = 2000
		smallest := map[Kind]float64{Separation: math.Inf(1), Obstacles: math.Inf(1), Border: math.Inf(1)}
		for k := range samples + 1 {
			time := v.Begin + (v.End-v.Begin)*float64(k)/samples
			see := func(kind Kind, i, j int, gap float64) {
				smallest[kind] = min(smallest[kind], gap)
				need := w.Margin
				if kind == Border {
					need = 0
				}
				told := slices.ContainsFunc(v.Faults, func(f Fault) bool {
					return f.Kind == kind && f.Robot == i && f.Other == j && f.From <= time && time <= f.To && f.Gap <= gap+1e-9
				})
				if touches := gap < need; touches != told && math.Abs(gap-need) > 1e-6 {
					t.Fatalf("trial %d, %v of %d and %d at %v: gap %v, told %v", trial, kind, i, j, time, gap, told)
				}
			}
			for i := range w.Robots {
				x := at(w.Robots[i].Path, time)
				for j := i + 1; j < w.bodies(); j++ {
					see(Separation, i, j, x.Dist(at(w.body(j).Path, time))-w.Robots[i].Radius-w.body(j).Radius)
				}
				for o, solid := range w.Obstacles {
					d, _ := solid.SignedDistance(x)
					see(Obstacles, i, o, d-w.Robots[i].Radius)
				}
				see(Border, i, -1, min(x.X+4, 14-x.X, x.Y+4, 14-x.Y))
			}
		}
		for _, f := range v.Faults { // between samples
			smallest[f.Kind] = min(smallest[f.Kind], f.Gap)
		}
		for kind, gap := range smallest {
			if m := v.margin(kind); m > gap+1e-12 || m < gap-0.02 && m > 0 || m < gap-1e-6 && m < 0 {
				t.Errorf("trial %d: %s of %v, samples show %v", trial, kind, m, gap)
			}
		}
		if v.Certified() {
			certified++
			checkProof(t, w, v)
		}
	}
	if certified < 6 {
		t.Errorf("%d worlds are certified, want some", certified)
	}
}

// checkProof checks the rows of a world at samples of the motion: a hull that is apart along
// n holds the motion.
func checkProof(t *testing.T, w *World, v *Verdict) {
	t.Helper()
	p, proven, err := w.Prove(t.Context())
	if err != nil || !proven {
		t.Fatalf("proven %v, error %v", proven, err)
	}
	ends := map[[3]int]float64{}
	check := func(kind int, r Row, radius float64, apart func(time float64) float64) {
		key := [3]int{kind, r.Robot, r.Other}
		if _, ok := ends[key]; !ok {
			ends[key] = v.Begin
		}
		if kind == 1 && r.From > ends[key] {
			besides(t, w, r.Robot, r.Other, ends[key], r.From)
		} else if r.From != ends[key] {
			t.Fatalf("row %+v does not follow %v", r, ends[key])
		}
		ends[key] = r.To
		for k := range 33 {
			time := r.From + (r.To-r.From)*float64(k)/32
			if apart(time) < radius*r.N.Norm()-1e-12 {
				t.Fatalf("row %+v fails at %v: %v", r, time, apart(time))
			}
		}
	}
	for _, r := range p.Pairs {
		check(0, r, w.Robots[r.Robot].Radius+w.body(r.Other).Radius, func(time float64) float64 {
			return r.N.Dot(at(w.Robots[r.Robot].Path, time).Sub(at(w.body(r.Other).Path, time)))
		})
	}
	for _, r := range p.Obstacles {
		solid := w.Obstacles[r.Other]
		check(1, r, w.Robots[r.Robot].Radius+solid.Radius, func(time float64) float64 {
			least := math.Inf(1)
			for _, c := range solid.Core {
				least = min(least, r.N.Dot(at(w.Robots[r.Robot].Path, time).Sub(c)))
			}
			return least
		})
	}
	for i := range w.Robots {
		for j := i + 1; j < w.bodies(); j++ {
			if end := ends[[3]int{0, i, j}]; end != v.End {
				t.Fatalf("rows of bodies %d and %d end at %v, want %v", i, j, end, v.End)
			}
		}
		for o := range w.Obstacles {
			end, ok := ends[[3]int{1, i, o}]
			if !ok {
				end = v.Begin
			}
			besides(t, w, i, o, end, v.End)
		}
	}
}

// besides checks at samples that boxes keep a robot from an obstacle where there is no row.
func besides(t *testing.T, w *World, robot, obstacle int, from, to float64) {
	t.Helper()
	r, box := w.Robots[robot], w.Obstacles[obstacle].Bounds()
	for k := range 33 {
		x := at(r.Path, from+(to-from)*float64(k)/32)
		if to > from && max(box.Min.X-x.X, x.X-box.Max.X, box.Min.Y-x.Y, x.Y-box.Max.Y) < r.Radius {
			t.Fatalf("robot %d is near obstacle %d at %v, and there is no row", robot, obstacle, x)
		}
	}
}

// Two disks that pass each other head on touch for the time that a quadratic equation tells,
// as deep as both are wide.
func TestContactOfTwoDisks(t *testing.T) {
	straight := func(a, b geom.Vec2) *paths.Path { return &paths.Path{Times: []float64{2, 12}, X: []geom.Vec2{a, b}} }
	w := &World{Robots: []Robot{
		{Name: "a", Radius: 0.5, Path: straight(geom.Vec2{}, geom.Vec2{X: 10})},
		{Name: "b", Radius: 0.3, Path: straight(geom.Vec2{X: 10, Y: 0.2}, geom.Vec2{Y: 0.2})},
	}}
	v, err := w.Judge(t.Context())
	if err != nil || len(v.Faults) != 1 {
		t.Fatalf("%+v, error %v", v, err)
	}
	f, half := v.Faults[0], math.Sqrt(0.8*0.8-0.2*0.2)/2
	for _, c := range []struct{ got, want float64 }{{f.From, 7 - half}, {f.To, 7 + half}, {f.At, 7}, {f.By, 0.6}, {f.Place.X, 5}} {
		if math.Abs(c.got-c.want) > 1e-6 {
			t.Errorf("%+v: got %v, want %v", f, c.got, c.want)
		}
	}
	// Without times the ways meet.
	w.Robots[1].Path.Times = nil
	v, err = w.Judge(t.Context())
	if err != nil || len(v.Faults) != 1 || !v.Faults[0].Anytime || math.Abs(v.Faults[0].Gap+0.6) > 1e-9 {
		t.Errorf("%+v, error %v", v, err)
	}
}

// Limits are those of the motion: of straight pieces by differences, of cubics everywhere.
func TestLimits(t *testing.T) {
	p := &paths.Path{Times: []float64{0, 1, 3, 4}, X: []geom.Vec2{{}, {X: 1}, {X: 5}, {X: 6}}}
	w := &World{Robots: []Robot{{Name: "a", Radius: 0.1, Path: p, Speed: 1.5, Acceleration: 0.9}}}
	v, err := w.Judge(t.Context())
	if err != nil || len(v.Faults) != 3 {
		t.Fatalf("%+v, error %v", v, err)
	}
	if m := v.margin(Speed); math.Abs(m+0.5) > 1e-12 {
		t.Errorf("speed %v, want -0.5", m)
	}
	if m := v.margin(Acceleration); math.Abs(m+0.1) > 1e-12 { // from rest to 1 in a second; from 1 to 2 in 1.5
		t.Errorf("acceleration %v, want -0.1", m)
	}
	p.V = []geom.Vec2{{}, {X: 1.5}, {X: 1.5}, {}}
	v, err = w.Judge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// From 1 to 5 in 2 at 1.5 at both ends: 2.25 half-way; from 0 to 1 in 1, from rest to 1.5: acceleration 3.
	if m := v.margin(Speed); math.Abs(m+0.75) > 1e-9 {
		t.Errorf("speed %v, want -0.75", m)
	}
	if m := v.margin(Acceleration); math.Abs(m+2.1) > 1e-9 {
		t.Errorf("acceleration %v, want -2.1", m)
	}
}
