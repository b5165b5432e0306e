package plan

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// Certify returns a joint trajectory in the units of the task, one row per robot, as a plan:
// judged as it is, from its own first waypoints to its last ones, with velocities that are
// the differences of its positions. Where the team moves along curves its waypoints are their
// control points. Whether it is certified its certificate says.
func (t Team) Certify(ctx context.Context, x []tensor.Batch) (*Plan, error) {
	return t.made(ctx, x, nil)
}

// Repair is [Team.Certify] of a joint trajectory whose waypoints between the ends are moved
// until it is certified, as far as that is found.
func (t Team) Repair(ctx context.Context, x []tensor.Batch) (*Plan, error) {
	return t.made(ctx, x, repairAsIs)
}

// made returns a plan that a step of the ladder makes of a joint trajectory.
func (t Team) made(ctx context.Context, x []tensor.Batch, step rung) (*Plan, error) {
	t, _, err := Complete(t, Options{})
	if err != nil {
		return nil, err
	}
	if len(x) != len(t.Robots) {
		return nil, &TeamError{Reason: fmt.Sprintf("%d trajectories, want one for each of %d robots", len(x), len(t.Robots))}
	}
	for i := range x {
		if err := t.checkTrajectory(i, x[i]); err != nil {
			return nil, err
		}
	}
	a, err := t.attemptOf(ctx, x)
	if err == nil && step != nil {
		err = a.climb(ctx, step)
	}
	if err != nil {
		return nil, err
	}
	p, err := a.plan(ctx)
	if err != nil {
		return nil, err
	}
	for i, y := range p.Trajectories {
		if !t.curved() {
			t.velocities(y, t.Robots[i])
		}
	}
	return p, t.measure(p)
}

// attemptOf returns a joint trajectory as it is.
func (t Team) attemptOf(ctx context.Context, x []tensor.Batch) (*attempt, error) {
	w, err := t.world(0)
	if err != nil {
		return nil, err
	}
	n := len(x)
	a := &attempt{team: t, world: w, routes: t.routes(), sample: -1, model: x, rerouted: make([]bool, n), shifted: make([]bool, n), searched: make([]bool, n)}
	return a, a.climb(ctx, nil)
}

// Better reports whether plan a of a team is preferred to plan b: certified before not, then
// as the preference says.
func (p Preference) Better(t Team, a, b *Plan) (bool, error) {
	var ranks [2][4]float64
	for k, of := range []*Plan{a, b} {
		if of.Curves != nil {
			ranks[k] = p.rankCurves(t, of)
			continue
		}
		attempt, err := t.attemptOf(context.Background(), of.Trajectories)
		if err != nil {
			return false, err
		}
		ranks[k] = attempt.rank(p)
	}
	return slices.Compare(ranks[0][:], ranks[1][:]) < 0, nil
}

// rankCurves orders plans on curves as attempts are ordered.
func (p Preference) rankCurves(t Team, of *Plan) [4]float64 {
	if !of.Certificate.Certified {
		return [4]float64{1, of.Certificate.violation}
	}
	switch p {
	case PreferClearance:
		least := math.Inf(1)
		for _, kind := range []separation.Kind{separation.Bodies, separation.Obstacles} {
			if gap := of.Certificate.Gap(kind); gap != nil {
				least = min(least, *gap)
			}
		}
		return [4]float64{0, -least, of.Length}
	case PreferTime:
		return [4]float64{0, t.Arrival(of), of.Length}
	case PreferLength:
		return [4]float64{0, of.Length}
	}
	follows := 0.0
	for _, a := range of.Judged.Adherence {
		follows += a
	}
	return [4]float64{0, -follows, of.Length}
}

// Arrival returns the sum over robots of the waypoint from which they stay at their ends.
func (t Team) Arrival(p *Plan) float64 { return (&attempt{team: t, at: p.Trajectories}).arrival() }

// CheckTraffic returns an error for traffic that does not fit the team: names that are taken,
// paths that are no paths or too short, radii that are not positive.
func (t Team) CheckTraffic() error {
	t, _, err := Complete(t, Options{})
	if err != nil {
		return err
	}
	if err := t.checkNames(); err != nil {
		return err
	}
	for _, m := range t.Traffic {
		if wrong := m.check(t.waypoints()); wrong != "" {
			return &TeamError{m.Name, wrong}
		}
		if !(m.Radius > 0) || math.IsInf(m.Radius, 0) {
			return &TeamError{m.Name, fmt.Sprintf("the radius is %v, want a positive number", m.Radius)}
		}
	}
	return nil
}
