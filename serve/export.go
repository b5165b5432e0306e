package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"connectrpc.com/connect"

	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/render"
	"github.com/go-pcd/pcd/serve/internal/gate"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// format is how a plan is written as a file.
type format struct {
	name  string // of the file
	media string
	write func(io.Writer, *planner.Outcome[planner.PlanSummary]) error
}

// formats are the files that a plan has.
var formats = map[string]format{
	"json": {"plan.json", "application/json", writeDocument},
	"html": {"plan.html", "text/html; charset=utf-8", animation((*render.Animation).WriteHTML)},
	"gif":  {"plan.gif", "image/gif", animation((*render.Animation).WriteGIF)},
	"png":  {"plan.png", "image/png", figure((*render.Figure).WritePNG)},
	"svg":  {"plan.svg", "image/svg+xml", figure((*render.Figure).WriteSVG)},

	"csv":         {"motion.csv", "text/csv", forRobots(planner.CSV)},
	"mcap":        {"plan.mcap", "application/octet-stream", forRobots(planner.MCAP)},
	"ros":         {"plan-ros.zip", "application/zip", forRobots(planner.ROS)},
	"vda5050":     {"plan-vda5050.zip", "application/zip", forRobots(planner.VDA5050)},
	"vda5050-2.1": {"plan-vda5050-2.1.zip", "application/zip", forRobots(planner.VDA5050v2)},
}

// writeDocument writes plan.json.
func writeDocument(w io.Writer, o *planner.Outcome[planner.PlanSummary]) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(true)
	out.SetIndent("", "  ")
	return out.Encode(o.Summary)
}

// forRobots writes the files of a format that robots and their tools read.
func forRobots(f planner.Format) func(io.Writer, *planner.Outcome[planner.PlanSummary]) error {
	return func(w io.Writer, o *planner.Outcome[planner.PlanSummary]) error {
		var document bytes.Buffer
		if err := writeDocument(&document, o); err != nil {
			return err
		}
		t := &planner.ExportTask{Name: "plan.json", Plan: document.Bytes(), Formats: []string{string(f)}}
		if err := t.Check(); err != nil {
			return err
		}
		return t.WriteArchive(context.Background(), w)
	}
}

func animation(write func(*render.Animation, io.Writer) error) func(io.Writer, *planner.Outcome[planner.PlanSummary]) error {
	return func(w io.Writer, o *planner.Outcome[planner.PlanSummary]) error {
		a, err := o.Pictures.Animation()
		if err != nil {
			return err
		}
		return write(a, w)
	}
}

func figure(write func(*render.Figure, io.Writer) error) func(io.Writer, *planner.Outcome[planner.PlanSummary]) error {
	return func(w io.Writer, o *planner.Outcome[planner.PlanSummary]) error {
		f, err := o.Pictures.Figure()
		if err != nil {
			return err
		}
		return write(f, w)
	}
}

// Export implements [pcdv1connect.PlanServiceHandler].
func (s planService) Export(ctx context.Context, m *connect.Request[pb.ExportRequest]) (*connect.Response[pb.ExportResponse], error) {
	f, ok := formats[m.Msg.GetFormat()]
	if !ok {
		return nil, refuse(&fieldError{"format", fmt.Sprintf("%q", m.Msg.GetFormat()), "want one of " + strings.Join(slices.Sorted(maps.Keys(formats)), ", ")})
	}
	asked := &pb.PlanRequest{Task: m.Msg.GetRequest().GetTask(), Settings: m.Msg.GetRequest().GetSettings()}
	r, err := s.planRequest(asked)
	if err != nil {
		return nil, refuse(err)
	}
	var content bytes.Buffer
	err = s.admitted(ctx, asked, r, func(ctx context.Context, pass *gate.Pass) error {
		r.Workers = pass.Cores
		task, err := r.Check()
		if err != nil {
			return err
		}
		if err := s.checkSize(task); err != nil {
			return err
		}
		o, err := task.Run(ctx, planner.Watch{}, nil)
		if err != nil {
			return err
		}
		if o.Verdict != nil {
			return placed(o)
		}
		s.metrics.planned(secondsOf(o.Summary, pass))
		return f.write(&content, o)
	})
	if err != nil {
		s.metrics.unplanned(err)
		return nil, refuse(err)
	}
	return connect.NewResponse(&pb.ExportResponse{Name: f.name, MediaType: f.media, Content: content.Bytes()}), nil
}
