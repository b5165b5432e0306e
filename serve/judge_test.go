package serve

import (
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"

	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
	"github.com/go-pcd/pcd/serve/internal/pcdv1/pcdv1connect"
)

// pathsOf returns the paths of a plan.
func pathsOf(p *pb.Plan) (all []*pb.TimedPath) {
	for _, r := range p.GetRobots() {
		all = append(all, &pb.TimedPath{Robot: r.GetName(), Times: p.GetTimes(), X: r.GetX(), Y: r.GetY()})
	}
	return all
}

// A plan that was sent is certified by the judge, with a proof; when one robot waits where
// the other comes by, the contact is told with who, when and where.
func TestJudge(t *testing.T) {
	_, url := start(t, Config{})
	p, err := clients(url)["connect"].Plan(t.Context(), connect.NewRequest(&pb.PlanRequest{Task: &pb.PlanRequest_Yaml{Yaml: doorway}}))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]pcdv1connect.JudgeServiceClient{
		"json": pcdv1connect.NewJudgeServiceClient(http.DefaultClient, url, connect.WithProtoJSON()),
		"grpc": pcdv1connect.NewJudgeServiceClient(overHTTP2(), url, connect.WithGRPC()),
	} {
		asked := &pb.JudgeRequest{Task: &pb.JudgeRequest_Yaml{Yaml: doorway}, Paths: pathsOf(p.Msg.GetPlan())}
		good, err := c.Judge(t.Context(), connect.NewRequest(asked))
		if err != nil || !good.Msg.GetCertified() || len(good.Msg.GetContacts()) > 0 || len(good.Msg.GetMargins()) == 0 || !strings.Contains(good.Msg.GetDocument(), `"proof"`) {
			t.Errorf("%s: %v %v", name, good, err)
		}
		file := &pb.JudgeRequest{Task: asked.Task, PathFiles: []*pb.File{{Name: "plan.json", Content: []byte(p.Msg.GetPlan().GetDocument())}}, Brief: true}
		if r, err := c.Judge(t.Context(), connect.NewRequest(file)); err != nil || !r.Msg.GetCertified() || r.Msg.GetDocument() != "" {
			t.Errorf("%s: plan.json: %v %v", name, r, err)
		}
		bob := asked.Paths[1]
		bob.X, bob.Y, bob.Times = asked.Paths[0].X[32:33], asked.Paths[0].Y[32:33], []float64{0}
		bad, err := c.Judge(t.Context(), connect.NewRequest(asked))
		if err != nil || bad.Msg.GetCertified() || len(bad.Msg.GetContacts()) == 0 || len(bad.Msg.GetExceeded()) == 0 {
			t.Fatalf("%s: %v %v", name, bad, err)
		}
		if f := bad.Msg.GetContacts()[0]; f.GetConstraint() != "separation" || f.GetGap() >= 0 || f.GetFrom() >= f.GetTo() || f.GetTime() < f.GetFrom() || f.GetRobot() == f.GetOther() {
			t.Errorf("%s: %v", name, f)
		}
	}
}

// Paths that make no sense are refused with their place.
func TestJudgeRefusals(t *testing.T) {
	_, url := start(t, Config{Robots: 3})
	c := pcdv1connect.NewJudgeServiceClient(http.DefaultClient, url)
	path := func(robot string, times ...float64) *pb.TimedPath {
		return &pb.TimedPath{Robot: robot, Times: times, X: times, Y: times}
	}
	odd := path("ada", 1, 2)
	odd.X = odd.X[:1]
	for name, m := range map[string]*pb.JudgeRequest{
		"no scene":       {Paths: []*pb.TimedPath{path("ada", 1)}},
		"no paths":       {Task: &pb.JudgeRequest_Map{Map: "empty"}},
		"no name":        {Task: &pb.JudgeRequest_Map{Map: "empty"}, Paths: []*pb.TimedPath{path("", 1)}},
		"odd lists":      {Task: &pb.JudgeRequest_Map{Map: "empty"}, Paths: []*pb.TimedPath{odd}},
		"no times":       {Task: &pb.JudgeRequest_Map{Map: "empty"}, Paths: []*pb.TimedPath{path("ada")}},
		"no map":         {Task: &pb.JudgeRequest_Map{}, Paths: []*pb.TimedPath{path("ada", 1)}},
		"times go back":  {Task: &pb.JudgeRequest_Map{Map: "empty"}, Paths: []*pb.TimedPath{path("ada", 1, 0.5)}},
		"times stand":    {Task: &pb.JudgeRequest_Map{Map: "empty"}, Paths: []*pb.TimedPath{path("ada", 1, 1)}},
		"too many":       {Task: &pb.JudgeRequest_Map{Map: "empty"}, Paths: []*pb.TimedPath{path("a", 1), path("b", 1), path("c", 1), path("d", 1)}},
		"beyond numbers": {Task: &pb.JudgeRequest_Map{Map: "empty"}, Paths: []*pb.TimedPath{path("a", 1, 1e308)}},
		"a robot twice":  {Task: &pb.JudgeRequest_Map{Map: "empty"}, Paths: []*pb.TimedPath{path("a", 1), path("a", 1)}},
		"a file of ours": {Task: &pb.JudgeRequest_Yaml{Yaml: "map: {file: /etc/hostname}\n"}, Paths: []*pb.TimedPath{path("a", 1)}},
		"no file":        {Task: &pb.JudgeRequest_Map{Map: "empty"}, PathFiles: []*pb.File{{Name: "x", Content: []byte("garbage")}}},
	} {
		if _, err := c.Judge(t.Context(), connect.NewRequest(m)); connect.CodeOf(err) != connect.CodeInvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Robots have the names that scenes let them have, also those that a table would take for something else.
func TestJudgeNames(t *testing.T) {
	_, url := start(t, Config{})
	c := pcdv1connect.NewJudgeServiceClient(http.DefaultClient, url)
	for _, name := range []string{"#1", `"ada"`, "ada, the first", "7", "robot"} {
		r, err := c.Judge(t.Context(), connect.NewRequest(&pb.JudgeRequest{
			Task: &pb.JudgeRequest_Map{Map: "empty"}, Radius: new(0.1), Paths: []*pb.TimedPath{{Robot: name, Times: []float64{0, 4}, X: []float64{-0.5, 0.5}, Y: []float64{0, 0}}},
		}))
		if err != nil || !r.Msg.GetCertified() || len(r.Msg.GetMargins()) == 0 || r.Msg.GetMargins()[0].GetRobot() != name {
			t.Errorf("%q: %v %v", name, r, err)
		}
	}
	_, err := c.Judge(t.Context(), connect.NewRequest(&pb.JudgeRequest{
		Task: &pb.JudgeRequest_Map{Map: "empty"}, Paths: []*pb.TimedPath{{Robot: "ada", Times: []float64{1, 1}, X: []float64{0, 0}, Y: []float64{0, 0}}},
	}))
	if want := "invalid_argument: paths[0].times[1] is 1, want one after 1"; err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}
