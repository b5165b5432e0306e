package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
	"github.com/go-pcd/pcd/serve/internal/pcdv1/pcdv1connect"
)

// exposed returns the lines of the metrics of requests and plans.
func exposed(t *testing.T, s *Server) string {
	t.Helper()
	w := httptest.NewRecorder()
	s.metricsServer().Handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	var out []string
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, "pcd_requests_total{") || strings.HasPrefix(line, "pcd_plan") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// counted waits until so many requests are counted, which is after their answers, and returns the metrics.
func counted(t *testing.T, s *Server, requests int) string {
	t.Helper()
	for {
		text, sum := exposed(t, s), 0
		for line := range strings.Lines(text) {
			var n int
			if _, value, is := strings.Cut(line, "} "); is && strings.HasPrefix(line, "pcd_requests_total") {
				fmt.Sscan(value, &n)
			}
			sum += n
		}
		if sum >= requests || t.Context().Err() != nil {
			return text
		}
		time.Sleep(time.Millisecond)
	}
}

// awaited waits for a line of the metrics: a request is counted after its client has left.
func awaited(t *testing.T, s *Server, line string) {
	t.Helper()
	for {
		if text := exposed(t, s); strings.Contains(text, line+"\n") {
			return
		} else if t.Context().Err() != nil || strings.Count(text, "pcd_requests_total") > strings.Count(text, `{call="OpenSession",code="ok"}`) {
			t.Fatalf("no %s in\n%s", line, text)
		}
		time.Sleep(time.Millisecond)
	}
}

// Whose client leaves is not counted as answered, also where it has had a plan, and better ones were to follow.
func TestClientsThatLeave(t *testing.T) {
	request := &pb.PlanRequest{Task: &pb.PlanRequest_Yaml{Yaml: doorway}, Within: 500, Brief: true, Settings: &pb.Settings{Samples: new(int32(1))}}
	sessionClients := func(url string) map[string]pcdv1connect.SessionServiceClient {
		return map[string]pcdv1connect.SessionServiceClient{
			"json": pcdv1connect.NewSessionServiceClient(http.DefaultClient, url, connect.WithProtoJSON()),
			"grpc": pcdv1connect.NewSessionServiceClient(overHTTP2(), url, connect.WithGRPC()),
		}
	}
	for _, name := range []string{"json", "grpc"} {
		s, url := start(t, Config{})
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		stream, err := clients(url)[name].PlanStream(ctx, connect.NewRequest(request))
		if err != nil {
			t.Fatal(err)
		}
		for stream.Receive() {
			if stream.Msg().GetPlan() != nil {
				leave()
			}
		}
		awaited(t, s, `pcd_requests_total{call="PlanStream",code="canceled"} 1`)
		s, url = start(t, Config{})
		opened, err := pcdv1connect.NewSessionServiceClient(http.DefaultClient, url).OpenSession(t.Context(), connect.NewRequest(&pb.OpenSessionRequest{
			Request: &pb.PlanRequest{Task: request.Task, Settings: request.Settings}}))
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave = context.WithCancel(t.Context())
		defer leave()
		watch, err := sessionClients(url)[name].Watch(ctx, connect.NewRequest(&pb.WatchRequest{Id: opened.Msg.GetId()}))
		if err != nil {
			t.Fatal(err)
		}
		for watch.Receive() {
			leave()
		}
		awaited(t, s, `pcd_requests_total{call="Watch",code="canceled"} 1`)
	}
}

// An answer that was made for nobody is not counted as one.
func TestAnswersForNobody(t *testing.T) {
	c := new(call)
	ctx, leave := context.WithCancel(context.WithValue(t.Context(), callKey{}, c))
	next := recorder{}.WrapUnary(func(context.Context, connect.AnyRequest) (connect.AnyResponse, error) { leave(); return nil, nil })
	if _, err := next(ctx, nil); err != nil || c.code != "canceled" {
		t.Errorf("%q, %v", c.code, err)
	}
}

// Every plan counts, whichever call it was made for.
func TestPlansAreCounted(t *testing.T) {
	s, url := start(t, Config{})
	ask := func(service, call, body string) map[string]any {
		t.Helper()
		r, err := http.Post(url+"/pcd.v1."+service+"/"+call, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		var answer map[string]any
		if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	text, err := json.Marshal(doorway)
	if err != nil {
		t.Fatal(err)
	}
	scene := `{"yaml": ` + string(text) + `, "settings": {"samples": 1}}`
	ask("PlanService", "Export", `{"format": "csv", "request": `+scene+`}`)
	opened := ask("SessionService", "OpenSession", `{"request": `+scene+`}`)
	id, _ := opened["id"].(string)
	ask("SessionService", "Update", `{"id": "`+id+`", "steps": 1}`) // the plan goes on, and is no other one
	ask("PlanService", "Export", `{"format": "csv", "request": {"yaml": `+strings.Replace(string(text), "duration: 12", "duration: 3", 1)+`}}`)
	ask("PlanService", "Plan", `{`)
	got := counted(t, s, 5)
	for _, want := range []string{`pcd_requests_total{call="Plan",code="invalid_argument"} 1`, `pcd_plans_total{certified="yes"} 2`, `pcd_plans_total{certified="no"} 1`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}
