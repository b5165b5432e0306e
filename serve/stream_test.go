package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
	"github.com/go-pcd/pcd/serve/internal/pcdv1/pcdv1connect"
)

// With a time, plans get better until it is over; the best comes last.
func TestPlanStream(t *testing.T) {
	_, url := start(t, Config{})
	for name, c := range clients(url) {
		var got streamed
		for within := 0.5; len(got.lengths) == 0 && within < 200; within *= 5 { // more where the machine is busy
			got = stream(t, c, within)
		}
		decreasing := slices.IsSortedFunc(got.lengths, func(a, b float64) int { return cmp.Compare(b, a) })
		if got.err != nil || len(got.lengths) == 0 || !decreasing || got.queued != 1 || got.progress == 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// streamed is what a stream of plans brought.
type streamed struct {
	lengths          []float64
	queued, progress int
	err              error
}

func stream(t *testing.T, c pcdv1connect.PlanServiceClient, within float64) (got streamed) {
	t.Helper()
	s, err := c.PlanStream(t.Context(), connect.NewRequest(&pb.PlanRequest{
		Task: &pb.PlanRequest_Yaml{Yaml: doorway}, Within: within, Brief: true, Settings: &pb.Settings{Prefer: "length"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	for s.Receive() {
		switch e := s.Msg().GetEvent().(type) {
		case *pb.PlanEvent_Queued:
			got.queued++
		case *pb.PlanEvent_Progress:
			got.progress++
		case *pb.PlanEvent_Plan:
			got.lengths = append(got.lengths, e.Plan.GetLength())
		}
	}
	got.err = s.Err()
	return got
}

// With a time the best certified plan until its end is taken, the same as that of its seed; without one the first. Where there is none the reasons are told.
func TestWithin(t *testing.T) {
	_, url := start(t, Config{})
	c := clients(url)["connect"]
	request := &pb.PlanRequest{Task: &pb.PlanRequest_Yaml{Yaml: doorway}, Brief: true, Settings: &pb.Settings{Prefer: "length", Samples: new(int32(1))}}
	first, err := c.Plan(t.Context(), connect.NewRequest(request))
	if err != nil || first.Msg.GetPlan().GetDraws() != 1 {
		t.Fatal(first, err)
	}
	var best *pb.Plan
	for request.Within = 0.25; best.GetDraws() < 2 && request.Within < 200; request.Within *= 4 { // more where the machine is busy
		r, err := c.Plan(t.Context(), connect.NewRequest(request))
		if err != nil && connect.CodeOf(err) != connect.CodeDeadlineExceeded {
			t.Fatal(err)
		}
		if err == nil {
			best = r.Msg.GetPlan()
		}
	}
	if !best.GetCertificate().GetCertified() || best.GetDraws() < 2 || best.GetLength() > first.Msg.GetPlan().GetLength() {
		t.Errorf("%v, want a better plan than the first, %v long", best, first.Msg.GetPlan().GetLength())
	}
	again, err := c.Plan(t.Context(), connect.NewRequest(&pb.PlanRequest{Task: request.Task, Brief: true, Settings: &pb.Settings{Prefer: "length", Samples: new(int32(1)), Seed: new(best.GetSeed())}}))
	if err != nil || again.Msg.GetPlan().GetLength() != best.GetLength() {
		t.Errorf("the plan of seed %d is %v long, want %v, %v", best.GetSeed(), again.Msg.GetPlan().GetLength(), best.GetLength(), err)
	}
	text, err := json.Marshal(map[string]any{"brief": true, "within": 30, "yaml": strings.Replace(doorway, "duration: 12", "duration: 3", 1)})
	if err != nil {
		t.Fatal(err)
	}
	status, answer := post(t, url, "Plan", string(text))
	if class, reasons := reasonsOf(answer); status != http.StatusBadRequest || class != "infeasible" || len(reasons) == 0 || reasons[0]["robot"] != "ada" {
		t.Errorf("a team without time: %d %v", status, answer)
	}
}

// A request that runs longer than it may is told so.
func TestOverdue(t *testing.T) {
	_, url := start(t, Config{})
	_, answer := post(t, url, "Plan", `{"map": {"name": "highways", "robots": 16}, "settings": {"samples": 1024, "seed": "1"}, "within": 0.01}`)
	if class, _ := reasonsOf(answer); answer["code"] != "deadline_exceeded" || class != "overdue" {
		t.Errorf("%v", answer)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := clients(url)["grpc"].Plan(ctx, connect.NewRequest(&pb.PlanRequest{Task: &pb.PlanRequest_Yaml{Yaml: doorway}}))
	if connect.CodeOf(err) != connect.CodeCanceled {
		t.Errorf("a call that was given up: %v", err)
	}
}

// When the queue is full, more is refused with a time to come back.
func TestBusy(t *testing.T) {
	s, url := start(t, Config{Cores: 1, Waiting: 1})
	pass, err := s.gate.Enter(t.Context(), "test", 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer pass.Leave()
	waiting, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		if p, err := s.gate.Enter(waiting, "test", 1, 1); err == nil {
			p.Leave()
		}
	}()
	for s.gate.Waiting() == 0 {
		if t.Context().Err() != nil {
			return
		}
	}
	r, err := http.Post(url+pcdv1connect.PlanServicePlanProcedure, "application/json", strings.NewReader(`{"map": {"name": "empty"}}`))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Retry-After") == "" {
		t.Errorf("%d, Retry-After %q", r.StatusCode, r.Header.Get("Retry-After"))
	}
}
