package serve

import (
	"context"
	"sync"

	"connectrpc.com/connect"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/plan"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// planService answers calls of PlanService.
type planService struct{ *Server }

// Plan implements [pcdv1connect.PlanServiceHandler].
func (s planService) Plan(ctx context.Context, r *connect.Request[pb.PlanRequest]) (*connect.Response[pb.PlanResponse], error) {
	p, err := s.plan(ctx, r.Msg, func(*pb.PlanEvent) {})
	if err != nil {
		return nil, refuse(err)
	}
	return connect.NewResponse(&pb.PlanResponse{Plan: p}), nil
}

// PlanStream implements [pcdv1connect.PlanServiceHandler].
func (s planService) PlanStream(ctx context.Context, r *connect.Request[pb.PlanRequest], stream *connect.ServerStream[pb.PlanEvent]) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	box := newMailbox()
	var planned error
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer box.close()
		_, planned = s.plan(ctx, r.Msg, box.put)
	}()
	err := box.each(stream.Send)
	cancel() // nobody reads any more
	<-done
	if planned != nil && err == nil {
		return refuse(planned)
	}
	return err
}

// Models implements [pcdv1connect.PlanServiceHandler].
func (s planService) Models(context.Context, *connect.Request[pb.ModelsRequest]) (*connect.Response[pb.ModelsResponse], error) {
	all, err := s.models.describe()
	if err != nil {
		return nil, refuse(err)
	}
	out := &pb.ModelsResponse{Version: manifest.Version(), Models: all, Presets: []string{"default", "paper", "mmd"}, Limits: &pb.Limits{
		RequestBytes: int64(s.config.Bytes), Robots: int32(s.config.Robots), Samples: int32(s.config.Samples),
		Within: s.config.Longest.Seconds(), Waiting: int32(s.config.Waiting),
	}}
	for _, m := range nav2d.Maps() {
		out.Maps = append(out.Maps, m.Name)
	}
	for _, m := range plan.Methods() {
		out.Methods = append(out.Methods, string(m))
	}
	for _, p := range []plan.Preference{plan.PreferPattern, plan.PreferLength, plan.PreferClearance, plan.PreferTime} {
		out.Preferences = append(out.Preferences, string(p))
	}
	return connect.NewResponse(out), nil
}

// mailbox holds what a stream has not sent yet: the newest progress and the best plan. So
// whoever reads slowly misses some, and nobody waits.
type mailbox struct {
	mu     sync.Mutex
	some   *sync.Cond
	closed bool
	queued *pb.PlanEvent
	newest *pb.PlanEvent // progress
	best   *pb.PlanEvent
}

func newMailbox() *mailbox {
	b := &mailbox{}
	b.some = sync.NewCond(&b.mu)
	return b
}

// put takes an event.
func (b *mailbox) put(e *pb.PlanEvent) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e.GetEvent().(type) {
	case *pb.PlanEvent_Queued:
		b.queued = e
	case *pb.PlanEvent_Progress:
		b.newest = e
	case *pb.PlanEvent_Plan:
		b.best = e
	}
	b.some.Signal()
}

// close says that there is no more.
func (b *mailbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.some.Signal()
}

// each sends events until there is no more, or an error.
func (b *mailbox) each(send func(*pb.PlanEvent) error) error {
	for {
		events, more := b.take()
		for _, e := range events {
			if err := send(e); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

// take waits for events, and returns those that there are.
func (b *mailbox) take() (events []*pb.PlanEvent, more bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.closed && b.queued == nil && b.newest == nil && b.best == nil {
		b.some.Wait()
	}
	for _, e := range []**pb.PlanEvent{&b.queued, &b.newest, &b.best} {
		if *e != nil {
			events = append(events, *e)
			*e = nil
		}
	}
	return events, !b.closed
}
