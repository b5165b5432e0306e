package projectbench

import (
	"context"
	"math"
	"time"

	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// SpeedLimitRow compares [project.SpeedLimit] with the yardstick for one kind of
// path. Both run on one thread, one after the other, and count their fastest run:
// the yardstick its fastest iteration times their number.
type SpeedLimitRow struct {
	Noise               float64 `json:"noise"`                 // standard deviation, per coordinate
	Limit               float64 `json:"limit"`                 // longest step
	Points              int     `json:"points"`                // per path
	Paths               int     `json:"paths"`                 // in the batch
	Active              float64 `json:"active"`                // part of the steps that end at the limit
	Micros              float64 `json:"us_per_path"`           // ours, the best of several
	YardstickMicros     float64 `json:"yardstick_us_per_path"` // dense LU
	Ratio               float64 `json:"ratio"`                 // yardstick / ours
	Iterations          float64 `json:"iterations"`            // linear solves per path, ours
	YardstickIterations int     `json:"yardstick_iterations"`  // per path
	Deviation           float64 `json:"deviation"`             // from the exact solution in float64, largest coordinate
	YardstickDeviation  float64 `json:"yardstick_deviation"`
	Violation           float64 `json:"violation"` // largest of ours; at most 0
	YardstickViolation  float64 `json:"yardstick_violation"`
}

// Grid is the product of noise levels and limits on which the speed limit is
// measured.
var Grid = struct{ Noise, Limit []float64 }{
	Noise: []float64{0.02, 0.05, 0.1, 0.2, 0.5, 1},
	Limit: []float64{0.02, 0.05, 0.1, 0.2},
}

// repeats is how often our side is timed, in parts of a size that takes about as
// long as an iteration of the yardstick.
const repeats, part = 20, 64

// timeParts projects x and returns the sum of the fastest times of its parts.
func timeParts(ctx context.Context, s project.Projector, dst, x tensor.Batch) (r project.Report, sum time.Duration, err error) {
	for lo := 0; lo < x.N; lo += part {
		hi := min(lo+part, x.N)
		best := time.Duration(math.MaxInt64)
		var report project.Report
		for range repeats {
			began := time.Now()
			if report, err = s.Project(ctx, dst.Rows(lo, hi), x.Rows(lo, hi)); err != nil {
				return r, sum, err
			}
			best = min(best, time.Since(began))
		}
		r, sum = r.Merge(report), sum+best
	}
	return r, sum, nil
}

// SpeedLimit measures one row on paths of a seed.
func SpeedLimit(ctx context.Context, seed uint64, paths, points int, noise, limit float64) (SpeedLimitRow, error) {
	x, start := Paths(seed, paths, points, noise)
	s, err := project.NewSpeedLimit(limit, project.Path{Start: start})
	if err != nil {
		return SpeedLimitRow{}, err
	}
	row := SpeedLimitRow{Noise: noise, Limit: limit, Points: points, Paths: paths}
	ours, theirs := tensor.New(paths, points, 2), tensor.New(paths, points, 2)
	y := NewDenseLU(points, published.ADMMNav2D)
	r, elapsed, err := timeParts(ctx, s, ours, x)
	if err != nil {
		return row, err
	}
	row.Micros = fastest(0, elapsed, paths)
	row.YardstickIterations = y.Project(theirs, x, start, limit)
	row.YardstickMicros = fastest(0, y.Fastest, paths) * float64(row.YardstickIterations)
	row.Ratio = row.YardstickMicros / row.Micros
	row.Iterations = float64(r.Iterations) / float64(paths)
	row.Active = active(ours, start, limit)
	row.Deviation, row.YardstickDeviation = deviations(s, x, ours, theirs)
	row.Violation = r.ViolationAfter
	row.YardstickViolation = largestViolation(s, theirs)
	return row, nil
}

// fastest returns the smaller one of a time per item so far, 0 for none, and a
// new one, in microseconds.
func fastest(soFar float64, d time.Duration, items int) float64 {
	t := float64(d.Nanoseconds()) / 1000 / float64(items)
	if soFar == 0 {
		return t
	}
	return min(soFar, t)
}

// active returns the part of the steps that are within a thousandth of the limit.
func active(x, start tensor.Batch, limit float64) float64 {
	count, steps := 0, 0
	for k := range x.N {
		before, row := start.Sample(k), x.Sample(k)
		for at := 0; at < len(row); at += 2 {
			d := math.Hypot(float64(row[at])-float64(before[0]), float64(row[at+1])-float64(before[1]))
			if d >= 0.999*limit {
				count++
			}
			steps++
			before = row[at:]
		}
	}
	return float64(count) / float64(steps)
}

// deviations returns the largest coordinate by which two projections of x differ
// from the exact one.
func deviations(s *project.SpeedLimit, x, ours, theirs tensor.Batch) (our, their float64) {
	exact := make([]float64, x.Size())
	for k := range x.N {
		for i, v := range x.Sample(k) {
			exact[i] = float64(v)
		}
		s.ProjectExact(exact, exact, x.Shape, x.First+k)
		a, b := ours.Sample(k), theirs.Sample(k)
		for i, v := range exact {
			our, their = max(our, math.Abs(float64(a[i])-v)), max(their, math.Abs(float64(b[i])-v))
		}
	}
	return our, their
}

func largestViolation(s project.Set, x tensor.Batch) float64 {
	v := make([]float64, x.N)
	s.Violation(v, x)
	worst := v[0]
	for _, e := range v {
		worst = max(worst, e)
	}
	return worst
}
