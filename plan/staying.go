package plan

import (
	"context"
	"slices"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// A robot whose goal is its start has nowhere to go. Models know only journeys, and draw
// it one of some centimetres; it stays instead, until others need the room.

// stays reports whether a robot starts and ends at one place, as it is stored, at rest.
func (t Team) stays(r Robot) bool {
	return t.stored(r.Start) == t.stored(r.Goal) && r.StartVelocity == (geom.Vec2{}) && r.GoalVelocity == (geom.Vec2{})
}

// stored returns a place of the map as trajectories hold it, in the units of the task.
func (t Team) stored(p geom.Vec2) [2]float32 {
	q := t.local().FromMap(p)
	return [2]float32{float32(q.X), float32(q.Y)}
}

// holdsStaying reports whether robots that stay are held where they are while samples are
// drawn. They are not where samples are kept apart while they are drawn: there they may
// have to make room.
func (s Settings) holdsStaying() bool { return s.PinGoal && s.SeparationSteps == 0 }

// staying returns the condition on samples of a robot that stays.
func (r Robot) staying() pcd.Condition {
	state := r.Model.state(r.Start)
	all := tensor.New(1, r.Model.Waypoints(), channels)
	copy(all.Data, slices.Repeat(state.Data, r.Model.Waypoints()))
	return pcd.Condition{Values: all}
}

// settled returns joint trajectories on which the robots that have nowhere to go stay, and
// whether that is another one.
func (t Team) settled(x []tensor.Batch) (out []tensor.Batch, changed bool) {
	out = slices.Clone(x)
	for i, r := range t.Robots {
		if !t.stays(r) {
			continue
		}
		at := t.stored(r.Start)
		y := x[i].Clone()
		clear(y.Data)
		for h := 0; h < len(y.Data); h += channels {
			copy(y.Data[h:], at[:])
		}
		if !slices.Equal(y.Data, x[i].Data) {
			out[i], changed = y, true
		}
	}
	return out, changed
}

// repairAround repairs a joint trajectory among the robots that stay on it. It returns
// none where nobody stays, or everybody.
func (a *attempt) repairAround(ctx context.Context, from []tensor.Batch) ([]tensor.Batch, separation.Outcome, error) {
	among := *a.world
	among.Robots, among.Traffic = nil, slices.Clone(a.world.Traffic)
	out := cloned(from)
	var moving []tensor.Batch
	for i, x := range out {
		if path := geom.Points(nil, x.Data, channels); a.team.stays(a.team.Robots[i]) && motionless(path) {
			among.Traffic = append(among.Traffic, separation.Mover{Radius: a.world.Robots[i].Radius, Path: path})
			continue
		}
		among.Robots, moving = append(among.Robots, a.world.Robots[i]), append(moving, x)
	}
	if len(moving) == 0 || len(moving) == len(from) {
		return nil, separation.Outcome{}, nil
	}
	o, err := among.Repair(ctx, moving, moving, 0)
	if err == nil {
		o.Verdict = a.world.Judge(out, 0)
	}
	return out, o, err
}

// motionless reports whether a path stays at one place.
func motionless(path []geom.Vec2) bool {
	return len(path) > 0 && !slices.ContainsFunc(path, func(p geom.Vec2) bool { return p != path[0] })
}
