package plan

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/plan/internal/profile"
	"github.com/go-pcd/pcd/tensor"
)

// sceneOf returns a scene of ten metres with so many seconds.
func sceneOf(seconds, rest string) string {
	return "units: m\nbounds: {min: [0, 0], max: [10, 10]}\nduration: " + seconds + "\n" + rest
}

const hall = `robots:
- {start: [1, 1], goal: [9, 9], radius: 0.3, speed: 1.5, acceleration: 1}
- {start: [9, 1], goal: [1, 9], radius: 0.3, speed: 1.5}
- {start: [5, 9], goal: [6, 9], radius: 0.3, speed: 1.5, acceleration: 1}
- {start: [2, 5], goal: [8, 5.5], radius: 0.3, acceleration: 0.5}
- {start: [8.5, 2.5], goal: [8.5, 2.5], radius: 0.3, speed: 1.5}
`

// checkEveryMillisecond looks at a plan a thousand times a second: positions, and what they say of speeds and accelerations.
func checkEveryMillisecond(t *testing.T, team Team, p *Plan) {
	t.Helper()
	const dt = 1e-3
	at := func(i int, k int) geom.Vec2 { x, _, _ := p.Curves[i].At(float64(k) * dt); return x }
	for k := 1; float64(k+1)*dt <= p.Times[len(p.Times)-1]; k++ {
		for i, r := range team.Robots {
			speed, acceleration := team.limits(r)
			x, before, after := at(i, k), at(i, k-1), at(i, k+1)
			if v := after.Sub(x).Norm() / dt; v > speed*(1+1e-6) {
				t.Fatalf("%s has speed %v at %v s", r.Name, v, float64(k)*dt)
			}
			if a := after.Add(before).Sub(x.Scale(2)).Norm() / (dt * dt); a > acceleration*(1+1e-3)+1e-6 {
				t.Fatalf("%s has acceleration %v at %v s", r.Name, a, float64(k)*dt)
			}
			for j := range i {
				if x.Dist(at(j, k)) < team.RadiusOf(r)+team.RadiusOf(team.Robots[j]) {
					t.Fatalf("%s and %s touch at %v s", r.Name, team.Robots[j].Name, float64(k)*dt)
				}
			}
		}
	}
}

// arrivals returns when robots arrive, as parts of the time that there is.
func arrivals(p *Plan) (out []float64) {
	for i, c := range p.Curves {
		out = append(out, profile.Arrival(c, p.Certificate.World.Robots[i].Radius)/float64(c.Spans()))
	}
	return out
}

// Whatever the time that there is, robots arrive when they can and stay, and one with nothing to do does not move.
func TestRobotsDoNotCreep(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	for prefer, most := range map[Preference]float64{PreferPattern: 0.5, PreferLength: 0.5, PreferClearance: 0.6, PreferTime: 0.5} {
		team := teamOf(t, strings.NewReader(sceneOf("60", hall)))
		p := delivered(t, team, Options{Prefer: prefer})
		if p == nil || !p.Certificate.Certified {
			t.Fatalf("%+v", p)
		}
		if p.Times[1] != team.Step || len(p.Times) != team.waypoints() || p.Changes[len(p.Changes)-1].Kind != Hastened {
			t.Errorf("%s: times %v, changes %v", prefer, p.Times, p.Changes)
		}
		if latest := slices.Max(arrivals(p)); latest > most {
			t.Errorf("%s: arrivals %v", prefer, arrivals(p))
		}
		if m := moved(p, 4); m != 0 {
			t.Errorf("%s: one with nothing to do moves by %v", prefer, m)
		}
		checkEveryMillisecond(t, team, p)
		again, err := team.CertifyCurves(t.Context(), p.Curves)
		if err != nil || !again.Certificate.Certified {
			t.Errorf("%s: certified once more: %v %v", prefer, again, err)
		}
		checkExecution(t, team, p)
	}
}

// checkExecution drives a plan, the last robot as far as it may, then the others, by its order of passages.
func checkExecution(t *testing.T, team Team, p *Plan) {
	t.Helper()
	o := orderOf(t, team, p)
	e := NewExecution(o)
	for range 2 * len(team.Robots) * len(p.Times) {
		for i := len(team.Robots) - 1; i >= 0; i-- {
			e.Report(i, math.Min(e.Limit(i), float64(len(p.Times)-1)))
		}
		if e.Arrived() {
			return
		}
	}
	t.Errorf("robots that keep to the order do not arrive: %+v", o)
}

// One that has to make room comes back when it can and stays.
func TestWhoMakesRoomComesBackAndStays(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	team := teamOf(t, strings.NewReader(sceneOf("60", `boxes: [{center: [5, 2.2], size: [4, 4.4]}, {center: [5, 7.8], size: [4, 4.4]}]
robots:
- {start: [1, 5], goal: [9, 5], radius: 0.3, speed: 1.5}
- {start: [3.6, 5], goal: [3.6, 5], radius: 0.3, speed: 1.5}
`)))
	p := delivered(t, team, Options{})
	if p == nil || !p.Certificate.Certified {
		t.Fatalf("%+v", p)
	}
	if moved(p, 1) == 0 || slices.Max(arrivals(p)) > 0.7 {
		t.Errorf("moves by %v, arrivals %v", moved(p, 1), arrivals(p))
	}
	checkEveryMillisecond(t, team, p)
}

// Where robots meet in narrow places, among traffic and with robots that may be late they arrive earlier as well.
func TestArrivalsWhereItIsNarrow(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	for name, most := range map[string]float64{"doorway": 0.65, "corridor-bay": 0.6, "u-shape": 0.5, "intersection": 0.9} {
		team := exampleTeam(t, name)
		p := delivered(t, team, Options{})
		if p == nil || !p.Certificate.Certified {
			t.Fatalf("%s: %+v", name, p)
		}
		mean := 0.0
		for _, a := range arrivals(p) {
			mean += a / float64(len(p.Curves))
		}
		if mean > most {
			t.Errorf("%s: arrivals %v", name, arrivals(p))
		}
		checkEveryMillisecond(t, team, p)
	}
}

// What is certified for robots that are late is so in a plan in which they arrive early.
func TestEarlyRobotsMayBeLate(t *testing.T) {
	t.Parallel()
	team := teamOf(t, strings.NewReader(sceneOf("60", "lateness: 0.5\n"+hall)))
	p := delivered(t, team, Options{})
	if p == nil || !p.Certificate.Certified || p.Certificate.Lateness < 0.5 {
		t.Fatalf("%+v", p)
	}
	if latest := slices.Max(arrivals(p)); latest > 0.6 {
		t.Errorf("arrivals %v", arrivals(p))
	}
	late := func(i int, at, by float64) geom.Vec2 {
		x, _, _ := p.Curves[i].At(min(max(0, at-by), p.Curves[i].Duration()))
		return x
	}
	for k := range 6000 {
		for i, r := range team.Robots {
			for j := range i {
				for _, by := range [][2]float64{{0.5, 0}, {0, 0.5}, {0.25, 0}, {0, 0.3}} {
					if d := late(i, float64(k)/100, by[0]).Dist(late(j, float64(k)/100, by[1])); d < team.RadiusOf(r)+team.RadiusOf(team.Robots[j]) {
						t.Fatalf("robots %d and %d touch at %v s, late by %v", i, j, float64(k)/100, by)
					}
				}
			}
		}
	}
}

// Robots that follow a pattern do it as well when they arrive early.
func TestEarlyRobotsFollowThePattern(t *testing.T) {
	team := drawnTeam(t, nav2d.DropRegion(), 4, 1, 7)
	p := delivered(t, team, Options{})
	if p == nil || !p.Certificate.Certified {
		t.Fatalf("%+v", p)
	}
	for i, a := range p.Judged.Adherence {
		if a < 1 {
			t.Errorf("robot %d: adherence %v", i, a)
		}
	}
}

// Robots without a limit of acceleration go no harder than one of them did before, unless time is what is preferred.
func TestEarlyRobotsAreGentle(t *testing.T) {
	team := teamOf(t, strings.NewReader(sceneOf("60", `robots:
- {start: [1, 1], goal: [9, 1], radius: 0.3, speed: 1.5}
- {start: [1, 5], goal: [7, 6], radius: 0.3, speed: 1.5}
`)))
	control := cloned(delivered(t, team, Options{}).control)
	last := team.waypoints() - 1
	for _, x := range control { // straight and evenly, to the last moment
		from, to := [2]float32(x.Data[:2]), [2]float32(x.Data[last*channels:])
		for h := range last {
			share := float32(1-math.Cos(math.Pi*float64(h)/float64(last))) / 2
			for k := range 2 {
				x.Data[h*channels+k] = from[k] + share*(to[k]-from[k])
			}
		}
	}
	a, err := team.attemptOf(t.Context(), control)
	if err != nil || !a.safe() {
		t.Fatalf("%+v: %v", a.outcome, err)
	}
	hardestOf := func(at []tensor.Batch) (most float64) {
		for i, c := range a.world.Curves(at, 0) {
			most = max(most, profile.Hardest(a.world.Robots[i], c))
		}
		return most
	}
	before := hardestOf(a.at)
	for prefer, limited := range map[Preference]bool{PreferPattern: true, PreferClearance: true, PreferLength: true, PreferTime: false} {
		out := a.sooner(t.Context(), prefer)
		if out == nil {
			t.Fatalf("%s: nobody arrives earlier", prefer)
		}
		if after := hardestOf(out); limited != (after <= before) {
			t.Errorf("%s: they accelerate with %v, before with %v", prefer, after, before)
		}
	}
}

// One with nothing to do that a repair moved for nothing stays where it is.
func TestWhoWasMovedForNothingStays(t *testing.T) {
	team := teamOf(t, strings.NewReader(sceneOf("60", strings.TrimSuffix(hall, "}\n")+", acceleration: 0.5}\n")))
	p := delivered(t, team, Options{})
	if p == nil || moved(p, 4) != 0 {
		t.Fatalf("%+v", p)
	}
	control := cloned(p.control)
	for h := 20; h < 30; h++ {
		control[4].Data[h*channels] += 0.05
	}
	a, err := team.attemptOf(t.Context(), control)
	if err != nil || !a.safe() {
		t.Fatalf("%+v: %v", a, err)
	}
	out := a.sooner(t.Context(), PreferPattern)
	if out == nil {
		t.Fatal("nobody arrives earlier")
	}
	for h := range team.waypoints() {
		if at := out[4].Data[h*channels : h*channels+2]; at[0] != out[4].Data[0] || at[1] != out[4].Data[1] {
			t.Fatalf("at waypoint %d it is at %v, not at %v", h, at, out[4].Data[:2])
		}
	}
}
