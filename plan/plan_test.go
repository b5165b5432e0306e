package plan

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/project/separation"
)

// drawnTeam returns a team of a trial that no table uses, with robots of a scale.
func drawnTeam(t *testing.T, m *nav2d.Map, robots int, scale float64, seed uint32) Team {
	t.Helper()
	model, err := Bundled(m.Name)
	if err != nil {
		t.Fatal(err)
	}
	small := *m
	small.Margins = nav2d.TrialMargins{Robots: m.Margins.Robots * scale, Obstacles: m.Margins.Obstacles * scale}
	trials, err := nav2d.Trials(&small, robots, 1, seed)
	if err != nil {
		t.Fatal(err)
	}
	team := TeamOfTrial(m, trials[0], model, PublishedLimits(m)[0])
	for i := range team.Robots {
		team.Robots[i].Radius *= scale
	}
	return team
}

func delivered(t *testing.T, team Team, o Options) *Plan {
	t.Helper()
	o.Method, o.Settings = PCDSHD, settings(t, "default")
	o.Gamma = new(o.Settings.DefaultGamma(team.Map, SquaredHinge))
	r, err := Run(t.Context(), team, o)
	if err != nil {
		t.Fatal(err)
	}
	return r.Nearest()
}

// checkAtInstants looks at many instants of a plan with formulas of its own: disks keep
// apart, off obstacles and within the workspace, and steps within their limits.
func checkAtInstants(t *testing.T, team Team, d *Plan) {
	t.Helper()
	const instants = 16
	at := func(i, h int, u float64) geom.Vec2 {
		if d.Curves != nil {
			return d.Curves[i].Span(h).At(u)
		}
		s := d.Trajectories[i].Data
		a := geom.Vec2{X: float64(s[h*channels]), Y: float64(s[h*channels+1])}
		return a.Lerp(geom.Vec2{X: float64(s[(h+1)*channels]), Y: float64(s[(h+1)*channels+1])}, u)
	}
	for h := range d.Trajectories[0].Shape[0] - 1 {
		for k := range instants {
			u := float64(k) / (instants - 1)
			for i, r := range team.Robots {
				p := at(i, h, u)
				if gap, _ := team.Map.Clearance(p); gap < r.Radius-1e-12 {
					t.Fatalf("%s is %v from an obstacle on segment %d", r.Name, gap, h)
				}
				if !team.Map.Bounds.Grow(1e-12 - r.Radius).Contains(p) {
					t.Fatalf("%s leaves the workspace at %v on segment %d", r.Name, p, h)
				}
				for j := range i {
					if gap := p.Dist(at(j, h, u)); gap < r.Radius+team.Robots[j].Radius {
						t.Fatalf("%s and %s are %v apart on segment %d", r.Name, team.Robots[j].Name, gap, h)
					}
				}
			}
		}
		for i, r := range team.Robots {
			half := r.Model.HalfRange()
			step := at(i, h, 1).Sub(at(i, h, 0)) // of a curve the mean
			if speed := math.Hypot(step.X/half[0], step.Y/half[1]) / team.Step; speed > r.Limit {
				t.Fatalf("%s has speed %v on segment %d, limit %v", r.Name, speed, h, r.Limit)
			}
		}
	}
}

func TestDeliveryIsSafeBetweenWaypoints(t *testing.T) {
	t.Parallel()
	for _, m := range nav2d.Maps() {
		for _, c := range thorough.Part([]struct {
			robots int
			scale  float64
		}{{12, 1}, {4, 1}, {32, math.Sqrt(0.5)}}, 1) {
			t.Run(fmt.Sprint(m.Name, " ", c.robots), func(t *testing.T) {
				team := drawnTeam(t, m, c.robots, c.scale, 990)
				d := delivered(t, team, Options{Seed: 3, Samples: 2})
				if !d.Certificate.Certified {
					t.Fatalf("not certified: %+v", d.Certificate.Worst())
				}
				checkAtInstants(t, team, d)
				for i, r := range team.Robots {
					x := d.Curves[i].X
					if end := x[len(x)-1]; x[0].Dist(r.Start) > 1e-6*r.Radius || end.Dist(r.Goal) > 1e-6*r.Radius {
						t.Errorf("%s goes from %v to %v", r.Name, x[0], end)
					}
				}
				moved := slices.ContainsFunc(d.Changes, func(c Change) bool { return c.Kind == Moved })
				if moved != (d.Displacement > 0) {
					t.Errorf("displacement %v beside changes %v", d.Displacement, d.Changes)
				}
			})
		}
	}
}

// A plan has the same bits for any number of goroutines.
func TestDeliveryDoesNotDependOnWorkers(t *testing.T) {
	team := drawnTeam(t, nav2d.Conveyor(), 12, 1, 77)
	one, many := delivered(t, team, Options{Seed: 1, Workers: 1}), delivered(t, team, Options{Seed: 1, Workers: 5})
	if one.Sample != many.Sample || one.Displacement != many.Displacement || one.Rounds != many.Rounds {
		t.Errorf("%+v with one goroutine, %+v with five", one, many)
	}
	for i := range one.Trajectories {
		if !slices.Equal(one.Trajectories[i].Data, many.Trajectories[i].Data) {
			t.Errorf("the path of robot %d differs", i)
		}
	}
}

// Without repair the plan is one of the samples, bit for bit, and the certificate says
// what the judge says.
func TestWithoutRepairThePlanIsASample(t *testing.T) {
	team := drawnTeam(t, nav2d.Conveyor(), 6, 1, 5)
	team.Motion = Polyline // of which a plan holds the waypoints as they were drawn
	s := settings(t, "default")
	s.Repair = false
	r, err := Run(t.Context(), team, Options{Method: PCDSHD, Settings: s, Gamma: new(0.1), Samples: 6})
	if err != nil {
		t.Fatal(err)
	}
	d := r.Nearest()
	w, err := team.World()
	if err != nil {
		t.Fatal(err)
	}
	least := math.Inf(1)
	for k := range 6 {
		least = min(least, w.Judge(r.Samples, k).Violation(0))
	}
	if v := w.Judge(d.Trajectories, 0).Violation(0); v != least || d.Certificate.Certified != (v <= 0) {
		t.Errorf("violation %v, certified %v; the least of the samples is %v", v, d.Certificate.Certified, least)
	}
	for i, x := range d.Trajectories {
		if !slices.Equal(x.Data, r.Samples[i].Sample(d.Sample)) {
			t.Errorf("robot %d does not go as in sample %d", i, d.Sample)
		}
	}
	if len(d.Changes) != 0 || d.Displacement != 0 {
		t.Errorf("changes %v, displacement %v", d.Changes, d.Displacement)
	}
}

func TestPreferences(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of TestDeliveryDoesNotDependOnWorkers")
	}
	team := drawnTeam(t, nav2d.Empty(), 8, 1, 21)
	length := delivered(t, team, Options{Prefer: PreferLength})
	clearance := delivered(t, team, Options{Prefer: PreferClearance})
	if !length.Certificate.Certified || !clearance.Certificate.Certified {
		t.Fatal("not certified")
	}
	if a, b := *clearance.Certificate.Gap(separation.Bodies), *length.Certificate.Gap(separation.Bodies); a < b {
		t.Errorf("gap %v where clearance is preferred, %v where length is", a, b)
	}
	if length.Length > clearance.Length {
		t.Errorf("length %v where it is preferred, %v where clearance is", length.Length, clearance.Length)
	}
	if _, err := ParsePreference("comfort"); err == nil {
		t.Error("an unknown preference is taken")
	}
}

func TestDefaultSamples(t *testing.T) {
	repaired, paper := settings(t, "default"), settings(t, "paper")
	for robots, want := range map[int]int{1: 4, 4: 4, 64: 4, 100: 2, 128: 2, 256: 1, 1000: 1} {
		if got := repaired.DefaultSamples(robots); got != want {
			t.Errorf("%d robots: %d samples, want %d", robots, got, want)
		}
	}
	if got := paper.DefaultSamples(256); got != DefaultSamples {
		t.Errorf("without repair %d samples, want the published %d", got, DefaultSamples)
	}
}

// The presets of the tables leave samples as they are.
func TestPresetsOfTablesDoNotRepair(t *testing.T) {
	for _, name := range []string{"paper", "mmd"} {
		if s := settings(t, name); s.Repair || s.Steps != 0 {
			t.Errorf("preset %s: %+v", name, s)
		}
	}
	if s := settings(t, "default"); !s.Repair || s.Steps != 8 || s.DefaultGamma(nav2d.Conveyor(), SquaredHinge) != 0.1 {
		t.Errorf("preset default: %+v", s)
	}
}
