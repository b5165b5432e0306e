package serve

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
	"github.com/go-pcd/pcd/serve/internal/pcdv1/pcdv1connect"
)

// listen returns a listener at a free port of this machine.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// get returns the text at an address.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

// Who is being answered when the server is told to end gets the answer; metrics are on a
// port of their own.
func TestDrainAndMetrics(t *testing.T) {
	s, err := New(Config{Cores: 1, Longest: 10 * time.Minute, Drain: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	calls, metrics := listen(t), listen(t)
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx, calls, metrics) }()
	url := "http://" + calls.Addr().String()
	if status, _ := get(t, url+"/ready"); status != http.StatusOK {
		t.Errorf("ready: %d", status)
	}
	if status, _ := post(t, url, "Plan", `{"map": {"name": "empty"}, "brief": true}`); status != http.StatusOK {
		t.Errorf("a plan: %d", status)
	}
	counted(t, s, 1)
	_, text := get(t, "http://"+metrics.Addr().String()+"/metrics")
	for _, want := range []string{`pcd_requests_total{call="Plan",code="ok"} 1`, `pcd_plans_total{certified="yes"} 1`, `pcd_plan_seconds_total{stage="model"}`, "pcd_waiting 0"} {
		if !strings.Contains(text, want) {
			t.Errorf("metrics have no %s", want)
		}
	}
	held, err := s.gate.Enter(t.Context(), "test", 0.001, s.config.Cores)
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan int, 1)
	go func() {
		r, err := http.Post(url+pcdv1connect.PlanServicePlanProcedure, "application/json", strings.NewReader(`{"map": {"name": "empty"}, "brief": true}`))
		if err != nil {
			answered <- 0
			return
		}
		r.Body.Close()
		answered <- r.StatusCode
	}()
	for s.gate.Waiting() == 0 && t.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
	end()
	for s.ready.Load() && t.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
	held.Leave()
	if status := <-answered; status != http.StatusOK {
		t.Errorf("who waited when it ended: %d, want an answer", status)
	}
	if err := <-ended; err != nil {
		t.Errorf("serve = %v", err)
	}
	if _, err := net.Dial("tcp", calls.Addr().String()); err == nil {
		t.Error("it still listens")
	}
}

// Whoever is not done when the time to finish is over has the best plan so far, or is told why there is none; no connection is
// closed amid an answer.
func TestEndTellsWhomItCutsShort(t *testing.T) {
	for _, name := range []string{"json", "connect", "grpc", "grpc-web"} {
		s, err := New(Config{Cores: 1, Longest: 10 * time.Minute, Drain: 10 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		calls := listen(t)
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.serve(ctx, calls, nil) }()
		c := clients("http://" + calls.Addr().String())[name]
		long := &pb.PlanRequest{Task: &pb.PlanRequest_Yaml{Yaml: doorway}, Within: 500, Brief: true, Settings: &pb.Settings{Prefer: "length"}}
		stream, err := c.PlanStream(t.Context(), connect.NewRequest(long))
		if err != nil {
			t.Fatal(err)
		}
		for stream.Receive() && stream.Msg().GetPlan() == nil { // until there is a plan
		}
		waiting := make(chan error, 1)
		go func() {
			_, err := c.Plan(t.Context(), connect.NewRequest(&pb.PlanRequest{Task: &pb.PlanRequest_Map{Map: &pb.PublishedMap{Name: "empty"}}}))
			waiting <- err
		}()
		for s.gate.Waiting() == 0 && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		end()
		for stream.Receive() {
		}
		if err := stream.Err(); err != nil {
			t.Errorf("%s: a stream that had a plan: %v", name, err)
		}
		var told *connect.Error
		if err := <-waiting; !errors.As(err, &told) || told.Code() != connect.CodeUnavailable || told.Meta().Get("Retry-After") == "" || !strings.Contains(told.Message(), "the service ended before") {
			t.Errorf("%s: a plan that waited: %v", name, err)
		}
		if err := <-ended; err != nil {
			t.Errorf("%s: serve = %v", name, err)
		}
	}
}

// An address that is taken is an error, not a server that nobody reaches.
func TestAddressIsTaken(t *testing.T) {
	l := listen(t)
	defer l.Close()
	for _, c := range []Config{{Address: l.Addr().String()}, {Address: "127.0.0.1:0", Metrics: l.Addr().String()}} {
		s, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Run(t.Context()); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

// Numbers that nobody means are refused before anything is computed with them.
func TestOddNumbers(t *testing.T) {
	for _, c := range []Config{{Cores: 1 << 62}, {Cores: -1}, {Samples: 1<<53 + 1}, {Bytes: 1 << 40}, {Sessions: 1 << 30}} {
		var odd *ConfigError
		if _, err := New(c); !errors.As(err, &odd) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
