package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/thorough"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
	"github.com/go-pcd/pcd/serve/internal/pcdv1/pcdv1connect"
)

// doorway is a small scene: two robots change places in a room with a pillar.
const doorway = `
bounds: {min: [0, 0], max: [10, 10]}
duration: 12
circles: [{center: [5, 5], radius: 1}]
robots:
  - {name: ada, start: [1, 5], goal: [9, 5], radius: 0.4, speed: 2}
  - {name: bob, start: [9, 5.2], goal: [1, 5.2], radius: 0.4, speed: 2}
`

// start returns a server and its address. Nothing that is not about time depends on how busy the
// machine is that runs the test.
func start(t testing.TB, c Config) (*Server, string) {
	t.Helper()
	orDefault(&c.Longest, 10*time.Minute)
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewUnstartedServer(s.Handler())
	h.Config.Protocols = new(http.Protocols)
	h.Config.Protocols.SetHTTP1(true)
	h.Config.Protocols.SetUnencryptedHTTP2(true)
	h.Start()
	t.Cleanup(h.Close)
	return s, h.URL
}

// overHTTP2 speaks HTTP/2 without TLS, which gRPC needs.
func overHTTP2() *http.Client {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	return &http.Client{Transport: &http.Transport{Protocols: p}}
}

// clients are the three protocols, and both forms of messages.
func clients(url string) map[string]pcdv1connect.PlanServiceClient {
	return map[string]pcdv1connect.PlanServiceClient{
		"json":     pcdv1connect.NewPlanServiceClient(http.DefaultClient, url, connect.WithProtoJSON()),
		"connect":  pcdv1connect.NewPlanServiceClient(http.DefaultClient, url),
		"grpc":     pcdv1connect.NewPlanServiceClient(overHTTP2(), url, connect.WithGRPC()),
		"grpc-web": pcdv1connect.NewPlanServiceClient(http.DefaultClient, url, connect.WithGRPCWeb(), connect.WithSendGzip()),
	}
}

// directly returns the summary that the planner gives for a scene.
func directly(t *testing.T, text string, seed uint64) *planner.PlanSummary {
	t.Helper()
	o, err := planner.Do(t.Context(), &planner.PlanTask{Request: planner.PlanRequest{Task: "scene", Scene: &text, Seed: &seed}}, planner.Watch{}, nil)
	if err != nil || o.Verdict != nil {
		t.Fatal(err, o.Verdict)
	}
	return o.Summary
}

// Every protocol gives the plan of the planner, bit for bit.
func TestProtocolsGiveThePlan(t *testing.T) {
	_, url := start(t, Config{})
	want := directly(t, doorway, 7)
	for name, c := range clients(url) {
		r, err := c.Plan(t.Context(), connect.NewRequest(&pb.PlanRequest{Task: &pb.PlanRequest_Yaml{Yaml: doorway}, Settings: &pb.Settings{Seed: new(uint64(7))}}))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p := r.Msg.GetPlan()
		if !p.GetCertificate().GetCertified() || len(p.GetRobots()) != 2 || p.GetSeed() != 7 || r.Header().Get(idHeader) == "" {
			t.Errorf("%s: %v", name, p)
		}
		for _, way := range p.GetRobots() {
			for h, state := range want.Plan.Trajectories[way.GetName()] {
				if got := []float64{way.GetX()[h], way.GetY()[h], way.GetVx()[h], way.GetVy()[h]}; !slices.Equal(got, state) {
					t.Fatalf("%s: waypoint %d of %s is %v, want %v", name, h, way.GetName(), got, state)
				}
			}
		}
		var document planner.PlanSummary
		if err := json.Unmarshal([]byte(p.GetDocument()), &document); err != nil || document.Plan == nil || document.Plan.Proof == nil || document.Plan.Length != want.Plan.Length {
			t.Errorf("%s: the document is not plan.json: %v", name, err)
		}
	}
}

// A scene can be given by its keys, in JSON as it would be in YAML.
func TestPlanFromKeys(t *testing.T) {
	_, url := start(t, Config{})
	keys := map[string]any{}
	for k, v := range map[string]string{
		"bounds": `{"min": [0, 0], "max": [10, 10]}`, "duration": "12", "circles": `[{"center": [5, 5], "radius": 1}]`,
		"robots": `[{"name": "ada", "start": [1, 5], "goal": [9, 5], "radius": 0.4, "speed": 2}, {"name": "bob", "start": [9, 5.2], "goal": [1, 5.2], "radius": 0.4, "speed": 2}]`,
	} {
		var value any
		if err := json.Unmarshal([]byte(v), &value); err != nil {
			t.Fatal(err)
		}
		keys[k] = value
	}
	scene, err := structpb.NewStruct(keys)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range clients(url) {
		r, err := c.Plan(t.Context(), connect.NewRequest(&pb.PlanRequest{Task: &pb.PlanRequest_Scene{Scene: scene}, Brief: true}))
		if err != nil || r.Msg.GetPlan().GetDocument() != "" {
			t.Errorf("%s: %v %v", name, r, err)
			continue
		}
		if got, want := r.Msg.GetPlan().GetLength(), directly(t, doorway, 0).Plan.Length; got != want {
			t.Errorf("%s: length %v, want %v", name, got, want)
		}
	}
}

// post sends JSON, and returns the status and the answer.
func post(t testing.TB, url, call, body string) (int, map[string]any) {
	t.Helper()
	r, err := http.Post(url+"/pcd.v1.PlanService/"+call, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	answer := map[string]any{}
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatalf("%d %q: %v", r.StatusCode, text, err)
	}
	return r.StatusCode, answer
}

// reasonsOf returns the reasons of a refusal in JSON.
func reasonsOf(answer map[string]any) (class string, all []map[string]any) {
	details, _ := answer["details"].([]any)
	for _, d := range details {
		refusal, _ := d.(map[string]any)["debug"].(map[string]any)
		class, _ = refusal["class"].(string)
		list, _ := refusal["reasons"].([]any)
		for _, r := range list {
			all = append(all, r.(map[string]any))
		}
	}
	return class, all
}

// What is wrong is told with where it is.
func TestRefusals(t *testing.T) {
	_, url := start(t, Config{Robots: 4, Samples: 8})
	scene := func(robots string) string {
		return `{"scene": {"bounds": {"min": [0, 0], "max": [10, 10]}, "circles": [{"center": [5, 5], "radius": 1}], "robots": [` + robots + `]}, "brief": true}`
	}
	for name, c := range map[string]struct {
		body   string
		status int
		class  string
		want   map[string]any
	}{
		"a start in an obstacle":   {scene(`{"name": "ada", "start": [5, 5], "goal": [9, 5]}`), 400, "usage", map[string]any{"robot": "ada", "place": "start", "x": 5.0, "y": 5.0}},
		"starts that overlap":      {scene(`{"name": "ada", "start": [1, 5], "goal": [9, 5]}, {"name": "bob", "start": [1, 5], "goal": [9, 1]}`), 400, "usage", map[string]any{"robot": "ada", "place": "start"}},
		"a number that is none":    {scene(`{"start": [1, 5], "goal": [9, 5], "speed": -1}`), 400, "usage", map[string]any{"key": "robots[0].speed"}},
		"a number of a robot":      {scene(`{"name": "a) b", "start": [1, 5], "goal": [9, 5], "speed": -1}`), 400, "usage", map[string]any{"key": "robots[0].speed", "robot": "a) b"}},
		"a number of two words":    {`{"map": {"name": "empty"}, "settings": {"separation_steps": -1}}`, 400, "usage", map[string]any{"key": "separation_steps"}},
		"a goal too far":           {`{"scene": {"bounds": {"min": [0, 0], "max": [10, 10]}, "duration": 5, "robots": [{"name": "ada", "start": [1, 5], "goal": [9, 5], "speed": 0.1}]}}`, 400, "infeasible", map[string]any{"robot": "ada"}},
		"too many robots":          {`{"map": {"name": "empty", "robots": 5}}`, 400, "usage", map[string]any{"key": "robots"}},
		"too many samples":         {`{"map": {"name": "empty"}, "settings": {"samples": 9}}`, 400, "usage", map[string]any{"key": "samples"}},
		"far too many robots":      {`{"map": {"name": "empty", "robots": 5000}}`, 400, "usage", map[string]any{"key": "robots", "message": "robots is 5000, want 1 to 4"}},
		"far too many samples":     {`{"map": {"name": "empty"}, "settings": {"samples": 300000}}`, 400, "usage", map[string]any{"key": "samples", "message": "samples is 300000, want 1 to 8"}},
		"an unknown map":           {`{"map": {"name": "motorway"}}`, 400, "usage", nil},
		"an unknown method":        {`{"map": {"name": "empty"}, "settings": {"method": "magic"}}`, 400, "usage", map[string]any{"key": "method"}},
		"too much time":            {`{"map": {"name": "empty"}, "within": 1e9}`, 400, "usage", map[string]any{"key": "within"}},
		"no time":                  {`{"map": {"name": "empty"}, "within": "NaN"}`, 400, "usage", map[string]any{"key": "within"}},
		"nothing to plan":          {`{}`, 400, "usage", map[string]any{"key": "task"}},
		"a file for a map":         {`{"scene": {"map": {"file": "/etc/hostname"}, "robots": [{"start": [1, 5], "goal": [9, 5]}]}}`, 400, "usage", nil},
		"a map of this machine":    {`{"scene": {"map": {"file": "../go.mod"}, "robots": [{"start": [1, 5], "goal": [9, 5]}]}}`, 400, "usage", nil},
		"a file for a model":       {scene(`{"start": [1, 5], "goal": [9, 5], "model": "/etc/passwd"}`), 400, "usage", nil},
		"a misspelt key of ours":   {`{"withinn": 1}`, 400, "", nil},
		"a misspelt key of scenes": {scene(`{"start": [1, 5], "goal": [9, 5], "sped": 1}`), 400, "usage", nil},
		"nested too deeply":        {`{"scene": {"boxes": ` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}`, 400, "", nil},
		"no JSON":                  {`plan`, 400, "", nil},
		"nothing":                  {``, 400, "", nil},
	} {
		status, answer := post(t, url, "Plan", c.body)
		class, reasons := reasonsOf(answer)
		if status != c.status || class != c.class || answer["message"] == "" || c.class != "" && len(reasons) == 0 {
			t.Errorf("%s: %d %v", name, status, answer)
			continue
		}
		if m, _ := answer["message"].(string); strings.Contains(m, "scene is") || strings.Contains(m, "scene: nav2d") {
			t.Errorf("%s: %q has words that say nothing", name, m)
		}
		for k, v := range c.want {
			if reasons[0][k] != v {
				t.Errorf("%s: %s is %v, want %v, in %v", name, k, reasons[0][k], v, reasons[0])
			}
		}
	}
}

// Two robots that cannot pass are refused with what fails.
func TestNoPlan(t *testing.T) {
	thorough.Test(t)
	_, url := start(t, Config{})
	text, err := json.Marshal(map[string]any{"brief": true, "settings": map[string]any{"samples": 1, "motion": "polyline"}, "yaml": `
bounds: {min: [0, 0], max: [10, 10]}
boxes: [{center: [5, 2.4], size: [9.8, 4.8]}, {center: [5, 7.6], size: [9.8, 4.8]}]
robots:
  - {name: ada, start: [0.5, 5], goal: [9.5, 5], radius: 0.08, speed: 4}
  - {name: bob, start: [9.5, 5], goal: [0.5, 5], radius: 0.15, speed: 4}
`})
	if err != nil {
		t.Fatal(err)
	}
	status, answer := post(t, url, "Plan", string(text))
	class, reasons := reasonsOf(answer)
	if status != http.StatusBadRequest || answer["code"] != "failed_precondition" || class != "infeasible" || len(reasons) != 1 {
		t.Errorf("%d %v", status, answer)
	}
}

func TestModels(t *testing.T) {
	_, url := start(t, Config{})
	for name, c := range clients(url) {
		r, err := c.Models(t.Context(), connect.NewRequest(&pb.ModelsRequest{}))
		if err != nil {
			t.Fatal(name, err)
		}
		m := r.Msg
		if len(m.GetModels()) < 4 || !slices.Contains(m.GetMaps(), "highways") || !slices.Contains(m.GetMethods(), "pcd-shd") || m.GetLimits().GetRobots() == 0 {
			t.Errorf("%s: %v", name, m)
		}
	}
}

// Who has no token learns nothing but that the service lives.
func TestTokens(t *testing.T) {
	path := t.TempDir() + "/tokens"
	if err := os.WriteFile(path, []byte("fleet 0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, url := start(t, Config{Tokens: path})
	status := func(method, path, token string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	for _, c := range []struct {
		method, path, token string
		want                int
	}{
		{"POST", pcdv1connect.PlanServiceModelsProcedure, "", 401}, {"POST", pcdv1connect.PlanServiceModelsProcedure, "0123456789abcdee", 401},
		{"POST", pcdv1connect.PlanServiceModelsProcedure, "0123456789abcdef", 200}, {"GET", "/live", "", 200}, {"GET", "/ready", "", 200},
		{"POST", "/grpc.health.v1.Health/Check", "", 200}, {"GET", "/pcd.v1.Nothing/Call", "", 404},
	} {
		if got := status(c.method, c.path, c.token); got != c.want {
			t.Errorf("%s %s with %q: %d, want %d", c.method, c.path, c.token, got, c.want)
		}
	}
}

// A page from elsewhere cannot ask in the name of whoever looks at it.
func TestOtherOrigins(t *testing.T) {
	s, _ := start(t, Config{})
	for name, change := range map[string]func(*http.Request){
		"another site": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"another name": func(r *http.Request) { r.Host = "example.com" },
	} {
		r := httptest.NewRequest(http.MethodPost, pcdv1connect.PlanServiceModelsProcedure, bytes.NewReader([]byte("{}")))
		r.Host = "localhost"
		r.Header.Set("Content-Type", "application/json")
		change(r)
		w := httptest.NewRecorder()
		if s.Handler().ServeHTTP(w, r); w.Code < 400 || w.Code >= 500 {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}

func TestBrokenConfigs(t *testing.T) {
	for field, c := range map[string]Config{
		"Address":     {Address: ":8080"},
		"Metrics":     {Metrics: "nowhere"},
		"Key":         {Certificate: "cert.pem"},
		"Certificate": {Key: "key.pem"},
		"Waiting":     {Waiting: -1},
		"Models":      {Models: map[string]string{"": "x"}},
	} {
		_, err := New(c)
		var broken *ConfigError
		if !errors.As(err, &broken) || broken.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := New(Config{Address: "0.0.0.0:8080", Open: true}); err != nil {
		t.Errorf("a server that may be open: %v", err)
	}
	if _, err := New(Config{Tokens: "none/such"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("tokens that are not there: %v", err)
	}
}
