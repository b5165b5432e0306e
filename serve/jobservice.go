package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/go-pcd/pcd/internal/jobs"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// jobService answers calls of JobService.
type jobService struct{ *Server }

// noJobsError says that a server does no long work.
type noJobsError struct{}

func (*noJobsError) Error() string {
	return "serve: this service does no jobs: it was started without a store (pcd serve --store DIR)"
}

// owner returns whose jobs a request is about: those of its token, and of everybody where no
// tokens are asked for.
func (s jobService) owner(ctx context.Context) string {
	if s.tokens == nil {
		return ""
	}
	return clientOf(ctx)
}

// unavailableError says that the jobs cannot be reached. What there is to know of that is of the operator, and not of clients.
type unavailableError struct{ id string }

func (e *unavailableError) Error() string {
	return "serve: the jobs cannot be reached at present; the log of the service says more under " + e.id
}

// retryJobs is in how many seconds jobs that cannot be reached may be there again.
const retryJobs = "5"

// refuseJob returns what a client is told of an error of the jobs: of one of their database or of the disk, that there is one.
func (s jobService) refuseJob(ctx context.Context, err error) error {
	told := refuse(err)
	if err == nil || connect.CodeOf(told) != connect.CodeInternal {
		return told
	}
	if gone := ctx.Err(); gone != nil {
		return refuse(gone) // a transaction that this ends has errors that do not say so
	}
	s.config.Log.Warn("the jobs cannot be reached", "id", callOf(ctx).id, "error", err.Error())
	e := withRefusal(connect.CodeUnavailable, &unavailableError{callOf(ctx).id}, "busy", "")
	e.Meta().Set("Retry-After", retryJobs)
	return e
}

// answerJob returns a job, or why there is none.
func (s jobService) answerJob(ctx context.Context, j *jobs.Job, err error) (*connect.Response[pb.Job], error) {
	if err != nil {
		return nil, s.refuseJob(ctx, err)
	}
	return connect.NewResponse(jobOf(j)), nil
}

// Submit implements [pcdv1connect.JobServiceHandler].
func (s jobService) Submit(ctx context.Context, r *connect.Request[pb.SubmitRequest]) (*connect.Response[pb.Job], error) {
	if s.config.Jobs == nil {
		return nil, refuse(&noJobsError{})
	}
	spec := jobs.Spec{Command: r.Msg.GetCommand(), Key: r.Msg.GetKey()}
	for _, f := range r.Msg.GetFiles() {
		spec.Files = append(spec.Files, jobs.File{Name: f.GetName(), Content: f.GetContent()})
	}
	for _, in := range r.Msg.GetInputs() {
		spec.Inputs = append(spec.Inputs, jobs.Input{Name: in.GetName(), Job: in.GetJob()})
	}
	j, err := s.config.Jobs.Submit(ctx, s.owner(ctx), spec)
	return s.answerJob(ctx, j, err)
}

// Get implements [pcdv1connect.JobServiceHandler].
func (s jobService) Get(ctx context.Context, r *connect.Request[pb.GetRequest]) (*connect.Response[pb.Job], error) {
	if s.config.Jobs == nil {
		return nil, refuse(&noJobsError{})
	}
	j, err := s.config.Jobs.Get(ctx, s.owner(ctx), r.Msg.GetId())
	return s.answerJob(ctx, j, err)
}

// Cancel implements [pcdv1connect.JobServiceHandler].
func (s jobService) Cancel(ctx context.Context, r *connect.Request[pb.CancelRequest]) (*connect.Response[pb.Job], error) {
	if s.config.Jobs == nil {
		return nil, refuse(&noJobsError{})
	}
	j, err := s.config.Jobs.Cancel(ctx, s.owner(ctx), r.Msg.GetId())
	return s.answerJob(ctx, j, err)
}

// The numbers of jobs of a page.
const (
	fewJobs  = 50
	mostJobs = 200
)

// List implements [pcdv1connect.JobServiceHandler].
func (s jobService) List(ctx context.Context, r *connect.Request[pb.ListRequest]) (*connect.Response[pb.ListResponse], error) {
	most := int(r.Msg.GetMost())
	switch {
	case s.config.Jobs == nil:
		return nil, refuse(&noJobsError{})
	case most < 0 || most > mostJobs:
		return nil, refuse(&fieldError{"most", most, fmt.Sprintf("want 1 to %d, or 0 for %d", mostJobs, fewJobs)})
	case most == 0:
		most = fewJobs
	}
	all, err := s.config.Jobs.List(ctx, s.owner(ctx), r.Msg.GetBehind(), most)
	if err != nil {
		return nil, s.refuseJob(ctx, err)
	}
	out := new(pb.ListResponse)
	for _, j := range all {
		out.Jobs = append(out.Jobs, jobOf(j))
	}
	return connect.NewResponse(out), nil
}

// mostContent is how much of a file an answer holds.
const mostContent = 512 << 10

// Result implements [pcdv1connect.JobServiceHandler].
func (s jobService) Result(ctx context.Context, r *connect.Request[pb.ResultRequest]) (answer *connect.Response[pb.ResultResponse], err error) {
	if s.config.Jobs == nil {
		return nil, refuse(&noJobsError{})
	}
	results, err := s.config.Jobs.Results(ctx, s.owner(ctx), r.Msg.GetId())
	if err != nil {
		return nil, s.refuseJob(ctx, err)
	}
	defer func() { err = s.refuseJob(ctx, errors.Join(err, results.Close())) }()
	out := new(pb.ResultResponse)
	if name, offset := r.Msg.GetFile(), r.Msg.GetOffset(); name != "" {
		err = readPart(out, results, name, offset)
	} else if offset != 0 {
		err = &fieldError{"offset", offset, "want the file that it is of, too"}
	} else {
		err = listFiles(out, results)
	}
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(out), nil
}

// listFiles fills in what a job has printed and written.
func listFiles(out *pb.ResultResponse, results *jobs.Results) error {
	files, err := results.Files()
	for _, f := range files {
		out.Files = append(out.Files, &pb.ResultFile{Name: f.Name, Size: f.Size})
	}
	out.Printed, out.Said = validText(results.Printed), validText(results.Said)
	return err
}

// readPart fills in a part of a file.
func readPart(out *pb.ResultResponse, results *jobs.Results, name string, offset int64) error {
	if offset < 0 {
		return &fieldError{"offset", offset, "want 0 or more"}
	}
	f, err := results.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	out.Size = info.Size()
	out.Content, err = io.ReadAll(io.NewSectionReader(f, offset, mostContent))
	return err
}

// serveFile answers requests for the files of jobs, for browsers.
func (s jobService) serveFile(w http.ResponseWriter, r *http.Request) {
	if s.config.Jobs == nil {
		http.NotFound(w, r)
		return
	}
	results, err := s.config.Jobs.Results(r.Context(), s.owner(r.Context()), r.PathValue("id"))
	if err != nil {
		s.fileError(w, r, err)
		return
	}
	defer results.Close()
	f, err := results.Open(r.PathValue("name"))
	if err != nil {
		s.fileError(w, r, err)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		s.fileError(w, r, err)
		return
	}
	// A page of a job is the user's, and has no business with the service.
	w.Header().Set("Content-Security-Policy", "sandbox allow-scripts")
	http.ServeContent(w, r, info.Name(), info.ModTime(), f)
}

// fileError answers a request for a file that there is not, or that cannot be read.
func (s jobService) fileError(w http.ResponseWriter, r *http.Request, err error) {
	if isA[*jobs.NotFoundError](err) {
		http.Error(w, text(err), http.StatusNotFound)
		return
	}
	told := s.refuseJob(r.Context(), err)
	w.Header().Set("Retry-After", retryJobs)
	http.Error(w, told.Error(), http.StatusServiceUnavailable)
}

// jobOf returns a job as clients see it.
func jobOf(j *jobs.Job) *pb.Job {
	out := &pb.Job{
		Id: j.ID, Command: j.Command, State: string(j.State), Attempts: int32(j.Attempts), ExitCode: int32(j.ExitCode), Message: validText([]byte(j.Message)),
		Created: stamp(j.Created), Started: stamp(j.Started), Ended: stamp(j.Ended),
	}
	if p := j.Progress; p.Stage != "" || p.Total != 0 {
		out.Progress = &pb.JobProgress{Stage: p.Stage, Done: int32(p.Done), Total: int32(p.Total)}
	}
	return out
}

// stamp returns a time, nil for none.
func stamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

// validText returns what a message can hold of a text.
func validText(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
