package plan

import (
	"math/rand/v2"
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
		o := team.Order(r.Plan)
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
						need := team.RadiusOf(team.Robots[a]) + team.RadiusOf(team.Robots[b])
						if d := placeOf(r.Plan, a, progress[a]).Dist(placeOf(r.Plan, b, progress[b])); d < need {
							t.Fatalf("%s: robots %d and %d at %v are %v apart, want %v", motion, a, b, progress, d, need)
						}
					}
				}
			}
		}
	}
}
