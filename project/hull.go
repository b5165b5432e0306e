package project

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/go-pcd/pcd/tensor"
)

// Hull is the convex hull of a few samples, the exemplars. Convex combinations
// are hardly ever float32 vectors, so that membership includes their rounding: a
// sample belongs to the set when its distance from the hull is at most
//
//	band = 2^-23 max ‖e_i‖ + 2^-149 √d,
//
// twice the most by which the rounding of a point of the hull can miss. The
// violation is the distance less the band. See docs/adr/0007.
//
// The projection is exact: the weights come from the inner products with the
// exemplars, see [gramQP]. Where exemplars depend on each other affinely, the
// weights are not unique; the point is.
//
// Source: PCD, the convex-hull constraint of the image-pair experiment.
type Hull struct {
	shape  tensor.Shape
	m, d   int
	centre []float64   // mean of the exemplars
	points [][]float64 // exemplars less the mean
	gram   []float64
	band   float64
	pool   sync.Pool // of *hullScratch
}

const hullName = "convex hull"

// NewHull returns the hull of the rows of exemplars.
func NewHull(exemplars tensor.Batch) (*Hull, error) {
	if exemplars.N < 1 {
		return nil, &ParameterError{Set: hullName, Name: "number of exemplars", Value: 0, Want: "at least 1"}
	}
	if err := exemplars.CheckFinite(); err != nil {
		return nil, fmt.Errorf("project: %s: exemplar %w", hullName, err)
	}
	m, d := exemplars.N, exemplars.Size()
	h := &Hull{
		shape: append(tensor.Shape(nil), exemplars.Shape...), m: m, d: d,
		centre: make([]float64, d), points: make([][]float64, m), gram: make([]float64, m*m),
	}
	for i := range m {
		largest := 0.0
		for j, v := range exemplars.Sample(i) {
			h.centre[j] += float64(v) / float64(m)
			largest += float64(v) * float64(v)
		}
		h.band = max(h.band, 0x1p-23*math.Sqrt(largest)+0x1p-149*math.Sqrt(float64(d)))
	}
	for i := range m {
		h.points[i] = make([]float64, d)
		for j, v := range exemplars.Sample(i) {
			h.points[i][j] = float64(v) - h.centre[j]
		}
		for k := 0; k <= i; k++ {
			h.gram[i*m+k] = dot(h.points[i], h.points[k])
			h.gram[k*m+i] = h.gram[i*m+k]
		}
	}
	return h, nil
}

// Exemplars returns the number of exemplars, the length of the weights of a
// sample.
func (h *Hull) Exemplars() int { return h.m }

// Check implements [Set].
func (h *Hull) Check(shape tensor.Shape) error { return checkSize(hullName, shape, h.d) }

// Violation implements [Set]. The distance is that to the point that the weights
// give, an upper bound whatever the weights are.
func (h *Hull) Violation(dst []float64, x tensor.Batch) { violations(h, dst, x) }

// Project implements [Projector]. It reads the exemplars twice, whatever the number
// of rows: for the inner products and for the combinations.
func (h *Hull) Project(ctx context.Context, dst, x tensor.Batch) (Report, error) {
	if err := checkRows(ctx, h, dst, x); err != nil {
		return Report{}, err
	}
	s := h.scratch()
	defer h.pool.Put(s)
	s.begin(x.N, h.m)
	h.multiply(s, x)
	for k := range s.rows {
		r := &s.rows[k]
		r.iterations = s.weigh(s.weights[k*h.m : (k+1)*h.m])
		r.near = !h.surelyOutside(s.qp, r.square)
	}
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	h.combineFar(s, dst, x)
	var total Report
	for k := range s.rows {
		r := &s.rows[k]
		if r.near {
			copy(s.qp.weight, s.weights[k*h.m:])
			r.distance, r.missed = h.combineRow(s, x.Sample(k))
			if r.distance > h.band {
				copy(dst.Sample(k), s.rounded)
			} else {
				copy(dst.Sample(k), x.Sample(k))
			}
		}
		total = total.Merge(h.report(r))
	}
	return total, nil
}

// report judges a row. The distance of the result is measured from the point of the
// hull that it is the rounding of.
func (h *Hull) report(o *hullRow) Report {
	before := o.distance - h.band
	if before <= 0 {
		return Report{Samples: 1, ViolationBefore: before, ViolationAfter: before}
	}
	r := Report{
		Samples: 1, Moved: 1, Iterations: o.iterations, MaxIterations: o.iterations,
		ViolationBefore: before, ViolationAfter: o.missed - h.band,
	}
	if !(r.ViolationAfter <= 0) {
		r.Status = IterationLimit
	}
	return r
}

// surelyOutside reports whether the distance of a row from the hull exceeds the
// band, judged by its inner products, whose rounding is far below a part in 1e10 of
// the squares that they are made of.
func (h *Hull) surelyOutside(q *gramQP, square float64) bool {
	distance, scale := square, square
	for i, w := range q.weight {
		row := q.gram[i*h.m : (i+1)*h.m]
		distance += w * (dot(row, q.weight) - 2*q.b[i])
		scale = max(scale, row[i])
	}
	return distance > 1e-10*scale+4*h.band*h.band
}

// ProjectExact implements [Exact].
func (h *Hull) ProjectExact(dst, x []float64, _ tensor.Shape, _ int) {
	s := h.scratch()
	defer h.pool.Put(s)
	clear(s.qp.b)
	for lo := 0; lo < h.d; lo += hullChunk {
		hi := min(lo+hullChunk, h.d)
		v := s.chunk[:hi-lo]
		for j := range v {
			v[j] = x[lo+j] - h.centre[lo+j]
		}
		h.addProducts(s.qp.b, v, lo)
	}
	s.qp.solve()
	for lo := 0; lo < h.d; lo += hullChunk {
		h.combine(dst[lo:min(lo+hullChunk, h.d)], s.qp.weight, lo)
	}
}

// Weights writes the convex weights of the projections of the rows of x to dst,
// Exemplars numbers per row. It returns a [tensor.NonFiniteError] for input that
// is not finite.
func (h *Hull) Weights(dst []float64, x tensor.Batch) error {
	if err := h.Check(x.Shape); err != nil {
		return err
	}
	if err := x.CheckFinite(); err != nil {
		return err
	}
	s := h.scratch()
	defer h.pool.Put(s)
	s.begin(x.N, h.m)
	h.multiply(s, x)
	for k := range x.N {
		s.weigh(s.weights[k*h.m : (k+1)*h.m])
	}
	copy(dst, s.weights)
	return nil
}

func (h *Hull) excess(x tensor.Batch, k int) float64 {
	s := h.scratch()
	defer h.pool.Put(s)
	h.multiplyRow(s, x.Sample(k))
	s.qp.solve()
	distance, _ := h.combineRow(s, x.Sample(k))
	return distance - h.band
}
