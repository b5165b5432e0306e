package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"connectrpc.com/connect"

	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/serve/internal/gate"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// planning is a request on its way to a plan.
type planning struct {
	server *Server
	within float64
	told   func(*pb.PlanEvent) // of progress and plans; returns at once
	pass   *gate.Pass
	brief  bool
}

// seedStride is between the seeds of two draws of one request.
const seedStride = 0x9E3779B97F4A7C15

// plan waits for a core, and plans. The plan that it returns is certified.
func (s *Server) plan(ctx context.Context, m *pb.PlanRequest, told func(*pb.PlanEvent)) (best *pb.Plan, err error) {
	r, err := s.planRequest(m)
	if err != nil {
		return nil, err
	}
	told(&pb.PlanEvent{Event: &pb.PlanEvent_Queued{Queued: &pb.Queued{Ahead: int32(s.gate.Waiting())}}})
	err = s.admitted(ctx, m, r, func(ctx context.Context, pass *gate.Pass) (err error) {
		best, err = planning{s, m.GetWithin(), told, pass, m.GetBrief()}.run(ctx, r)
		if err == nil && best != nil {
			s.metrics.planned(best.GetSeconds())
		}
		return err
	})
	s.metrics.unplanned(err)
	return best, err
}

// admitted waits for a core and computes, within the time that a request has.
func (s *Server) admitted(ctx context.Context, m *pb.PlanRequest, r planner.PlanRequest, compute func(context.Context, *gate.Pass) error) error {
	longest := s.config.Longest
	if w := m.GetWithin(); w > 0 {
		longest = time.Duration(w * float64(time.Second))
	}
	return s.queued(ctx, demand{longest, kind(m), size(r), s.config.Cores, firstSeconds}, compute)
}

// demand is what a request asks of the cores. Requests of a kind are alike up to their size.
type demand struct {
	longest time.Duration // that it may wait and compute
	kind    string
	size    float64
	cores   int     // most that it can use
	first   float64 // processor seconds that the first of its kind is taken to take
}

// queued waits for a core and computes, within a time.
func (s *Server) queued(ctx context.Context, d demand, compute func(context.Context, *gate.Pass) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, d.longest, &overdueError{d.longest})
	defer cancel()
	pass, err := s.gate.Enter(ctx, clientOf(ctx), s.costs.Predict(d.kind, d.size, d.first), d.cores)
	if err != nil {
		return cause(ctx, err)
	}
	defer pass.Leave()
	began := time.Now()
	err = cause(ctx, compute(ctx, pass))
	switch connect.CodeOf(refuse(err)) {
	case connect.CodeInvalidArgument, connect.CodeCanceled: // tells nothing of its kind, which may be any words
	default:
		s.costs.Observe(d.kind, d.size, time.Since(began).Seconds()*float64(pass.Cores))
	}
	return err
}

// overdueError says that a request took all of the time that there is for one.
type overdueError struct{ Longest time.Duration }

func (e *overdueError) Error() string {
	return fmt.Sprintf("serve: there was no certified plan within %.3g s: ask for fewer robots or samples, or give it more time", e.Longest.Seconds())
}

// cause returns why a context ended, in place of an error that says that it did.
func cause(ctx context.Context, err error) error {
	if err != nil && errors.Is(err, context.DeadlineExceeded) {
		return cmp.Or(context.Cause(ctx), err)
	}
	return err
}

// run plans once, or until the time is over.
func (p planning) run(ctx context.Context, r planner.PlanRequest) (*pb.Plan, error) {
	r.Workers = p.pass.Cores
	task, err := r.Check()
	if err != nil {
		return nil, err
	}
	if err := p.server.checkSize(task); err != nil {
		return nil, err
	}
	var best *pb.Plan
	var least []float64
	var reason error
	for draw := int32(1); ; draw++ {
		began := time.Now()
		outcome, err := task.Run(ctx, planner.Watch{Progress: p.steps}, nil)
		switch {
		case err != nil:
			return best, orNil(best, cmp.Or(reason, err))
		case outcome.Verdict != nil:
			reason = placed(outcome)
		default:
			if rank := rank(outcome.Summary, task.Options.Prefer); best == nil || slices.Compare(rank, least) < 0 {
				if best, err = p.answer(outcome); err != nil {
					return nil, err
				}
				best.Draws, least = draw, rank
				p.told(&pb.PlanEvent{Event: &pb.PlanEvent_Plan{Plan: best}})
			}
		}
		end, _ := ctx.Deadline()
		if p.within == 0 || time.Until(end) < time.Since(began) || draw == mostDraws {
			return best, orNil(best, reason)
		}
		task.Options.Seed += seedStride
	}
}

// mostDraws bounds the draws of a request with much time.
const mostDraws = 10000

// noPlanError says that a task has no certified plan, and where the one fails that came
// nearest to it.
type noPlanError struct {
	Err   error
	Worst *plan.ConstraintMargin // nil where nothing came near
}

func (e *noPlanError) Error() string { return e.Err.Error() }

func (e *noPlanError) Unwrap() error { return e.Err }

// placed returns the verdict of an outcome with where it fails.
func placed(o *planner.Outcome[planner.PlanSummary]) error {
	e := &noPlanError{Err: o.Verdict}
	if near := o.Summary.Nearest; near != nil {
		e.Worst = near.Certificate.Worst()
	}
	return e
}

// orNil returns an error where there is no plan.
func orNil(best *pb.Plan, err error) error {
	if best != nil {
		return nil
	}
	return err
}

// steps tells of denoising steps.
func (p planning) steps(_ string, done, total int) {
	p.told(&pb.PlanEvent{Event: &pb.PlanEvent_Progress{Progress: &pb.Progress{Done: int32(done), Total: int32(total)}}})
}

// rank orders plans by a preference, the best first, and then by the length of their ways.
func rank(s *planner.PlanSummary, prefer plan.Preference) []float64 {
	b := s.Plan
	switch prefer {
	case plan.PreferLength:
		return []float64{b.Length}
	case plan.PreferClearance:
		gap := math.Inf(1)
		for _, g := range []*float64{b.Certificate.Gap(separation.Bodies), b.Certificate.Gap(separation.Obstacles)} {
			if g != nil {
				gap = min(gap, *g)
			}
		}
		return []float64{-gap, b.Length}
	case plan.PreferTime:
		return []float64{arrival(s), b.Length}
	}
	adherence := 0.0
	for _, a := range b.DA {
		adherence += a
	}
	changes := 0
	for _, c := range b.Changes {
		if c.Kind != plan.Hastened { // which nearly all are
			changes++
		}
	}
	return []float64{-adherence, float64(changes), b.Length}
}

// arrival returns the times at which robots come to rest at their goals, added up.
func arrival(s *planner.PlanSummary) (sum float64) {
	for _, way := range s.Plan.Trajectories {
		last := len(way) - 1
		for last > 0 && slices.Equal(way[last][:2], way[last-1][:2]) {
			last--
		}
		sum += s.Times[last]
	}
	return sum
}
