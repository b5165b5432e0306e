package push

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// acceptThreshold is the cost below which a step is accepted as it is.
const acceptThreshold = 1e-8

// acceptance is the rule of the reference code by which a step of a PS method is
// accepted unguided: when the estimates of the clean actions after it cost next to
// nothing for every pair of the batch.
type acceptance struct {
	cost     cost.Cost
	models   [2]denoise.Denoiser
	schedule *schedule.Schedule
	clip     float64
	calls    *calls
}

// accept judges the states after a step.
func (a acceptance) accept(ctx context.Context, next []tensor.Batch, step int) (bool, error) {
	before := a.schedule.At(step - 1)
	estimates := make([]tensor.Batch, len(next))
	for m, x := range next {
		prediction := tensor.New(x.N, x.Shape...)
		begin := time.Now()
		if err := a.models[m].Predict(ctx, prediction, x, before.Timestep); err != nil {
			return false, err
		}
		a.calls.judging.Add(int64(time.Since(begin)))
		estimates[m] = x.Clone()
		before.Tweedie(estimates[m].Data, x.Data, prediction.Data, a.models[m].Kind(), a.clip)
	}
	values := make([]float64, next[0].N)
	if err := a.cost.Add(ctx, values, nil, estimates, 1); err != nil {
		return false, err
	}
	small := true
	for _, v := range values {
		small = small && v < acceptThreshold
	}
	a.calls.accepted.Store(small)
	return small, nil
}

// skipping leaves accepted steps as they are: without the projection and without
// the present place of the agent as the first action.
type skipping struct {
	project.Projector
	start    tensor.Batch
	accepted *atomic.Bool
}

// Project implements [project.Projector], but for its laws.
func (s skipping) Project(ctx context.Context, dst, x tensor.Batch) (project.Report, error) {
	if s.accepted.Load() {
		dst.CopyFrom(x)
		return project.Report{Samples: x.N}, ctx.Err()
	}
	report, err := s.Projector.Project(ctx, dst, x)
	for k := range dst.N {
		copy(dst.Sample(k), s.start.Sample(dst.First+k))
	}
	return report, err
}
