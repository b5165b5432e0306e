package plan

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/internal/timed"
)

// fewRuns are the executions of a short test, which compares with a plan on time only until one touches.
const fewRuns = 40

var lateRuns = flag.Int("late.executions", fewRuns, "executions of each plan for late robots")

// delays are how late a robot is over time: the same all the time, or changing at once or by and by.
type delays struct {
	kind        int
	a, b, phase float64
}

func drawDelays(r *rand.Rand) delays {
	return delays{r.IntN(3), r.Float64(), r.Float64(), 2 * math.Pi * r.Float64()}
}

// at returns the delay at a time as a share of the most. A robot does not go back: what varies
// grows no faster than time.
func (d delays) at(seconds, most float64) float64 {
	switch d.kind {
	case 0:
		return d.a
	case 1:
		if math.Sin(d.phase+seconds) > 0 { // it is let go to catch up, at any speed
			return d.a
		}
		return d.b
	}
	return 0.5 + 0.5*math.Sin(d.phase+min(1, 1/most)*seconds)
}

// touches reports whether an execution in which everybody is late by up to some seconds touches
// anything, traffic included.
func touches(team Team, p *Plan, r *rand.Rand, most float64) bool {
	n := len(team.Robots) + len(team.Traffic)
	late := make([]delays, n)
	for i := range late {
		late[i] = drawDelays(r)
	}
	w := p.Certificate.World
	at, radii := make([]geom.Vec2, n), make([]float64, n)
	end := p.Times[len(p.Times)-1] + team.Step + most
	for s := 0.0; s < end; s += team.Step / 4 {
		for i := range n {
			when := s - most*late[i].at(s, most)
			if i < len(team.Robots) {
				at[i], _, _ = p.Curves[i].At(when)
				radii[i] = w.Robots[i].Radius
				continue
			}
			m := team.Traffic[i-len(team.Robots)]
			at[i], radii[i] = team.TaskFrame().FromMap(timed.At(m.Times, m.Path, when)), team.RadiusOfTraffic(m)
		}
		for i := range team.Robots {
			for j := i + 1; j < n; j++ {
				if at[i].Dist(at[j]) < radii[i]+radii[j]-1e-9 {
					return true
				}
			}
		}
	}
	return false
}

// Plans for robots that are late touch nothing while each of them, and traffic, is late by anything
// up to that; the same executions of plans that are certified on time do.
func TestPlansForLateRobots(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	fully := []string{"u-shape", "warehouse"} // have room for all of the lateness
	names := append([]string{"corridor-turns", "doorway", "intersection"}, fully...)
	if *lateRuns > fewRuns {
		names = append(names, "carts", "corridor-bay", "forest", "office", "shunting")
	}
	on := 0
	for _, name := range names {
		team := exampleTeam(t, name)
		late := team
		late.Lateness = 0.5
		r, err := Run(t.Context(), late, Options{Samples: 1})
		if err != nil || r.Plan == nil {
			t.Fatalf("%s: no plan: %v", name, err)
		}
		got := r.Plan.Certificate.Lateness
		if got != late.Lateness {
			t.Logf("%s: certified for %v s", name, got)
		}
		if slices.Contains(fully, name) && got != late.Lateness {
			t.Errorf("%s: certified for %v s, want %v", name, got, late.Lateness)
		}
		draw, contacts := rand.New(rand.NewPCG(50, 2)), 0
		for range *lateRuns {
			if got > 0 && touches(late, r.Plan, draw, got) {
				t.Errorf("%s: contact within the lateness", name)
			}
		}
		if on > 0 && *lateRuns <= fewRuns {
			continue // that executions tell something is shown
		}
		before, err := Run(t.Context(), team, Options{Samples: 1})
		if err != nil || before.Plan == nil {
			t.Fatalf("%s: no plan: %v", name, err)
		}
		for range *lateRuns {
			if touches(team, before.Plan, draw, late.Lateness) {
				contacts++
			}
		}
		on += contacts
		t.Logf("%s: late by up to %v s: %d of %d executions of the plan on time touch; length %.4g and %.4g", name, late.Lateness, contacts, *lateRuns, before.Plan.Length, r.Plan.Length)
	}
	if on == 0 {
		t.Error("plans that are certified on time never touch: the executions tell nothing")
	}
}

// Where no plan is certified for the lateness, the plan is certified for less, and says for how much.
func TestPlansForLessLateness(t *testing.T) {
	thorough.Test(t)
	// Two follow each other through a corridor that is too short for more.
	walls := []geom.Box{{Min: at(-1, 0.14), Max: at(1, 1)}, {Min: at(-1, -1), Max: at(1, -0.14)}}
	team, _ := walled(t, 1.1/(63*nav2d.Step), 0.1, walls, [2]geom.Vec2{at(-0.6, 0), at(0.3, 0)}, [2]geom.Vec2{at(-0.3, 0), at(0.6, 0)})
	team.Lateness = 1.5
	r, err := Run(t.Context(), team, Options{})
	if err != nil || r.Plan == nil {
		t.Fatalf("no plan: %v", err)
	}
	c := r.Plan.Certificate
	if !c.Certified || c.Lateness >= team.Lateness || c.World.Lateness*team.Step < c.Lateness*(1-1e-9) {
		t.Errorf("certified %v for %v s, in the world for %v", c.Certified, c.Lateness, c.World.Lateness*team.Step)
	}
	if o := orderOf(t, team, r.Plan); !o.Certified() {
		t.Errorf("no order: %v", o.Open)
	}
	team.Motion = Polyline
	if _, err := Run(t.Context(), team, Options{}); err == nil {
		t.Error("polylines for late robots are not refused")
	}
}

// A plan in the shortest time is certified for late robots at the pace that is found.
func TestShortestTimeForLateRobots(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	team := exampleTeam(t, "u-shape")
	team.Shortest, team.Lateness = true, 0.2
	r, err := Run(t.Context(), team, Options{})
	if err != nil || r.Plan == nil {
		t.Fatalf("no plan: %v", err)
	}
	c := r.Plan.Certificate
	if step := r.Plan.Times[1]; c.Lateness < 0.2 || math.Abs(c.World.Lateness*step-0.2) > 1e-9 {
		t.Errorf("certified for %v s, %v waypoints of %v s", c.Lateness, c.World.Lateness, step)
	}
}
