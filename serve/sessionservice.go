package serve

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"connectrpc.com/connect"

	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/plan/session"
	"github.com/go-pcd/pcd/serve/internal/gate"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// sessionService answers calls of SessionService.
type sessionService struct{ *Server }

// OpenSession implements [pcdv1connect.SessionServiceHandler].
func (s sessionService) OpenSession(ctx context.Context, m *connect.Request[pb.OpenSessionRequest]) (*connect.Response[pb.Session], error) {
	asked := m.Msg.GetRequest()
	r, err := s.planRequest(asked)
	if err != nil {
		return nil, refuse(err)
	}
	if r.Scene == nil {
		return nil, refuse(&fieldError{"request.map", asked.GetMap().GetName(), "want a scene: a published map has no session"})
	}
	if err := s.sessions.room(); err != nil {
		return nil, refuse(err)
	}
	var made *pb.Session
	err = s.admitted(ctx, asked, r, func(ctx context.Context, pass *gate.Pass) error {
		r.Workers = pass.Cores
		made, err = s.open(ctx, asked, r)
		return err
	})
	s.metrics.unplanned(err)
	return answerOf(made, err)
}

// open opens a session and plans for it.
func (s sessionService) open(ctx context.Context, asked *pb.PlanRequest, r planner.PlanRequest) (*pb.Session, error) {
	task, err := r.Check()
	if err != nil {
		return nil, err
	}
	if err := s.checkSize(task); err != nil {
		return nil, err
	}
	drives, err := session.New(task.Team, task.Options)
	if err != nil {
		return nil, err
	}
	p, err := drives.Replan(ctx, session.Update{Within: seconds(asked.GetWithin())})
	if err != nil {
		return nil, err
	}
	if p.Kind == session.Unsafe { // nobody drives yet who would need the least bad stop
		return nil, p.Reason
	}
	s.metrics.drives(p.Kind, &pb.Seconds{Repair: p.Seconds})
	keys, err := keysOf(*r.Scene, asked.GetFiles())
	if err != nil {
		return nil, err
	}
	d, err := s.sessions.add(clientOf(ctx), drives, r.Workers, keys)
	if err != nil {
		return nil, err
	}
	state := stateOf(p, d.id, 0)
	d.publish(state)
	return state, nil
}

// Update implements [pcdv1connect.SessionServiceHandler].
func (s sessionService) Update(ctx context.Context, m *connect.Request[pb.UpdateRequest]) (*connect.Response[pb.Session], error) {
	d, err := s.sessions.find(clientOf(ctx), m.Msg.GetId())
	if err != nil {
		return nil, refuse(err)
	}
	needs, err := s.needs(d, m.Msg)
	if err != nil {
		return nil, refuse(err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, needs.longest, &lateUpdateError{needs.longest})
	defer cancel()
	if err := d.take(ctx); err != nil {
		return nil, refuse(cause(ctx, err))
	}
	defer d.giveBack()
	needs.size = float64(len(d.session.Plan().Trajectories))
	var next *pb.Session
	err = s.queued(ctx, needs, func(ctx context.Context, _ *gate.Pass) error {
		next, err = s.update(ctx, d, m.Msg)
		return err
	})
	return answerOf(next, err)
}

// checkSeconds is what a check of the plan in force is taken to take before there was one.
const checkSeconds = 0.002

// needs returns what an update asks of the cores: one that brings nothing new to a team on its way to its
// goals is a check in most cases.
func (s sessionService) needs(d *driving, m *pb.UpdateRequest) (demand, error) {
	out := demand{longest: s.config.Longest, kind: "update", cores: d.cores, first: firstSeconds}
	for field, limit := range map[string]float64{"within": m.GetWithin(), "deadline": m.GetDeadline()} {
		if !(limit >= 0 && limit <= s.config.Longest.Seconds()) {
			return out, &fieldError{field, limit, fmt.Sprintf("want 0 to %g seconds", s.config.Longest.Seconds())}
		}
		if limit > 0 {
			out.longest = min(out.longest, seconds(limit))
		}
	}
	if m.GetWithin() > 0 {
		out.kind = "update within" // as long as it is asked to
		out.first = m.GetWithin() * float64(d.cores)
	}
	if state, _, _ := d.newest(); state.GetReason() == "" && m.GetWithin() == 0 && len(m.GetGoals())+len(m.GetStates())+len(m.GetLate())+len(m.GetJoin())+len(m.GetLeave()) == 0 && m.GetObstacles() == nil {
		out.kind, out.cores, out.first = "update without news", 1, checkSeconds
	}
	return out, nil
}

// update brings a session to an update.
func (s sessionService) update(ctx context.Context, d *driving, m *pb.UpdateRequest) (*pb.Session, error) {
	before, _, ended := d.newest()
	switch {
	case ended:
		return nil, &sessionError{d.id}
	case m.GetNumber() != 0 && m.GetNumber() != before.GetNumber():
		return nil, &fieldError{"number", m.GetNumber(), fmt.Sprintf("which is not in force any more: %d is", before.GetNumber())}
	}
	u, scene, err := s.updateOf(d, m)
	if err != nil {
		return nil, err
	}
	p, err := d.session.Replan(ctx, u)
	if err != nil {
		return nil, err
	}
	s.metrics.drives(p.Kind, &pb.Seconds{Repair: p.Seconds})
	d.scene = scene
	state := stateOf(p, d.id, before.GetNumber()+1)
	state.Steps, state.Seconds = m.GetSteps(), m.GetSeconds()
	d.publish(state)
	return state, nil
}

// Watch implements [pcdv1connect.SessionServiceHandler].
func (s sessionService) Watch(ctx context.Context, m *connect.Request[pb.WatchRequest], stream *connect.ServerStream[pb.Session]) error {
	d, err := s.sessions.find(clientOf(ctx), m.Msg.GetId())
	if err != nil {
		return refuse(err)
	}
	var sent *pb.Session
	for {
		state, next, ended := d.newest()
		if state != sent { // also the last one of a session that has ended since
			if err := stream.Send(state); err != nil {
				return err
			}
			sent = state
		}
		if ended {
			return nil
		}
		d.touch()
		select {
		case <-next:
		case <-ctx.Done():
			return refuse(ctx.Err())
		}
	}
}

// Close implements [pcdv1connect.SessionServiceHandler].
func (s sessionService) Close(ctx context.Context, m *connect.Request[pb.CloseRequest]) (*connect.Response[pb.CloseResponse], error) {
	d, err := s.sessions.find(clientOf(ctx), m.Msg.GetId())
	if err != nil {
		return nil, refuse(err)
	}
	s.sessions.remove(d)
	return connect.NewResponse(&pb.CloseResponse{}), nil
}

// answerOf returns the answer with a state.
func answerOf(state *pb.Session, err error) (*connect.Response[pb.Session], error) {
	if err != nil {
		return nil, refuse(err)
	}
	return connect.NewResponse(state), nil
}

func seconds(v float64) time.Duration { return time.Duration(v * float64(time.Second)) }

// stateOf returns the message of a plan in force.
func stateOf(p *session.Plan, id string, number int64) *pb.Session {
	out := &pb.Session{Id: id, Number: number, Kind: string(p.Kind), Warm: p.Warm, From: p.From, Plan: &pb.Plan{
		Name: p.Team.Name, Units: &pb.Units{Length: p.Team.Units, Time: "s", Speed: p.Team.Units + "/s"}, Times: p.Times,
		Certificate: certificate(p.Certificate), Length: p.Length, Draws: int32(p.Draws),
		Motion:  string(cmp.Or(p.Team.Motion, plan.Curve)),
		Seconds: &pb.Seconds{Repair: p.Seconds, Total: p.Elapsed},
	}}
	if p.Reason != nil {
		out.Reason = whyNot(p.Reason)
	}
	for _, h := range p.Halted {
		out.Halted = append(out.Halted, &pb.Halt{Robot: h.Robot, Reason: text(h.Reason)})
	}
	for _, c := range p.Contacts {
		out.Contacts = append(out.Contacts, contact(c))
	}
	for i, r := range p.Team.Robots {
		out.Plan.Robots = append(out.Plan.Robots, pathOf(p.Plan, p.Team, i, r))
	}
	return out
}

// whyNot says why there is no better plan, also where there was no time to find one.
func whyNot(reason error) string {
	return strings.ReplaceAll(text(reason), context.DeadlineExceeded.Error(), "no certified plan was found in the time that there was")
}

func contact(c session.Contact) *pb.Contact {
	out := &pb.Contact{
		Constraint: c.Constraint, Robot: c.Robot, Other: c.Other, Seconds: c.Seconds, X: c.Position.X, Y: c.Position.Y, Speed: c.Speed, Depth: c.Depth,
	}
	if c.Obstacle != nil {
		out.Obstacle = new(int32(*c.Obstacle))
	}
	return out
}

// pathOf returns the way of robot i.
func pathOf(p *plan.Plan, team plan.Team, i int, r plan.Robot) *pb.Path {
	out := &pb.Path{Name: r.Name, Radius: team.RadiusOf(r)}
	x, v := team.States(p, i)
	for h := range x {
		out.X, out.Y = append(out.X, x[h].X), append(out.Y, x[h].Y)
		out.Vx, out.Vy = append(out.Vx, v[h].X), append(out.Vy, v[h].Y)
	}
	return out
}
