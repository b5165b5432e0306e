package projectbench

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// HullRow compares [project.Hull] with mirror descent as published, both from
// inner products that are computed once.
type HullRow struct {
	Exemplars        int     `json:"exemplars"`
	Dimension        int     `json:"dimension"`
	Points           int     `json:"points"`
	Millis           float64 `json:"ms_per_call"`
	MirrorMillis     float64 `json:"mirror_descent_ms_per_call"`
	Ratio            float64 `json:"ratio"`
	Iterations       float64 `json:"iterations"` // linear solves per point
	MirrorIterations int     `json:"mirror_descent_iterations"`
	Violation        float64 `json:"violation"`
	MirrorDeviation  float64 `json:"mirror_descent_deviation"` // of its weights from the exact ones
}

// Hull measures one row on normal exemplars and points near their hull.
func Hull(ctx context.Context, seed uint64, exemplars, dimension, points int) (HullRow, error) {
	e, x := hullPoints(seed, exemplars, dimension, points)
	h, err := project.NewHull(e)
	if err != nil {
		return HullRow{}, err
	}
	o := published.MirrorDescentImages
	m, err := published.NewMirrorDescent(e, o)
	if err != nil {
		return HullRow{}, err
	}
	row := HullRow{Exemplars: exemplars, Dimension: dimension, Points: points, MirrorIterations: o.Iterations}
	out := tensor.New(points, dimension)
	var r project.Report
	for range repeats {
		began := time.Now()
		if r, err = h.Project(ctx, out, x); err != nil {
			return row, err
		}
		row.Millis = fastest(1000*row.Millis, time.Since(began), 1) / 1000
	}
	began := time.Now()
	if _, err = m.Project(ctx, out, x); err != nil {
		return row, err
	}
	row.MirrorMillis = fastest(0, time.Since(began), 1) / 1000
	row.Ratio = row.MirrorMillis / row.Millis
	row.Iterations = float64(r.Iterations) / float64(points)
	row.Violation = r.ViolationAfter
	exact, published := make([]float64, points*exemplars), make([]float64, points*exemplars)
	if err := h.Weights(exact, x); err != nil {
		return row, err
	}
	if err := m.Weights(published, x); err != nil {
		return row, err
	}
	for i, w := range exact {
		row.MirrorDeviation = max(row.MirrorDeviation, w-published[i], published[i]-w)
	}
	return row, nil
}

// hullPoints returns normal exemplars and random combinations of them, not all
// convex, plus noise.
func hullPoints(seed uint64, exemplars, dimension, points int) (e, x tensor.Batch) {
	r := rand.New(rand.NewPCG(seed, 2))
	e, x = tensor.New(exemplars, dimension), tensor.New(points, dimension)
	for i := range e.Data {
		e.Data[i] = float32(r.NormFloat64())
	}
	for k := range points {
		row := x.Sample(k)
		for i := range exemplars {
			w := float32((1 + r.NormFloat64()) / float64(exemplars))
			for j, v := range e.Sample(i) {
				row[j] += w * v
			}
		}
		for j := range row {
			row[j] += float32(0.1 * r.NormFloat64())
		}
	}
	return e, x
}
