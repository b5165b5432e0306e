package serve

import (
	"fmt"
	"reflect"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/plan/session"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// mostSteps bounds the waypoints of an update: a plan has far fewer, and rests at its end.
const mostSteps = 1 << 20

// updateOf returns what a message says, in the units of the scene, and the scene from then on.
func (s *Server) updateOf(d *driving, m *pb.UpdateRequest) (session.Update, sceneKeys, error) {
	u := session.Update{Steps: int(m.GetSteps()), Seconds: m.GetSeconds(), Within: seconds(m.GetWithin()), Leave: m.GetLeave()}
	if n := m.GetSteps(); n < 0 || n > mostSteps {
		return u, d.scene, &fieldError{"steps", n, fmt.Sprintf("want 0 to %d", mostSteps)}
	}
	if v := m.GetSeconds(); !(v >= 0 && v <= maxLate) {
		return u, d.scene, &fieldError{"seconds", v, fmt.Sprintf("want 0 to %g", float64(maxLate))}
	}
	for _, n := range m.GetJoin() {
		u.Join = append(u.Join, session.Newcomer{
			Name: n.GetName(), Start: geom.Vec2{X: n.GetX(), Y: n.GetY()}, Goal: geom.Vec2{X: n.GetGoalX(), Y: n.GetGoalY()},
			Radius: n.GetRadius(), Speed: n.GetSpeed(), Acceleration: n.GetAcceleration(),
		})
	}
	p := d.session.Plan()
	names := map[string]int{}
	for i, r := range p.Team.Robots {
		names[r.Name] = i
	}
	if n := len(names) + len(u.Join) - len(u.Leave); n > s.config.Robots {
		return u, d.scene, &fieldError{"join", n, fmt.Sprintf("robots then, want at most %d", s.config.Robots)}
	}
	if len(m.GetGoals()) > 0 {
		u.Goals = d.session.Goals()
	}
	for _, g := range m.GetGoals() {
		i, ok := names[g.GetRobot()]
		if !ok {
			return u, d.scene, &fieldError{"goals.robot", fmt.Sprintf("%q", g.GetRobot()), "want a robot of the session"}
		}
		u.Goals[i] = geom.Vec2{X: g.GetX(), Y: g.GetY()}
	}
	states, err := statesOf(p, names, m)
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
	if scene.keys["traffic"] == nil && reflect.DeepEqual(scene.keys, d.scene.keys) {
		return u, d.scene, nil // nothing new
	}
	u, err = changed(u, p, scene)
	return u, scene, err
}

// changed adds other obstacles and traffic to an update.
func changed(u session.Update, p *session.Plan, scene sceneKeys) (session.Update, error) {
	task, err := scene.task()
	if err != nil {
		return u, err
	}
	team, err := plan.TeamOfTask(task, func(name string) (*plan.Model, error) { return p.Team.Robots[0].Model, nil })
	if err != nil {
		return u, err
	}
	if u.Map = team.Map; len(scene.keys) > 0 {
		u.Traffic = []plan.Mover{}
		for _, m := range team.Traffic {
			u.Traffic = append(u.Traffic, plan.Mover{Name: m.Name, Radius: m.GivenRadius, Path: m.GivenPath, Times: m.Times})
		}
	}
	return u, nil
}

// statesOf returns the states of robots where some are not on the plan, nil where all are.
func statesOf(p *session.Plan, names map[string]int, m *pb.UpdateRequest) ([]session.State, error) {
	if len(m.GetStates()) == 0 && len(m.GetLate()) == 0 {
		return nil, nil
	}
	now := float64(m.GetSteps())*p.Team.Step + m.GetSeconds()
	var states []session.State
	for i := range p.Team.Robots {
		states = append(states, p.At(i, now))
	}
	for _, l := range m.GetLate() {
		i, ok := names[l.GetRobot()]
		if !ok {
			return nil, &fieldError{"late.robot", fmt.Sprintf("%q", l.GetRobot()), "want a robot of the session"}
		}
		if v := l.GetSeconds(); !(v >= 0 && v <= maxLate) {
			return nil, &fieldError{"late.seconds", v, fmt.Sprintf("want 0 to %g", float64(maxLate))}
		}
		states[i] = p.At(i, now-l.GetSeconds())
	}
	for _, st := range m.GetStates() {
		i, ok := names[st.GetRobot()]
		if !ok {
			return nil, &fieldError{"states.robot", fmt.Sprintf("%q", st.GetRobot()), "want a robot of the session"}
		}
		states[i] = session.State{Position: geom.Vec2{X: st.GetX(), Y: st.GetY()}, Velocity: geom.Vec2{X: st.GetVx(), Y: st.GetVy()}}
	}
	return states, nil
}

// maxLate is as late as a robot may be said to be, in seconds.
const maxLate = 1e6
