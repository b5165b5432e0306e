package projectbench

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// LengthRow is the time of the speed limit for paths of one length, with noise
// and limit fixed.
type LengthRow struct {
	Points         int     `json:"points"`
	Noise          float64 `json:"noise"`
	Limit          float64 `json:"limit"`
	MicrosPerPath  float64 `json:"us_per_path"`
	NanosPerPoint  float64 `json:"ns_per_point"`
	Iterations     float64 `json:"iterations"`
	Violation      float64 `json:"violation"`
	DistanceBound  float64 `json:"distance_bound"` // from the exact solution in float64 to the true one, by its duality gap
	Deviation      float64 `json:"deviation"`      // of the float32 result, largest coordinate
	PointsMeasured int     `json:"points_measured"`
}

// Lengths are the lengths that are measured.
var Lengths = []int{63, 127, 255, 511, 1023, 2047, 4096}

// Length measures one row on about as many points for every length.
func Length(ctx context.Context, seed uint64, points int, noise, limit float64) (LengthRow, error) {
	const work = 1 << 15
	paths := max(2, work/points)
	x, start := Paths(seed, paths, points, noise)
	s, err := project.NewSpeedLimit(limit, project.Path{Start: start})
	if err != nil {
		return LengthRow{}, err
	}
	row := LengthRow{Points: points, Noise: noise, Limit: limit, PointsMeasured: paths * points}
	out := tensor.New(paths, points, 2)
	r, elapsed, err := timeParts(ctx, s, out, x)
	if err != nil {
		return row, err
	}
	row.MicrosPerPath = fastest(0, elapsed, paths)
	row.NanosPerPoint = 1000 * row.MicrosPerPath / float64(points)
	row.Iterations = float64(r.Iterations) / float64(paths)
	row.Violation = r.ViolationAfter
	row.Deviation, _ = deviations(s, x, out, out)
	row.DistanceBound = distanceBound(s, x.Rows(0, 1), start.Sample(0), limit)
	return row, nil
}

// distanceBound bounds the distance of the exact solution for the path x from the
// true one by its duality gap: with the forces F_h = Σ_{k≥h} (p_k − x_k) that hold
// the path, ½‖x − x*‖² <= Σ a‖F_h‖ − F_h·d_h.
func distanceBound(s *project.SpeedLimit, x tensor.Batch, start []float32, limit float64) float64 {
	p := make([]float64, x.Size())
	for i, v := range x.Data {
		p[i] = float64(v)
	}
	y := make([]float64, len(p))
	s.ProjectExact(y, p, x.Shape, x.First)
	fx, fy, gap := 0.0, 0.0, 0.0
	for at := len(y) - 2; at >= 0; at -= 2 {
		fx += p[at] - y[at]
		fy += p[at+1] - y[at+1]
		bx, by := float64(start[0]), float64(start[1])
		if at > 0 {
			bx, by = y[at-2], y[at-1]
		}
		gap += limit*math.Hypot(fx, fy) - fx*(y[at]-bx) - fy*(y[at+1]-by)
	}
	return math.Sqrt(2 * max(0, gap))
}
