package planner

import (
	"context"

	"github.com/go-pcd/pcd/plan"
)

// OrderSummary says who goes first where ways meet: while it is kept robots may be late as
// they like. Progress counts waypoints, with fractions; robots count from 0.
type OrderSummary struct {
	// Certified says that executions that keep the order are free of contact and arrive.
	Certified bool `json:"certified"`
	// Margin is what late robots keep beyond contact: all of the plan's, or as much of it as an order of all places can.
	Margin float64 `json:"margin"`
	// Passages are rows (i, s, j, u): robot i goes beyond progress s only when robot j has
	// reached progress u.
	Passages [][4]float64 `json:"passages"`
	// Open are rows (i, j, s) where no order keeps two robots apart: whoever is a little late
	// there is in contact.
	Open [][3]float64 `json:"open,omitempty"`
	// Lateness is, by robot and waypoint, how late the robot may be from there on before
	// another has to wait, in seconds; null is as late as it likes.
	Lateness map[string][]*float64 `json:"lateness"`
}

// orderedRobots is for how many robots at most an order is written.
const orderedRobots = 512

// ordered reports whether the order of a plan is told.
func ordered(p *plan.Plan, team plan.Team) bool {
	return p.Certificate.Certified && p.Curves != nil && len(team.Robots) > 1 && len(team.Robots) <= orderedRobots
}

// newOrderSummary returns the order of a certified plan on curves, nil for others. The error is that of the context.
func newOrderSummary(ctx context.Context, p *plan.Plan, team plan.Team) (*OrderSummary, error) {
	if !ordered(p, team) {
		return nil, nil
	}
	o, err := team.Order(ctx, p)
	if err != nil {
		return nil, err
	}
	out := &OrderSummary{Certified: o.Certified(), Margin: o.Margin, Passages: [][4]float64{}, Lateness: map[string][]*float64{}}
	for _, g := range o.Passages {
		out.Passages = append(out.Passages, [4]float64{float64(g.Robot), g.At, float64(g.After), g.Reached})
	}
	for _, q := range o.Open {
		out.Open = append(out.Open, [3]float64{float64(q.Robots[0]), float64(q.Robots[1]), q.At})
	}
	for i, all := range o.Lateness() {
		seconds := make([]*float64, len(all))
		for h, steps := range all {
			seconds[h] = finite(steps * team.Step)
		}
		out.Lateness[team.Robots[i].Name] = seconds
	}
	return out, nil
}
