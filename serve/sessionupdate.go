package serve

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/plan/session"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// mostSteps bounds the waypoints of an update: a plan has far fewer, and rests at its end.
const mostSteps = 1 << 20

// updateOf returns what a message says, in the units of the map, and the scene from then on.
func (s *Server) updateOf(d *driving, m *pb.UpdateRequest) (session.Update, sceneKeys, error) {
	u := session.Update{Steps: int(m.GetSteps()), Within: seconds(m.GetWithin())}
	if n := m.GetSteps(); n < 0 || n > mostSteps {
		return u, d.scene, &FieldError{"steps", n, fmt.Sprintf("want 0 to %d", mostSteps)}
	}
	p := d.session.Plan()
	frame := p.Team.TaskFrame()
	names := map[string]int{}
	for i, r := range p.Team.Robots {
		names[r.Name] = i
		u.Goals = append(u.Goals, r.Goal)
	}
	for _, g := range m.GetGoals() {
		i, ok := names[g.GetRobot()]
		if !ok {
			return u, d.scene, &FieldError{"goals.robot", fmt.Sprintf("%q", g.GetRobot()), "want a robot of the session"}
		}
		u.Goals[i] = frame.ToMap(geom.Vec2{X: g.GetX(), Y: g.GetY()})
	}
	at := positions(p, float64(u.Steps)*p.Team.Step)
	states, err := statesOf(p, at, names, m)
	if err != nil {
		return u, d.scene, err
	}
	u.States = states
	if m.GetObstacles() == nil {
		return u, d.scene, nil
	}
	scene, err := d.scene.with(m.GetObstacles().GetScene())
	if err != nil {
		return u, scene, err
	}
	return s.changed(u, p, scene, at)
}

// changed adds other obstacles and traffic to an update.
func (s *Server) changed(u session.Update, p *session.Plan, scene sceneKeys, at []session.State) (session.Update, sceneKeys, error) {
	frame := p.Team.TaskFrame()
	var starts, goals []geom.Vec2
	for i := range at {
		where := at[i].Position
		if u.States != nil {
			where = u.States[i].Position
		}
		starts, goals = append(starts, frame.FromMap(where)), append(goals, frame.FromMap(u.Goals[i]))
	}
	task, err := scene.task(starts, goals)
	if err != nil {
		return u, scene, err
	}
	team, err := plan.TeamOfTask(task, func(name string) (*plan.Model, error) { return p.Team.Robots[0].Model, nil })
	if err != nil {
		return u, scene, err
	}
	if u.Map = team.Map; len(scene.keys) > 0 {
		u.Traffic = append([]plan.Mover{}, team.Traffic...)
	}
	return u, scene, nil
}

// positions returns where robots are at a time of the plan in force, in the units of the map:
// straight between waypoints, and at rest after the last one.
func positions(p *session.Plan, t float64) (all []session.State) {
	for i := range p.Team.Robots {
		all = append(all, positionOf(p, i, t))
	}
	return all
}

func positionOf(p *session.Plan, i int, t float64) session.State {
	frame, x := p.Team.TaskFrame(), p.Trajectories[i].Sample(0)
	last := len(x)/4 - 1
	point := func(h int) geom.Vec2 {
		return frame.ToMap(geom.Vec2{X: float64(x[4*h]), Y: float64(x[4*h+1])})
	}
	steps := max(t/p.Team.Step, 0)
	h := int(math.Floor(steps))
	if h >= last {
		return session.State{Position: point(last)}
	}
	from, to := point(h), point(h+1)
	if f := steps - float64(h); f > 0 {
		return session.State{Position: from.Add(to.Sub(from).Scale(f)), Velocity: to.Sub(from).Scale(1 / p.Team.Step)}
	}
	if h == 0 {
		return session.State{Position: from, Velocity: p.Team.Robots[i].StartVelocity}
	}
	return session.State{Position: from, Velocity: from.Sub(point(h - 1)).Scale(1 / p.Team.Step)}
}

// statesOf returns the states of robots where some are not on the plan, nil where all are.
func statesOf(p *session.Plan, on []session.State, names map[string]int, m *pb.UpdateRequest) ([]session.State, error) {
	if len(m.GetStates()) == 0 && len(m.GetLate()) == 0 {
		return nil, nil
	}
	states := append([]session.State{}, on...)
	frame := p.Team.TaskFrame()
	for _, l := range m.GetLate() {
		i, ok := names[l.GetRobot()]
		if !ok {
			return nil, &FieldError{"late.robot", fmt.Sprintf("%q", l.GetRobot()), "want a robot of the session"}
		}
		if v := l.GetSeconds(); !(v >= 0 && v <= maxLate) {
			return nil, &FieldError{"late.seconds", v, fmt.Sprintf("want 0 to %g", float64(maxLate))}
		}
		states[i] = positionOf(p, i, float64(m.GetSteps())*p.Team.Step-l.GetSeconds())
	}
	for _, st := range m.GetStates() {
		i, ok := names[st.GetRobot()]
		if !ok {
			return nil, &FieldError{"states.robot", fmt.Sprintf("%q", st.GetRobot()), "want a robot of the session"}
		}
		states[i] = session.State{
			Position: frame.ToMap(geom.Vec2{X: st.GetX(), Y: st.GetY()}),
			Velocity: geom.Vec2{X: st.GetVx(), Y: st.GetVy()}.Scale(1 / frame.Scale),
		}
	}
	return states, nil
}

// maxLate is as late as a robot may be said to be, in seconds.
const maxLate = 1e6
