package project

import (
	"context"

	"github.com/go-pcd/pcd/tensor"
)

// MemorySize implements [WarmStarter]: one force per step.
func (s *SpeedLimit) MemorySize(shape tensor.Shape) int { return (shape[0] - s.skip) * s.dims }

// ProjectFrom implements [WarmStarter]. Forces of a path that differs by a
// hundredth of its noise halve the time, by a tenth they save up to a third, and
// those of a path that differs more are worth no more than a cold start.
func (s *SpeedLimit) ProjectFrom(ctx context.Context, dst, x tensor.Batch, memory []float64) (Report, error) {
	if err := CheckCall(ctx, s, dst, x); err != nil {
		return Report{}, err
	}
	size := s.MemorySize(x.Shape)
	if len(memory) != x.N*size {
		return Report{}, &sizeError{Set: speedLimitName + ": memory", Shape: tensor.Shape{len(memory)}, Want: x.N * size}
	}
	if s.vectorised() {
		return s.projectLanes(ctx, dst, x, memory)
	}
	return projectChecked(ctx, recalling{s, memory}, dst, x)
}

// recalling is a SpeedLimit with the memory of a batch.
type recalling struct {
	*SpeedLimit
	memory []float64
}

func (r recalling) row(x tensor.Batch, k int) []float64 {
	size := r.MemorySize(x.Shape)
	return r.memory[k*size : (k+1)*size]
}

func (r recalling) nearest(dst, x tensor.Batch, k int) outcome {
	return r.nearestFrom(dst, x, k, r.row(x, k))
}
