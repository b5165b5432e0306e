package serve

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/serve/internal/gate"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// judgeService answers calls of JudgeService.
type judgeService struct{ *Server }

// Judge implements [pcdv1connect.JudgeServiceHandler].
func (s judgeService) Judge(ctx context.Context, m *connect.Request[pb.JudgeRequest]) (*connect.Response[pb.JudgeResponse], error) {
	r, size, err := s.judgeRequest(m.Msg)
	if err != nil {
		return nil, refuse(err)
	}
	var answer *pb.JudgeResponse
	err = s.queued(ctx, demand{s.config.Longest, "judge", size, s.config.Cores, firstSeconds}, func(ctx context.Context, _ *gate.Pass) error {
		outcome, err := planner.Do(ctx, &planner.JudgeTask{Request: r}, planner.Watch{}, nil)
		if err != nil {
			return err
		}
		answer, err = judged(outcome.Summary, m.Msg.GetBrief())
		return err
	})
	if err != nil {
		return nil, refuse(err)
	}
	return connect.NewResponse(answer), nil
}

// judgeRequest returns what a message asks the planner for, and how large it is.
func (s judgeService) judgeRequest(m *pb.JudgeRequest) (r planner.JudgeRequest, size float64, err error) {
	r = planner.JudgeRequest{Motion: m.GetMotion(), Radius: m.Radius, Limit: m.Vmax, Anywhere: m.GetAnywhere(), Files: opener(m.GetFiles())}
	switch task := m.GetTask().(type) {
	case *pb.JudgeRequest_Map:
		if r.Task = task.Map; r.Task == "" {
			return r, 0, &fieldError{"map", `""`, "want the name of a published map"}
		}
	case *pb.JudgeRequest_Yaml:
		r.Scene = &task.Yaml
	case *pb.JudgeRequest_Scene:
		text, err := protojson.Marshal(task.Scene) // JSON is YAML
		if err != nil {
			return r, 0, &fieldError{"scene", err, "want numbers, texts and lists of them"}
		}
		r.Scene = new(string(text))
	default:
		return r, 0, &fieldError{"task", "missing", "want one of scene, yaml and map"}
	}
	if n := len(m.GetPaths()); n > s.config.Robots {
		return r, 0, &fieldError{"paths", n, fmt.Sprintf("want at most %d", s.config.Robots)}
	}
	for i, p := range m.GetPaths() {
		data, err := pathTable(fmt.Sprintf("paths[%d]", i), p)
		if err != nil {
			return r, 0, err
		}
		r.Paths = append(r.Paths, planner.PathFile{Name: fmt.Sprintf("paths[%d]", i), Data: data})
	}
	for _, f := range m.GetPathFiles() {
		r.Paths = append(r.Paths, planner.PathFile{Name: f.GetName(), Data: f.GetContent()})
	}
	for _, p := range r.Paths {
		size += float64(len(p.Data))
	}
	return r, max(size, 1), nil
}

// pathTable returns a path as a table, with every digit. The name of the robot comes last: a line that begins with that of #1
// would be a comment.
func pathTable(field string, p *pb.TimedPath) ([]byte, error) {
	columns, names := [][]float64{p.GetTimes(), p.GetX(), p.GetY()}, []string{"times", "x", "y"}
	if len(p.GetVx())+len(p.GetVy()) > 0 {
		columns, names = append(columns, p.GetVx(), p.GetVy()), append(names, "vx", "vy")
	}
	if p.GetRobot() == "" {
		return nil, &fieldError{field + ".robot", `""`, "want the name of a robot"}
	}
	for k, c := range columns {
		if len(c) != len(p.GetTimes()) || len(c) == 0 {
			return nil, &fieldError{field, fmt.Sprintf("with %d times and %d values of %s", len(p.GetTimes()), len(c), names[k]), "want one for each time, and a time at least"}
		}
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	row := slices.Concat([]string{"t"}, names[1:], []string{"robot"})
	_ = w.Write(row) // into memory
	for i, t := range p.GetTimes() {
		if i > 0 && t <= p.GetTimes()[i-1] { // rows of a table may come in any order
			return nil, &fieldError{fmt.Sprintf("%s.times[%d]", field, i), t, fmt.Sprintf("want one after %g", p.GetTimes()[i-1])}
		}
		for k, c := range columns {
			if math.IsNaN(c[i]) || math.IsInf(c[i], 0) {
				return nil, &fieldError{fmt.Sprintf("%s.%s[%d]", field, names[k], i), c[i], "want a finite number"}
			}
			row[k] = strconv.FormatFloat(c[i], 'g', -1, 64)
		}
		row[len(columns)] = p.GetRobot()
		_ = w.Write(row)
	}
	w.Flush()
	return out.Bytes(), nil
}

// judged returns a judgement as clients see it.
func judged(s *planner.JudgeSummary, brief bool) (*pb.JudgeResponse, error) {
	out := &pb.JudgeResponse{
		Certified: s.Certificate.Certified, Margin: s.Certificate.Margin, Contradictions: s.Contradictions, Notes: s.Notes,
		Units: &pb.Units{Length: s.Units.Length, Time: s.Units.Time, Speed: s.Units.Speed}, Contacts: faults(s.Contacts), Exceeded: faults(s.Exceeded),
	}
	for _, m := range s.Certificate.Margins {
		out.Margins = append(out.Margins, &pb.JudgedMargin{
			Constraint: string(m.Constraint), Margin: m.Margin, Robot: m.Robot, Other: m.Other, Obstacle: short(m.Obstacle), Time: m.Time, X: m.At[0], Y: m.At[1],
		})
	}
	if brief {
		return out, nil
	}
	document, err := json.MarshalIndent(s, "", "  ")
	out.Document = string(document)
	return out, err
}

// faults returns where constraints do not hold.
func faults(all []planner.JudgedFault) (out []*pb.Fault) {
	for _, f := range all {
		out = append(out, &pb.Fault{
			Constraint: string(f.Constraint), Robot: f.Robot, Other: f.Other, Obstacle: short(f.Obstacle), From: f.From, To: f.To, Time: f.Time,
			X: f.At[0], Y: f.At[1], Gap: f.Gap, By: f.By, Anytime: f.Anytime,
		})
	}
	return out
}

// short returns a number as messages have it.
func short(n *int) *int32 {
	if n == nil {
		return nil
	}
	return new(int32(*n))
}
