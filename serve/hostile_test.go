package serve

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/go-pcd/pcd/internal/jobs"
	"github.com/go-pcd/pcd/internal/thorough"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
	"github.com/go-pcd/pcd/serve/internal/pcdv1/pcdv1connect"
)

// hostile is how many broken bodies every protocol gets.
var hostile = flag.Int("hostile", 150, "broken bodies that are sent over each protocol")

// honest are requests that are broken then.
func honest() map[string]proto.Message {
	plan := &pb.PlanRequest{Task: &pb.PlanRequest_Yaml{Yaml: doorway}, Settings: &pb.Settings{Samples: new(int32(1)), Seed: new(uint64(1))}, Within: 0.01}
	path := &pb.TimedPath{Robot: "ada", Times: []float64{0, 1}, X: []float64{0, 1}, Y: []float64{0, 1}, Vx: []float64{1, 1}, Vy: []float64{1, 1}}
	return map[string]proto.Message{
		pcdv1connect.PlanServicePlanProcedure: plan, pcdv1connect.PlanServiceExportProcedure: &pb.ExportRequest{Request: plan, Format: "json"},
		pcdv1connect.PlanServiceReadSceneProcedure:        &pb.ReadSceneRequest{Files: []*pb.File{{Name: "a.yaml", Content: []byte(doorway)}}},
		pcdv1connect.SessionServiceOpenSessionProcedure:   &pb.OpenSessionRequest{Request: plan},
		pcdv1connect.SessionServiceUpdateProcedure:        &pb.UpdateRequest{Id: "none", Goals: []*pb.Goal{{Robot: "ada", X: 1, Y: 2}}},
		pcdv1connect.JudgeServiceJudgeProcedure:           &pb.JudgeRequest{Task: &pb.JudgeRequest_Map{Map: "empty"}, Paths: []*pb.TimedPath{path}, Radius: new(0.1)},
		pcdv1connect.JobServiceSubmitProcedure:            &pb.SubmitRequest{Command: []string{"plan", "highways"}, Files: []*pb.File{{Name: "x", Content: []byte("x")}}},
		pcdv1connect.PolicyServiceActProcedure:            &pb.ActRequest{Policy: "pusher", Observations: []*pb.Observation{seen(190)}, Scheduler: "DDIM", Steps: 1},
		pcdv1connect.PolicyServicePoliciesProcedure:       &pb.PoliciesRequest{},
		pcdv1connect.JobServiceResultProcedure:            &pb.ResultRequest{Id: "1", File: "words.txt"},
		"/pcd.v1.PlanService/../../../etc/passwd":         plan,
		pcdv1connect.PlanServicePlanStreamProcedure + "/": plan,
	}
}

// form is how a protocol puts a message into a body.
type form struct {
	media string
	body  func(proto.Message) []byte
}

func asJSON(m proto.Message) []byte {
	b, _ := protojson.Marshal(m)
	return b
}

func asBinary(m proto.Message) []byte {
	b, _ := proto.Marshal(m)
	return b
}

// inEnvelope puts a message behind its length, as protocols do that stream.
func inEnvelope(m proto.Message) []byte {
	b := asBinary(m)
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(b))), b...)
}

var forms = map[string]form{
	"json": {"application/json", asJSON}, "connect": {"application/proto", asBinary}, "grpc": {"application/grpc", inEnvelope}, "grpc-web": {"application/grpc-web+proto", inEnvelope},
}

// broken returns a body that somebody has broken.
func broken(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	at := func() int { return r.IntN(len(b) + 1) }
	for range 1 + r.IntN(4) {
		switch i := at(); r.IntN(7) {
		case 0:
			b = b[:i]
		case 1:
			if i < len(b) {
				b[i] ^= 1 << r.IntN(8)
			}
		case 2:
			b = append(b[:i:i], append([]byte{byte(r.IntN(256)), byte(r.IntN(256))}, b[i:]...)...)
		case 3:
			k := at()
			b = append(b[:i:i], append(bytes.Clone(b[min(i, k):max(i, k)]), b[i:]...)...)
		case 4:
			b = append(b[:i:i], append(bytes.Repeat([]byte("[{\"a\":"), 1+r.IntN(300)), b[i:]...)...)
		case 5:
			b = bytes.Replace(b, []byte("1"), []byte([]string{"1e308", "-1", "NaN", "99999999999999999999", "\"1\"", "null", "0"}[r.IntN(7)]), 1+r.IntN(3))
		default:
			b = bytes.Replace(b, []byte("ada"), []byte([]string{"../../etc/passwd", "\x00", "", strings.Repeat("a", 1<<14), "bob", "\xff\xfe"}[r.IntN(6)]), 1)
		}
		if len(b) > 1<<20 {
			b = b[:1<<20]
		}
	}
	return b
}

// statusOf returns the code of an answer of any protocol: "" for an answer without error.
func statusOf(w *httptest.ResponseRecorder) string {
	answer := w.Result()
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	for _, h := range []http.Header{answer.Header, answer.Trailer} {
		if code := h.Get("Grpc-Status"); code != "" && code != "0" {
			return "grpc " + code
		}
	}
	if i := bytes.Index(text, []byte("grpc-status: ")); i >= 0 && strings.HasPrefix(answer.Header.Get("Content-Type"), "application/grpc-web") {
		if code := string(text[i+13 : i+14]); code != "0" {
			return "grpc " + strings.TrimSpace(string(text[i+13:min(i+15, len(text))]))
		}
	}
	if answer.StatusCode == http.StatusOK {
		return ""
	}
	return fmt.Sprint(answer.StatusCode)
}

// mistaken reports whether an answer says that the service is at fault itself. Bodies that are
// no envelopes are internal errors for gRPC, and so for its clients.
func mistaken(code string, w *httptest.ResponseRecorder) bool {
	if code == "grpc 13" {
		said := fmt.Sprint(w.Result().Trailer, w.Header(), w.Body)
		return !slices.ContainsFunc([]string{"protocol error", "protocol%20error", "incomplete envelope", "corrupt response"}, func(m string) bool { return strings.Contains(said, m) })
	}
	return code == "500" || code == "502" || code == "grpc 2"
}

// Whatever arrives, over whatever protocol, has an answer that blames the client, and the
// service goes on.
func TestHostileBodies(t *testing.T) {
	store, err := jobs.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{Robots: 4, Samples: 2, Longest: 200 * time.Millisecond, Sessions: 4, Jobs: &kept{store: store}, Open: true, Address: "0.0.0.0:0",
		Policies: map[string]string{"pusher": lerobotFolders + "c_env"}})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for name, f := range forms {
		all.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(len(name))))
			counts := map[string]int{}
			for n := 0; n < *hostile; {
				for call, m := range honest() {
					body := broken(r, f.body(m))
					request := httptest.NewRequest(http.MethodPost, "http://localhost/", bytes.NewReader(body))
					request.URL.Path = call
					request.ProtoMajor, request.ProtoMinor = 2, 0
					request.Header.Set("Content-Type", f.media)
					if r.IntN(20) == 0 {
						request.Header.Set([]string{"Content-Encoding", "Grpc-Encoding", "Connect-Timeout-Ms", "Grpc-Timeout", "Content-Type"}[r.IntN(5)], []string{"gzip", "-1", "999999999999", "identity", "x/y"}[r.IntN(5)])
					}
					w := httptest.NewRecorder()
					s.Handler().ServeHTTP(w, request)
					code := statusOf(w)
					if counts[code]++; mistaken(code, w) {
						t.Errorf("%s %s: %s for %.300q: %.300s %v", name, call, code, body, w.Body, w.Result().Trailer)
					}
					n++
				}
			}
			t.Logf("%s: %v", name, counts)
		})
	}
	all.Wait()
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/ready", nil))
	if w.Code != http.StatusOK {
		t.Errorf("the service is not ready any more: %d", w.Code)
	}
}

// bomb is a small body that becomes 64 MiB: what is compressed goes on behind its end.
func bomb(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.Repeat(b.Bytes(), 64)
}

// A small body that becomes a large one is refused before it has, over every protocol: no memory is taken for it.
func TestDecompression(t *testing.T) {
	s, err := New(Config{Open: true, Address: "0.0.0.0:0"})
	if err != nil {
		t.Fatal(err)
	}
	small := bomb(t)
	enveloped := append(binary.BigEndian.AppendUint32([]byte{1}, uint32(len(small))), small...)
	for name, c := range map[string]struct {
		body         []byte
		header, want string
	}{
		"json": {small, "Content-Encoding", "413"}, "connect": {small, "Content-Encoding", "413"}, "grpc": {enveloped, "Grpc-Encoding", "grpc 8"}, "grpc-web": {enveloped, "Grpc-Encoding", "grpc 8"},
	} {
		r := httptest.NewRequest(http.MethodPost, pcdv1connect.PlanServicePlanProcedure, bytes.NewReader(c.body))
		r.ProtoMajor, r.ProtoMinor = 2, 0
		r.Header.Set("Content-Type", forms[name].media)
		r.Header.Set(c.header, "gzip")
		w := httptest.NewRecorder()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s.Handler().ServeHTTP(w, r)
		runtime.ReadMemStats(&after)
		if code := statusOf(w); code != c.want {
			t.Errorf("%s: %q, want %q", name, code, c.want)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 24<<20 {
			t.Errorf("%s: %d MiB were allocated", name, took>>20)
		}
	}
}

// Sixty-four clients ask at once, each for something else; with the race detector every kind over every protocol once.
func TestManyClients(t *testing.T) {
	thorough.Test(t)
	n := 64
	if testing.Short() {
		n = 24
	}
	url := withJobs(t, Config{Waiting: 256, Policies: map[string]string{"pusher": lerobotFolders + "c_env"}})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			ctx := t.Context()
			var err error
			switch c := clients(url)[[]string{"json", "connect", "grpc", "grpc-web"}[i%4]]; i / 4 % 6 {
			case 0:
				_, err = c.Plan(ctx, connect.NewRequest(&pb.PlanRequest{Task: &pb.PlanRequest_Yaml{Yaml: doorway}, Brief: true}))
			case 1:
				_, err = c.Models(ctx, connect.NewRequest(&pb.ModelsRequest{}))
			case 2:
				sessions := pcdv1connect.NewSessionServiceClient(http.DefaultClient, url)
				var open *connect.Response[pb.Session]
				if open, err = sessions.OpenSession(ctx, connect.NewRequest(&pb.OpenSessionRequest{Request: &pb.PlanRequest{Task: &pb.PlanRequest_Yaml{Yaml: doorway}}})); err == nil {
					_, err = sessions.Close(ctx, connect.NewRequest(&pb.CloseRequest{Id: open.Msg.GetId()}))
				}
			case 3:
				path := &pb.TimedPath{Robot: "ada", Times: []float64{0, 1}, X: []float64{0, 0.1}, Y: []float64{0, 0.1}}
				_, err = pcdv1connect.NewJudgeServiceClient(http.DefaultClient, url).Judge(ctx, connect.NewRequest(&pb.JudgeRequest{Task: &pb.JudgeRequest_Map{Map: "empty"}, Paths: []*pb.TimedPath{path}}))
			case 4:
				_, err = pcdv1connect.NewPolicyServiceClient(http.DefaultClient, url).Act(ctx, connect.NewRequest(&pb.ActRequest{Policy: "pusher", Observations: []*pb.Observation{seen(float32(i))}, Scheduler: "DDIM", Steps: 1}))
			default:
				j := pcdv1connect.NewJobServiceClient(http.DefaultClient, url)
				_, err = j.List(ctx, connect.NewRequest(&pb.ListRequest{}))
			}
			if code := connect.CodeOf(err); err != nil && code != connect.CodeResourceExhausted {
				t.Errorf("client %d: %v", i, err)
			}
		})
	}
	all.Wait()
}
