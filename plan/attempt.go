package plan

import (
	"context"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
	"github.com/go-pcd/pcd/plan/route"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// attempt is a joint sample on its way to a safe plan.
type attempt struct {
	team   Team
	world  *separation.World
	routes route.Task // what searches see of the team
	sample int
	memory int64          // bytes that a search may take, see [room]
	full   bool           // a search would have taken more
	cells  route.CellWays // what the search on cells found
	// foremost is the one that arrived nearest to being safe.
	foremost bool
	model    []tensor.Batch // as sampled: one row per robot; those stay who have nowhere to go
	drawn    []tensor.Batch // as sampled; nil where that is the same
	at       []tensor.Batch // as it is now

	// late is how late robots may be, in seconds, and ontime what was certified without that.
	late   float64
	ontime []tensor.Batch

	unproven bool    // its plan has no proof yet
	arcs     *onArcs // what ways of arcs came to, nil before they were tried

	outcome      separation.Outcome
	rounds       int
	rerouted     []bool
	shifted      []bool
	searched     []bool
	displacement float64
	length       float64
}

// safe reports whether the attempt is certified.
func (a *attempt) safe() bool { return a.outcome.Verdict.Certified(a.world.Margin) }

// repair repairs a joint trajectory and keeps the result. Those who stay are moved only
// where it does not succeed without that.
func (a *attempt) repair(ctx context.Context, from []tensor.Batch) error {
	a.world = a.team.holding(a.world, from)
	at, o, err := a.repairAround(ctx, from)
	if err != nil {
		return err
	}
	if at == nil || !o.Verdict.Certified(a.world.Margin) {
		a.rounds += o.Rounds
		at = cloned(from)
		if o, err = a.world.Repair(ctx, at, from, 0); err != nil {
			return err
		}
	}
	a.at, a.outcome = at, o
	a.rounds += o.Rounds
	return nil
}

func cloned(x []tensor.Batch) []tensor.Batch {
	out := make([]tensor.Batch, len(x))
	for i := range x {
		out[i] = x[i].Clone()
	}
	return out
}

// paths returns the positions in map units.
func (a *attempt) paths(x []tensor.Batch) [][]geom.Vec2 {
	out := make([][]geom.Vec2, len(x))
	for i := range x {
		out[i] = a.team.way(x[i].Sample(0))
	}
	return out
}

// withPaths returns trajectories of other positions, given in map units, between the
// ends of the sample.
func (a *attempt) withPaths(paths [][]geom.Vec2) []tensor.Batch {
	out := make([]tensor.Batch, len(paths))
	for i, path := range paths {
		out[i] = a.model[i].Clone()
		s := out[i].Data
		for h := 1; h < len(path)-1; h++ {
			p := a.team.local().FromMap(path[h])
			s[h*channels], s[h*channels+1] = float32(p.X), float32(p.Y)
		}
	}
	return out
}

// measure measures the way that the attempt has come.
func (a *attempt) measure() {
	a.displacement, a.length = 0, 0
	was, is := a.paths(a.model), a.paths(a.at)
	for i := range is {
		a.length += geom.Length(is[i])
		for h := range is[i] {
			a.displacement = max(a.displacement, is[i][h].Dist(was[i][h])*a.team.frame().Scale)
		}
	}
}

// plan returns the result of an attempt.
func (a *attempt) plan(ctx context.Context) (d *Plan, err error) {
	d = &Plan{Sample: a.sample, Displacement: a.displacement, Rounds: a.rounds, Length: a.length * a.team.LengthUnit()}
	for h := range a.team.waypoints() {
		d.Times = append(d.Times, float64(h)*a.team.Step)
	}
	d.control = cloned(a.at)
	for _, x := range a.at {
		d.Trajectories = append(d.Trajectories, x.Clone())
	}
	if a.unproven {
		d.Certificate = a.team.certificateOf(a.world, a.world.Judge(d.Trajectories, 0), d.Trajectories, 0)
	} else if d.Certificate, err = a.team.certificate(ctx, a.world, d.Trajectories, 0); err != nil {
		return nil, err
	}
	if a.team.curved() {
		d.Curves = a.world.Curves(a.at, 0)
		d.Trajectories, d.Length = states(a.at, d.Curves, a.world.Origin), 0
		for _, c := range d.Curves {
			d.Length += profile.Length(c)
		}
	}
	if a.displacement > 0 {
		d.Changes = append(d.Changes, Change{Kind: Moved})
		for i, x := range d.Trajectories {
			if !a.team.curved() {
				a.team.velocities(x, a.team.Robots[i])
			}
		}
	}
	for _, c := range []struct {
		kind ChangeKind
		who  []bool
	}{{Rerouted, a.rerouted}, {Shifted, a.shifted}, {Searched, a.searched}} {
		var names []string
		for i, changed := range c.who {
			if changed {
				names = append(names, a.team.Robots[i].Name)
			}
		}
		if names != nil {
			d.Changes = append(d.Changes, Change{Kind: c.kind, Robots: names})
		}
	}
	return d, nil
}
