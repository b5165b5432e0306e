package project

import (
	"context"
	"math"

	solver "github.com/go-pcd/pcd/internal/path"
	"github.com/go-pcd/pcd/internal/ulp"
	"github.com/go-pcd/pcd/tensor"
)

// ballSet is what [NewBall] returns.
type ballSet struct {
	centre perSample
	radius float64
}

// NewBall returns the set of samples within a Euclidean distance of a centre. The
// violation is the distance from the centre less the radius.
//
// The centre is one row for all samples, or one row per sample, found by sample number.
// A radius of 0 leaves the centre alone.
func NewBall(centre tensor.Batch, radius float64) (Exact, error) {
	if err := checkNumber("ball", "radius", radius, 0, math.MaxFloat64, "a finite number, at least 0"); err != nil {
		return nil, err
	}
	c, err := newPerSample("ball", "centre", centre)
	if err != nil {
		return nil, err
	}
	return &ballSet{c, radius}, nil
}

// Check implements [Set].
func (b *ballSet) Check(shape tensor.Shape) error {
	return checkSize("ball", shape, b.centre.b.Size())
}

// Violation implements [Set].
func (b *ballSet) Violation(dst []float64, x tensor.Batch) { violations(b, dst, x) }

// Project implements [Projector].
func (b *ballSet) Project(ctx context.Context, dst, x tensor.Batch) (Report, error) {
	return projectRows(ctx, b, dst, x)
}

// ProjectExact implements [Exact].
func (b *ballSet) ProjectExact(dst, x []float64, _ tensor.Shape, sample int) {
	ballExact(dst, x, b.centre.at(sample), b.radius)
}

// ballExact is the projection onto a ball: c + (x − c) min(1, r/‖x − c‖).
func ballExact[F float](dst, x []float64, c []F, r float64) {
	s := 0.0
	for i, v := range x {
		s += (v - float64(c[i])) * (v - float64(c[i]))
	}
	shrink := 1.0
	if d := math.Sqrt(s); d > r {
		shrink = r / d
	}
	for i, v := range x {
		dst[i] = float64(c[i]) + shrink*(v-float64(c[i]))
	}
}

func (b *ballSet) checkSample(x tensor.Batch, k int) error { return b.centre.check(x.First + k) }

func (b *ballSet) excess(x tensor.Batch, k int) float64 {
	return math.Sqrt(solver.SquaredDistance(b.centre.at(x.First+k), x.Sample(k))) - b.radius
}

func (b *ballSet) nearest(dst, x tensor.Batch, k int) outcome { return closedNearest(b, dst, x, k) }

// round rounds to the nearest numbers or, if that leaves the ball, every element
// towards the centre, which is a float32 point itself.
func (b *ballSet) round(dst []float32, x []float64, sample int) {
	c := b.centre.at(sample)
	inside := func() bool { return math.Sqrt(solver.SquaredDistance(c, dst)) <= b.radius }
	roundNearest(dst, x)
	for shrink := 0.0; !inside(); shrink = 2*shrink + 0x1p-50 {
		for i, v := range x {
			dst[i] = ulp.Between(float64(c[i])+(1-min(1, shrink))*(v-float64(c[i])), c[i])
		}
	}
}
