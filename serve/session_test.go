package serve

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/structpb"

	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
	"github.com/go-pcd/pcd/serve/internal/pcdv1/pcdv1connect"
)

// drivers are clients of sessions over the three protocols.
func drivers(url string) map[string]pcdv1connect.SessionServiceClient {
	return map[string]pcdv1connect.SessionServiceClient{
		"json":     pcdv1connect.NewSessionServiceClient(http.DefaultClient, url, connect.WithProtoJSON()),
		"grpc":     pcdv1connect.NewSessionServiceClient(overHTTP2(), url, connect.WithGRPC()),
		"grpc-web": pcdv1connect.NewSessionServiceClient(http.DefaultClient, url, connect.WithGRPCWeb()),
	}
}

// open opens a session for two robots that change places.
func open(t *testing.T, c pcdv1connect.SessionServiceClient) *pb.Session {
	t.Helper()
	r, err := c.OpenSession(t.Context(), connect.NewRequest(&pb.OpenSessionRequest{Request: &pb.PlanRequest{Task: &pb.PlanRequest_Yaml{Yaml: doorway}}}))
	if err != nil {
		t.Fatal(err)
	}
	return r.Msg
}

func obstacles(t *testing.T, keys map[string]any) *pb.Obstacles {
	t.Helper()
	s, err := structpb.NewStruct(keys)
	if err != nil {
		t.Fatal(err)
	}
	return &pb.Obstacles{Scene: s}
}

// circles are the pillar of the room and others.
func circles(more ...[3]float64) map[string]any {
	all := []any{}
	for _, c := range append([][3]float64{{5, 5, 1}}, more...) {
		all = append(all, map[string]any{"center": []any{c[0], c[1]}, "radius": c[2]})
	}
	return map[string]any{"circles": all}
}

// A team is driven through disturbances. What it drives has no gap and no contact.
func TestDriving(t *testing.T) {
	_, url := start(t, Config{})
	for name, c := range drivers(url) {
		state := open(t, c)
		if state.GetKind() != "planned" || !state.GetPlan().GetCertificate().GetCertified() {
			t.Fatalf("%s: %v", name, state)
		}
		for k, u := range []*pb.UpdateRequest{
			{Steps: 5},
			{Steps: 4, Goals: []*pb.Goal{{Robot: "ada", X: 8.5, Y: 7}}},
			{Steps: 4, Obstacles: obstacles(t, circles([3]float64{7.5, 2, 0.6}))},
			{Steps: 3, Goals: []*pb.Goal{{Robot: "ada", X: 8.6, Y: 7}, {Robot: "bob", X: 1, Y: 4}}},
		} {
			u.Id, u.Number = state.GetId(), state.GetNumber()
			r, err := c.Update(t.Context(), connect.NewRequest(u))
			if err != nil {
				t.Fatalf("%s: update %d: %v", name, k, err)
			}
			before := state.GetPlan()
			state = r.Msg
			if m := state.GetPlan().GetMotion(); m != "curve" { // who goes straight instead may touch
				t.Errorf("%s: update %d: motion %q, want curve", name, k, m)
			}
			for i, now := range state.GetPlan().GetRobots() {
				was, h := before.GetRobots()[i], int(u.GetSteps())
				if now.GetX()[0] != was.GetX()[h] || now.GetY()[0] != was.GetY()[h] {
					t.Errorf("%s: update %d: %s begins at (%v, %v), and was at (%v, %v)", name, k, now.GetName(), now.GetX()[0], now.GetY()[0], was.GetX()[h], was.GetY()[h])
				}
			}
			if gap := smallestGap(before, int(u.GetSteps())); gap < 0 {
				t.Errorf("%s: robots were %g too near before update %d", name, gap, k)
			}
		}
		if _, err := c.Close(t.Context(), connect.NewRequest(&pb.CloseRequest{Id: state.GetId()})); err != nil {
			t.Error(err)
		}
		_, err := c.Update(t.Context(), connect.NewRequest(&pb.UpdateRequest{Id: state.GetId()}))
		if connect.CodeOf(err) != connect.CodeNotFound {
			t.Errorf("%s: after it was closed: %v", name, err)
		}
	}
}

// smallestGap returns the smallest gap of two robots over the first steps of a plan.
func smallestGap(p *pb.Plan, steps int) float64 {
	a, b := p.GetRobots()[0], p.GetRobots()[1]
	least := math.Inf(1)
	for h := range steps {
		for k := range 20 {
			f := float64(k) / 20
			at := func(r *pb.Path) (x, y float64) {
				return r.GetX()[h] + f*(r.GetX()[h+1]-r.GetX()[h]), r.GetY()[h] + f*(r.GetY()[h+1]-r.GetY()[h])
			}
			ax, ay := at(a)
			bx, by := at(b)
			least = min(least, math.Hypot(ax-bx, ay-by)-a.GetRadius()-b.GetRadius())
		}
	}
	return least
}

// A robot that is late is planned for from where it is.
func TestLateRobot(t *testing.T) {
	_, url := start(t, Config{})
	c := drivers(url)["json"]
	state := open(t, c)
	step := state.GetPlan().GetTimes()[1]
	r, err := c.Update(t.Context(), connect.NewRequest(&pb.UpdateRequest{Id: state.GetId(), Steps: 6, Late: []*pb.Late{{Robot: "bob", Seconds: 2 * step}}}))
	if err != nil {
		t.Fatal(err)
	}
	was, now := state.GetPlan().GetRobots(), r.Msg.GetPlan().GetRobots()
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-5 }
	if !near(now[0].GetX()[0], was[0].GetX()[6]) || !near(now[1].GetX()[0], was[1].GetX()[4]) {
		t.Errorf("ada at %v, want %v; bob at %v, want %v", now[0].GetX()[0], was[0].GetX()[6], now[1].GetX()[0], was[1].GetX()[4])
	}
}

// In an emergency there is an answer always: a robot whose goal is covered stops for itself, one
// in front of which a wall appears brakes, and what it touches is told; robots join and leave.
func TestEmergency(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of other calls")
	}
	_, url := start(t, Config{})
	c := drivers(url)["json"]
	state := open(t, c)
	update := func(u *pb.UpdateRequest) *pb.Session {
		t.Helper()
		u.Id = state.GetId()
		r, err := c.Update(t.Context(), connect.NewRequest(u))
		if err != nil {
			t.Fatal(err)
		}
		state = r.Msg
		if certified := state.GetPlan().GetCertificate().GetCertified(); certified == (state.GetKind() == "unsafe") {
			t.Fatalf("%s, certified %v", state.GetKind(), certified)
		}
		return state
	}
	update(&pb.UpdateRequest{Goals: []*pb.Goal{{Robot: "ada", X: 5, Y: 8.5}}})
	if s := update(&pb.UpdateRequest{Seconds: 0.3, Obstacles: obstacles(t, circles([3]float64{5, 8.5, 0.5}))}); len(s.GetHalted()) != 1 || s.GetKind() == "stopped" {
		t.Errorf("%s, halted %v", s.GetKind(), s.GetHalted())
	}
	if s := update(&pb.UpdateRequest{Steps: 1, Obstacles: obstacles(t, circles()), Join: []*pb.Newcomer{{Name: "eve", X: 5, Y: 9, GoalX: 5, GoalY: 1, Radius: 0.3, Speed: 2}}}); len(s.GetPlan().GetRobots()) != 3 || s.GetKind() != "planned" {
		t.Errorf("%s, %d robots", s.GetKind(), len(s.GetPlan().GetRobots()))
	}
	at := state.GetPlan().GetRobots()[2]
	if s := update(&pb.UpdateRequest{Steps: 3, Obstacles: obstacles(t, circles([3]float64{at.GetX()[3], at.GetY()[3], 0.2}))}); s.GetKind() != "unsafe" || len(s.GetContacts()) == 0 || s.GetContacts()[0].GetRobot() != "eve" {
		t.Errorf("%s, touches %v", s.GetKind(), s.GetContacts())
	}
	if s := update(&pb.UpdateRequest{Steps: 2, Leave: []string{"eve"}}); len(s.GetPlan().GetRobots()) != 2 || s.GetKind() == "unsafe" {
		t.Errorf("%s, %d robots", s.GetKind(), len(s.GetPlan().GetRobots()))
	}
}

// Who watches sees the plan in force and the last one, and the end.
func TestWatch(t *testing.T) {
	s, url := start(t, Config{})
	for name, c := range drivers(url) {
		state, ctx := open(t, c), t.Context()
		stream, err := c.Watch(ctx, connect.NewRequest(&pb.WatchRequest{Id: state.GetId()}))
		if err != nil || !stream.Receive() || stream.Msg().GetNumber() != 0 {
			t.Fatalf("%s: %v %v", name, stream.Msg(), err)
		}
		for range 2 {
			if _, err := c.Update(ctx, connect.NewRequest(&pb.UpdateRequest{Id: state.GetId(), Steps: 2})); err != nil {
				t.Fatal(err)
			}
		}
		for stream.Receive() && stream.Msg().GetNumber() < 2 {
		}
		if stream.Msg().GetNumber() != 2 {
			t.Errorf("%s: the last plan was not seen: %v", name, stream.Err())
		}
		s.sessions.endAll()
		if stream.Receive() || stream.Err() != nil {
			t.Errorf("%s: after the end: %v", name, stream.Err())
		}
	}
}

// A plan that comes into force just before a session ends is seen by who watches.
func TestWatchOfTheLastPlan(t *testing.T) {
	s, url := start(t, Config{})
	for name, c := range drivers(url) {
		opened := open(t, c)
		stream, err := c.Watch(t.Context(), connect.NewRequest(&pb.WatchRequest{Id: opened.GetId()}))
		if err != nil || !stream.Receive() {
			t.Fatalf("%s: %v", name, err)
		}
		d := s.sessions.all[opened.GetId()]
		d.mu.Lock() // nobody looks between the two
		d.state, d.ended = &pb.Session{Number: 7}, true
		close(d.next)
		d.mu.Unlock()
		if !stream.Receive() || stream.Msg().GetNumber() != 7 {
			t.Errorf("%s: the last plan was not seen: %v", name, stream.Err())
		}
		if stream.Receive() || stream.Err() != nil {
			t.Errorf("%s: after the end: %v", name, stream.Err())
		}
		s.sessions.remove(d)
	}
}

// What makes no sense is refused, and the plan in force stays.
func TestRefusedUpdates(t *testing.T) {
	_, url := start(t, Config{Sessions: 1})
	c := drivers(url)["json"]
	state := open(t, c)
	for want, u := range map[string]*pb.UpdateRequest{
		"steps":                {Steps: -1},
		"want a robot":         {Goals: []*pb.Goal{{Robot: "eve"}}},
		"late.seconds":         {Late: []*pb.Late{{Robot: "ada", Seconds: -1}}},
		"late.robot":           {Late: []*pb.Late{{Robot: "eve"}}},
		"states.robot":         {States: []*pb.State{{Robot: "eve"}}},
		"finite":               {States: []*pb.State{{Robot: "ada", X: math.NaN()}}},
		"within":               {Within: 1e9},
		"deadline":             {Deadline: -1},
		"boxes, circles":       {Obstacles: obstacles(t, map[string]any{"robots": []any{}})},
		"seconds":              {Seconds: -1},
		"want one that nobody": {Join: []*pb.Newcomer{{Name: "ada", X: 5, Y: 8, GoalX: 5, GoalY: 1, Radius: 0.3}}},
		"one of the team":      {Leave: []string{"eve"}},
		"not in force any mor": {Number: 7},
	} {
		u.Id = state.GetId()
		_, err := c.Update(t.Context(), connect.NewRequest(u))
		if connect.CodeOf(err) != connect.CodeInvalidArgument || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := c.Update(t.Context(), connect.NewRequest(&pb.UpdateRequest{Id: "nobody"})); connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("an unknown session: %v", err)
	}
	_, err := c.OpenSession(t.Context(), connect.NewRequest(&pb.OpenSessionRequest{Request: &pb.PlanRequest{Task: &pb.PlanRequest_Yaml{Yaml: doorway}}}))
	if connect.CodeOf(err) != connect.CodeResourceExhausted {
		t.Errorf("a session too many: %v", err)
	}
	_, err = c.OpenSession(t.Context(), connect.NewRequest(&pb.OpenSessionRequest{Request: &pb.PlanRequest{Task: &pb.PlanRequest_Map{Map: &pb.PublishedMap{Name: "empty"}}}}))
	if connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Errorf("a published map: %v", err)
	}
	r, err := c.Update(t.Context(), connect.NewRequest(&pb.UpdateRequest{Id: state.GetId(), Steps: 1}))
	if err != nil || r.Msg.GetNumber() != 1 {
		t.Errorf("afterwards: %v %v", r, err)
	}
}

// An update has what is at hand when a core is free, however short its deadline is. Where none becomes free, or none is
// foreseen to, it is told so, and the plan in force goes on; so it is where another update of the session takes all of the time.
func TestShortDeadlines(t *testing.T) {
	s, url := start(t, Config{Cores: 1})
	c := drivers(url)["json"]
	id, number := open(t, c).GetId(), int64(0)
	for range 20 {
		r, err := c.Update(t.Context(), connect.NewRequest(&pb.UpdateRequest{Id: id, Deadline: 1e-9}))
		if number++; err != nil || r.Msg.GetKind() != "continued" || r.Msg.GetNumber() != number {
			t.Fatalf("a core is free: %v %v", r, err)
		}
	}
	pass, err := s.gate.Enter(t.Context(), "test", 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		for _, deadline := range []float64{1e-9, 0.01} {
			_, err := c.Update(t.Context(), connect.NewRequest(&pb.UpdateRequest{Id: id, Deadline: deadline}))
			if connect.CodeOf(err) != connect.CodeDeadlineExceeded || !strings.Contains(err.Error(), "the plan in force goes on") {
				t.Errorf("no core is free within %g s: %v", deadline, err)
			}
		}
	}
	pass.Leave()
	if pass, err = s.gate.Enter(t.Context(), "test", 5, 1); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := c.Update(t.Context(), connect.NewRequest(&pb.UpdateRequest{Id: id, Deadline: 1})); connect.CodeOf(err) != connect.CodeResourceExhausted || !strings.Contains(err.Error(), "longer than there is time") {
			t.Errorf("no core will be free within its time: %v", err)
		}
	}
	pass.Leave()
	d, err := s.sessions.find(s.sessions.all[id].client, id)
	if err != nil {
		t.Fatal(err)
	}
	d.turn <- struct{}{}
	if _, err := c.Update(t.Context(), connect.NewRequest(&pb.UpdateRequest{Id: id, Deadline: 0.01})); connect.CodeOf(err) != connect.CodeDeadlineExceeded || strings.Contains(err.Error(), "core") {
		t.Errorf("another update has its turn: %v", err)
	}
	d.giveBack()
	r, err := c.Update(t.Context(), connect.NewRequest(&pb.UpdateRequest{Id: id, Number: number}))
	if err != nil || r.Msg.GetNumber() != number+1 {
		t.Errorf("afterwards: %v %v", r, err)
	}
}

// A session opens with a certified plan, also where nobody can stay, as traffic comes to the start; and not at all where there is none.
func TestSessionsBesideTraffic(t *testing.T) {
	_, url := start(t, Config{})
	c := drivers(url)["json"]
	for bounds, want := range map[string]connect.Code{"[10, 10]": 0, "[10, 1.2]": connect.CodeFailedPrecondition} {
		scene := "bounds: {min: [0, 0], max: " + bounds + "}\nduration: 30\n" +
			"traffic: [{name: tram, radius: 0.5, path: [[0, 9, 0.6], [20, 1, 0.6]]}]\n" +
			"robots: [{name: ada, start: [1, 0.6], goal: [8, 0.6], radius: 0.3, speed: 1}]"
		r, err := c.OpenSession(t.Context(), connect.NewRequest(&pb.OpenSessionRequest{Request: &pb.PlanRequest{Brief: true, Task: &pb.PlanRequest_Yaml{Yaml: scene}}}))
		if want != 0 {
			if connect.CodeOf(err) != want {
				t.Errorf("%s: %v", bounds, err)
			}
			continue
		}
		if err != nil || r.Msg.GetKind() != "planned" || !r.Msg.GetPlan().GetCertificate().GetCertified() {
			t.Errorf("%s: %v, %v", bounds, r, err)
		}
	}
}

// A session belongs to the client that opened it, and ends when nobody asks about it.
func TestSessionsAreTheirClients(t *testing.T) {
	s := newSessions(2, time.Hour)
	d, err := s.add("fleet", nil, 1, sceneKeys{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.find("other", d.id); err == nil {
		t.Error("another client found it")
	}
	if found, err := s.find("fleet", d.id); err != nil || found != d {
		t.Errorf("its client: %v", err)
	}
	s.idle = 0
	if n := s.count(); n != 0 {
		t.Errorf("%d sessions that nobody asks about", n)
	}
	if _, _, ended := d.newest(); !ended {
		t.Error("who watches is not told")
	}
}

// A session of a scene that begins with a byte-order mark takes other obstacles as any does.
func TestSessionsOfMarkedText(t *testing.T) {
	_, url := start(t, Config{})
	c := drivers(url)["json"]
	opened, err := c.OpenSession(t.Context(), connect.NewRequest(&pb.OpenSessionRequest{Request: &pb.PlanRequest{Brief: true, Task: &pb.PlanRequest_Yaml{Yaml: "\ufeff" + strings.TrimSpace(doorway)}}}))
	if err != nil {
		t.Fatal(err)
	}
	u := &pb.UpdateRequest{Id: opened.Msg.GetId(), Steps: 1, Obstacles: obstacles(t, circles([3]float64{5, 9.5, 0.3}))}
	if _, err := c.Update(t.Context(), connect.NewRequest(u)); err != nil {
		t.Error(err)
	}
}
