package plan

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thorough"
)

// placeOf returns where robot i of a plan is at some progress.
func placeOf(p *Plan, i int, progress float64) geom.Vec2 {
	h := min(int(progress), p.Trajectories[i].Shape[0]-2)
	if p.Curves != nil {
		return p.Curves[i].Span(h).At(progress - float64(h))
	}
	at := geom.Points(nil, p.Trajectories[i].Data[h*channels:(h+2)*channels], channels)
	return at[0].Lerp(at[1], progress-float64(h))
}

// Plans along curves and along straight lines have an order that executions with random
// delays keep without contact.
func TestOrdersOfPlans(t *testing.T) {
	thorough.Test(t)
	for _, motion := range Motions() {
		team := exampleTeam(t, "intersection")
		team.Motion = motion
		r, err := Run(t.Context(), team, Options{})
		if err != nil || r.Plan == nil {
			t.Fatalf("%s: no plan: %v", motion, err)
		}
		o := orderOf(t, team, r.Plan)
		if !o.Certified() || len(o.Passages) == 0 {
			t.Fatalf("%s: %d passages, open %v", motion, len(o.Passages), o.Open)
		}
		draw := rand.New(rand.NewPCG(5, 5))
		for range 20 {
			e := NewExecution(o)
			progress := make([]float64, len(team.Robots))
			for round := 0; !e.Arrived(); round++ {
				if round > 5000 {
					t.Fatalf("%s: at %v after %d rounds", motion, progress, round)
				}
				i := draw.IntN(len(progress))
				progress[i] = min(progress[i]+draw.Float64(), e.Limit(i))
				e.Report(i, progress[i])
				for a := range progress {
					for b := range a {
						need := team.RadiusOf(team.Robots[a]) + team.RadiusOf(team.Robots[b]) + o.Margin
						if d := placeOf(r.Plan, a, progress[a]).Dist(placeOf(r.Plan, b, progress[b])); d < need {
							t.Fatalf("%s: robots %d and %d at %v are %v apart, want %v", motion, a, b, progress, d, need)
						}
					}
				}
			}
		}
	}
}

// Robots that are late and keep the order keep the margin of the plan, too, as far as the order says: that is what errors of
// localisation may take. An order without a margin lets them come nearer.
func TestLateRobotsKeepTheMargin(t *testing.T) {
	const margin = 0.1
	team := teamOf(t, strings.NewReader(`bounds: {min: [0, 0], max: [10, 10]}
duration: 20
margin: 0.1
robots:
- {name: ada, start: [1, 5], goal: [9, 5], radius: 0.4, speed: 1.5, acceleration: 1}
- {name: bob, start: [5, 1], goal: [5, 9], radius: 0.3, speed: 1.2, acceleration: 1}
- {name: cy, start: [9, 4.4], goal: [1, 5.6], radius: 0.4, speed: 1}
- {name: dan, start: [1, 1], goal: [9, 9], radius: 0.25, speed: 2}
`))
	r, err := Run(t.Context(), team, Options{})
	if err != nil || r.Plan == nil {
		t.Fatalf("no plan: %v", err)
	}
	nearest := func(o *Order) float64 {
		draw, least := rand.New(rand.NewPCG(5, 7)), math.Inf(1)
		for range 60 {
			e, progress := NewExecution(o), make([]float64, len(team.Robots))
			for !e.Arrived() {
				i := draw.IntN(len(progress))
				progress[i] = min(progress[i]+draw.Float64()*3, e.Limit(i))
				e.Report(i, progress[i])
				for a := range progress {
					for b := range a {
						gap := placeOf(r.Plan, a, progress[a]).Dist(placeOf(r.Plan, b, progress[b]))
						least = min(least, gap-team.RadiusOf(team.Robots[a])-team.RadiusOf(team.Robots[b]))
					}
				}
			}
		}
		return least
	}
	o := orderOf(t, team, r.Plan)
	if !o.Certified() || o.Margin < margin/2 {
		t.Fatalf("an order with a margin of %v, open %v", o.Margin, o.Open)
	}
	if gap := nearest(o); gap < o.Margin-1e-9 {
		t.Errorf("late robots are %v apart, want %v", gap, o.Margin)
	}
	without := team
	without.Margin, without.GivenMargin = 0, 0
	if gap := nearest(orderOf(t, without, r.Plan)); gap > o.Margin {
		t.Errorf("without a margin they are %v apart: this tells nothing", gap)
	}
}

func orderOf(t *testing.T, team Team, p *Plan) *Order {
	t.Helper()
	o, err := team.Order(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
