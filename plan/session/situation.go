package session

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/tensor"
)

const channels = nav2d.Channels

// situation is what a plan of a session begins with.
type situation struct {
	team  plan.Team  // where it is, with the goals that are wanted
	base  *nav2d.Map // without the obstacles of updates
	extra []geom.Convex
	// tail is the plan before from here on, at as many waypoints, as it is stored, and how those brake
	// that are not on it; nil when no robot is.
	tail []tensor.Batch
	// left is what the clock of the plan before shows here, and who has the numbers in it of the
	// robots, -1 for newcomers.
	left      float64
	before    *Plan // the plan in force until here
	who       []int
	off       map[int]bool  // robots that are not on the plan before, nil where all are
	halted    map[int]error // robots that cannot have their goals
	stops     map[int]*Plan // how each of them stops alone, where it can
	unchanged bool          // since the plan before, but for the time
}

// advance returns the situation after an update.
func (s *Session) advance(u Update) situation {
	t := s.team
	seconds := float64(u.Steps)*t.Step + u.Seconds
	at := situation{base: s.base, extra: s.extra, before: s.plan, left: s.plan.From + seconds}
	t.Traffic = nil
	for _, m := range s.team.Traffic {
		t.Traffic = append(t.Traffic, later(m, seconds, t.Step))
	}
	if u.Traffic != nil {
		t.Traffic = nil
		for _, m := range u.Traffic {
			t.Traffic = append(t.Traffic, inMap(t, m))
		}
	}
	if u.Map != nil {
		at.base, t.Map = u.Map, u.Map
	}
	if u.Obstacles != nil {
		at.extra = u.Obstacles
	}
	if u.Map != nil || u.Obstacles != nil {
		t.Map = with(at.base, t.TaskFrame(), at.extra)
	}
	robots := slices.Clone(t.Robots)
	for i := range robots {
		s.move(&robots[i], i, at.left, u)
	}
	t.Robots = nil
	for i, r := range robots {
		if !slices.Contains(u.Leave, r.Name) {
			t.Robots, at.who = append(t.Robots, r), append(at.who, i)
		}
	}
	for _, n := range u.Join {
		t.Robots, at.who = append(t.Robots, n.robot(t, s.team.Robots[0].Model)), append(at.who, -1)
	}
	at.team = t.Named()
	if at.off = s.off(at, u); len(at.off) < len(at.who) {
		at.tail = at.restOf(s.plan)
	}
	return at
}

// off returns the robots that an update puts elsewhere than the plan in force, nil for none.
func (s *Session) off(at situation, u Update) map[int]bool {
	if u.States == nil {
		return nil
	}
	var out map[int]bool
	for k, i := range at.who {
		if i >= 0 && !s.onPlan(i, at.left, u.States[i]) {
			if out == nil {
				out = map[int]bool{}
			}
			out[k] = true
		}
	}
	return out
}

// onPlan reports whether a robot is where the plan in force has it at a time on its clock.
func (s *Session) onPlan(i int, left float64, is State) bool {
	x, v := wayOf(s.plan, i).at(left)
	near := nearPlan * s.team.RadiusOf(s.team.Robots[i])
	return is.Position.Dist(x) <= near && is.Velocity.Dist(v)*s.team.Step <= near
}

// nearPlan is how near to the plan, as a part of its radius, a robot is on it.
const nearPlan = 1e-6

// move brings robot i to where an update says it is.
func (s *Session) move(r *plan.Robot, i int, left float64, u Update) {
	f := s.team.TaskFrame()
	if u.Goals != nil {
		r.Goal = f.ToMap(u.Goals[i])
	}
	x, v := wayOf(s.plan, i).at(left)
	if u.States != nil && !s.onPlan(i, left, u.States[i]) {
		x, v = u.States[i].Position, u.States[i].Velocity
	}
	r.Start, r.StartVelocity, r.StartHeading = f.ToMap(x), v.Scale(1/f.Scale), s.plan.looks(i, left)
}

// restOf returns the rest of a plan, on the clock of the next one. At whole waypoints of straight
// ways it is the plan bit for bit.
func (at situation) restOf(before *Plan) (out []tensor.Batch) {
	t, origin := at.team, at.team.Origin()
	h, whole := wholeSteps(at.left, t.Step)
	for k, i := range at.who {
		if at.off[k] {
			out = append(out, at.straightOn(k))
			continue
		}
		if i >= 0 && whole && before.Curves == nil {
			x := before.Trajectories[i]
			out = append(out, rest(x, min(h, x.Shape[0]-1)))
			continue
		}
		x := tensor.New(1, cmp.Or(t.Waypoints, t.Robots[k].Model.Waypoints()), channels)
		for n := range x.Shape[0] {
			p := t.TaskFrame().FromMap(t.Robots[k].Start)
			if i >= 0 {
				p, _ = wayOf(before, i).at(at.left + float64(n)*t.Step)
			}
			p = p.Sub(origin)
			x.Data[n*channels], x.Data[n*channels+1] = float32(p.X), float32(p.Y)
		}
		out = append(out, x)
	}
	return out
}

// rest returns a trajectory from waypoint h on, which stays at its end.
func rest(x tensor.Batch, h int) tensor.Batch {
	out := tensor.New(1, x.Shape...)
	last := x.Data[len(x.Data)-channels:]
	n := copy(out.Data, x.Data[h*channels:])
	for ; n < len(out.Data); n += channels {
		copy(out.Data[n:n+2], last[:2])
	}
	return out
}

// with returns a map with obstacles in the units of the task. They grow by what rounding
// could take off.
func with(m *nav2d.Map, f nav2d.Frame, obstacles []geom.Convex) *nav2d.Map {
	var solids []geom.Solid
	for _, c := range obstacles {
		in := geom.Convex{Radius: c.Radius/f.Scale + 0x1p-48}
		for _, v := range c.Core {
			in.Core = append(in.Core, f.ToMap(v))
		}
		solids = append(solids, in)
	}
	return m.With(solids...)
}

// inMap returns traffic of an update in the units of the map.
func inMap(t plan.Team, m plan.Mover) plan.Mover {
	f := t.TaskFrame()
	out := plan.Mover{Name: m.Name, Radius: m.Radius / f.Scale, GivenRadius: m.Radius, GivenPath: m.Path, Times: m.Times}
	for _, p := range m.Path {
		out.Path = append(out.Path, f.ToMap(p))
	}
	return out
}

// path returns the positions of a stored trajectory in map units.
func (at situation) path(x tensor.Batch) []geom.Vec2 {
	p, f := geom.Points(nil, x.Data, channels), at.team.TaskFrame().Local()
	for h := range p {
		p[h] = f.ToMap(p[h])
	}
	return p
}

// endingAtStarts returns a team whose goals are its starts.
func endingAtStarts(t plan.Team) plan.Team {
	robots := make([]plan.Robot, len(t.Robots))
	for i, r := range t.Robots {
		endsAt(&r, r.Start)
		robots[i] = r
	}
	t.Robots = robots
	return t
}

// ending returns the team whose goals are the ends of a joint trajectory. Who ends where it starts, as that is stored, has
// its start for a goal: the digits between the two are no way, and nothing that it could turn along.
func (at situation) ending(x []tensor.Batch) plan.Team {
	t, f := at.team, at.team.TaskFrame().Local()
	t.Robots = slices.Clone(t.Robots)
	for i, r := range t.Robots {
		end := x[i].Data[len(x[i].Data)-channels:]
		goal := f.ToMap(geom.Vec2{X: float64(end[0]), Y: float64(end[1])})
		if p := f.FromMap(r.Start); float32(p.X) == end[0] && float32(p.Y) == end[1] {
			goal = r.Start
		}
		endsAt(&t.Robots[i], goal)
	}
	return t
}

// made returns a joint trajectory, the waypoints of a motion, as a plan, certified or not.
func (at situation) made(x []tensor.Batch, kind Kind) (*Plan, error) {
	t := at.ending(x)
	p, err := t.Certify(context.Background(), x)
	if err != nil {
		return nil, err
	}
	return &Plan{Plan: p, Kind: kind, Team: t}, nil
}

// judged is made that returns nil where the plan is not certified.
func (at situation) judged(x []tensor.Batch, kind Kind) (*Plan, error) {
	p, err := at.made(x, kind)
	if err != nil || !p.Certificate.Certified {
		return nil, err
	}
	return p, nil
}

// driven returns a planned motion of the team as a plan of the session, nil if it is not certified
// from where the team is, with all robots at rest in the end.
func (at situation) driven(d *plan.Plan) (*Plan, error) {
	if d == nil {
		return nil, nil
	}
	var p *Plan
	var err error
	if d.Curves != nil {
		p, err = at.along(at.team, d.Curves, Planned)
	} else {
		for i, x := range at.tail {
			copy(d.Trajectories[i].Data[:2], x.Data[:2])
		}
		p, err = at.judged(d.Trajectories, Planned) // certified even if the context has ended
	}
	if p != nil {
		made := *d
		made.Trajectories, made.Curves, made.Certificate, made.Judged = p.Trajectories, p.Curves, p.Certificate, p.Judged
		p.Plan = &made
	}
	return p, err
}

// along returns a motion on curves that begins as a team does as a plan, nil where it is not certified.
func (at situation) along(t plan.Team, curves []geom.Curve, kind Kind) (*Plan, error) {
	p, err := onCurves(t, curves, kind)
	if err != nil || !p.Certificate.Certified {
		return nil, err
	}
	return p, nil
}

// onCurves returns a motion on curves that begins as a team does as a plan, certified or not.
func onCurves(t plan.Team, curves []geom.Curve, kind Kind) (*Plan, error) {
	t.Robots = slices.Clone(t.Robots)
	for i, c := range curves {
		endsAt(&t.Robots[i], t.TaskFrame().ToMap(c.X[len(c.X)-1]))
	}
	p, err := t.CertifyCurves(context.Background(), curves)
	if err != nil {
		return nil, err
	}
	return &Plan{Plan: p, Kind: kind, Team: t}, nil
}
