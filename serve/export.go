package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"connectrpc.com/connect"

	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/render"
	"github.com/go-pcd/pcd/serve/internal/gate"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// format is how a plan is written as a file.
type format struct {
	media string
	write func(io.Writer, *planner.Outcome[planner.PlanSummary]) error
}

// formats are the files that a plan has.
var formats = map[string]format{
	"json": {"application/json", writeDocument},
	"html": {"text/html; charset=utf-8", animation((*render.Animation).WriteHTML)},
	"gif":  {"image/gif", animation((*render.Animation).WriteGIF)},
	"png":  {"image/png", figure((*render.Figure).WritePNG)},
	"svg":  {"image/svg+xml", figure((*render.Figure).WriteSVG)},
}

// writeDocument writes plan.json.
func writeDocument(w io.Writer, o *planner.Outcome[planner.PlanSummary]) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(true)
	out.SetIndent("", "  ")
	return out.Encode(o.Summary)
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
		return nil, refuse(&fieldError{"format", fmt.Sprintf("%q", m.Msg.GetFormat()), "want json, html, png, svg or gif"})
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
		return f.write(&content, o)
	})
	if err != nil {
		return nil, refuse(err)
	}
	return connect.NewResponse(&pb.ExportResponse{Name: "plan." + m.Msg.GetFormat(), MediaType: f.media, Content: content.Bytes()}), nil
}
