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

type hullScratch struct {
	qp    *gramQP
	point []float64 // nearest point
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

// Project implements [Projector].
func (h *Hull) Project(ctx context.Context, dst, x tensor.Batch) (Report, error) {
	if err := checkRows(ctx, h, dst, x); err != nil {
		return Report{}, err
	}
	s := h.scratch()
	defer h.pool.Put(s)
	products := make([]float64, x.N*h.m)
	for lo := 0; lo < h.d; lo += hullChunk {
		for k := range x.N {
			innerProducts(products[k*h.m:(k+1)*h.m], h, x.Sample(k), lo, min(lo+hullChunk, h.d))
		}
	}
	var total Report
	for k := range x.N {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		copy(s.qp.b, products[k*h.m:])
		total = total.Merge(h.project(s, dst.Sample(k), x.Sample(k)))
	}
	return total, nil
}

// project is Project for one sample whose inner products are in s. The distance of the result is measured from
// the point of the hull that it is the rounding of.
func (h *Hull) project(s *hullScratch, dst, x []float32) Report {
	iterations, _ := s.qp.solve()
	before := combine(h, s, x) - h.band
	if before <= 0 {
		copy(dst, x)
		return Report{Samples: 1, ViolationBefore: before, ViolationAfter: before}
	}
	missed := roundApart(dst, s.point)
	r := Report{
		Samples: 1, Moved: 1, Iterations: iterations, MaxIterations: iterations,
		ViolationBefore: before, ViolationAfter: missed - h.band,
	}
	if !(r.ViolationAfter <= 0) {
		r.Status = IterationLimit
	}
	return r
}

// roundApart rounds x to dst and returns by how far the two are apart.
func roundApart(dst []float32, x []float64) float64 {
	dst = dst[:len(x)]
	even, odd := 0.0, 0.0 // sums that do not wait for each other
	j := 1
	for ; j < len(x); j += 2 {
		v, w := float32(x[j-1]), float32(x[j])
		dst[j-1], dst[j] = v, w
		e, f := float64(v)-x[j-1], float64(w)-x[j]
		even += e * e
		odd += f * f
	}
	if j == len(x) {
		dst[j-1] = float32(x[j-1])
		e := float64(dst[j-1]) - x[j-1]
		even += e * e
	}
	return math.Sqrt(even + odd)
}

// ProjectExact implements [Exact].
func (h *Hull) ProjectExact(dst, x []float64, _ tensor.Shape, _ int) {
	s := h.scratch()
	defer h.pool.Put(s)
	hullNearest(h, s, x)
	copy(dst, s.point)
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
	for k := range x.N {
		hullNearest(h, s, x.Sample(k))
		copy(dst[k*h.m:(k+1)*h.m], s.qp.weight)
	}
	return nil
}

func (h *Hull) scratch() *hullScratch {
	if s, ok := h.pool.Get().(*hullScratch); ok {
		return s
	}
	s := &hullScratch{qp: newGramQP(h.m), point: make([]float64, h.d)}
	s.qp.gram = h.gram
	return s
}

func (h *Hull) excess(x tensor.Batch, k int) float64 {
	s := h.scratch()
	defer h.pool.Put(s)
	_, distance := hullNearest(h, s, x.Sample(k))
	return distance - h.band
}

func (h *Hull) nearest(dst, x tensor.Batch, k int) outcome {
	s := h.scratch()
	defer h.pool.Put(s)
	hullNearest(h, s, x.Sample(k))
	r := h.project(s, dst.Sample(k), x.Sample(k))
	return outcome{r.Status, r.Iterations, r.Residual}
}

// hullNearest leaves the nearest point and its weights in s and returns the
// distance of x from it.
func hullNearest[F float](h *Hull, s *hullScratch, x []F) (iterations int, distance float64) {
	clear(s.qp.b)
	for lo := 0; lo < h.d; lo += hullChunk {
		innerProducts(s.qp.b, h, x, lo, min(lo+hullChunk, h.d))
	}
	iterations, _ = s.qp.solve()
	return iterations, combine(h, s, x)
}

// hullChunk is the number of elements worked on at a time, so that those of all
// exemplars stay in the first cache. It fixes the order of summation.
const hullChunk = 512

// combine writes the point of the hull with the weights of s to its point and
// returns the distance of x from it.
func combine[F float](h *Hull, s *hullScratch, x []F) float64 {
	sum := 0.0
	for lo := 0; lo < h.d; lo += hullChunk {
		hi := min(lo+hullChunk, h.d)
		point := s.point[lo:hi]
		copy(point, h.centre[lo:hi])
		for i := 0; i < h.m; i += 3 {
			h.addThree(point, s.qp.weight, i, lo, hi)
		}
		sum += squaredApart(x[lo:hi], point)
	}
	return math.Sqrt(sum)
}

// squaredApart returns ‖x − y‖².
func squaredApart[F float](x []F, y []float64) float64 {
	y = y[:len(x)]
	even, odd := 0.0, 0.0
	j := 1
	for ; j < len(x); j += 2 {
		e, f := float64(x[j-1])-y[j-1], float64(x[j])-y[j]
		even += e * e
		odd += f * f
	}
	if j == len(x) {
		e := float64(x[j-1]) - y[j-1]
		even += e * e
	}
	return even + odd
}

// addThree adds the part of elements lo to hi of three weighted exemplars, from i
// on, to point.
func (h *Hull) addThree(point, weight []float64, i, lo, hi int) {
	var w [3]float64
	copy(w[:], weight[i:])
	if w == ([3]float64{}) {
		return
	}
	p, q, r := h.three(i, lo, hi)
	q, r = q[:len(p)], r[:len(p)]
	point = point[:len(p)]
	for j, e := range p {
		point[j] += (w[0]*e + w[1]*q[j]) + w[2]*r[j]
	}
}

// three returns a part of three exemplars, from i on; beyond the last one, it
// repeats it.
func (h *Hull) three(i, lo, hi int) (p, q, r []float64) {
	last := h.m - 1
	return h.points[i][lo:hi], h.points[min(i+1, last)][lo:hi], h.points[min(i+2, last)][lo:hi]
}

// innerProducts adds the part of elements lo to hi of the inner products of x
// with the exemplars, both less the mean, to b: three exemplars at a time, and
// even and odd elements apart, so that sums do not wait for each other.
func innerProducts[F float](b []float64, h *Hull, x []F, lo, hi int) {
	x, c := x[lo:hi], h.centre[lo:hi]
	c = c[:len(x)]
	for i := 0; i < h.m; i += 3 {
		p, q, r := h.three(i, lo, hi)
		p, q, r = p[:len(x)], q[:len(x)], r[:len(x)]
		var s, t, u, s1, t1, u1 float64
		j := 1
		for ; j < len(x); j += 2 {
			v, v1 := float64(x[j-1])-c[j-1], float64(x[j])-c[j]
			s += v * p[j-1]
			t += v * q[j-1]
			u += v * r[j-1]
			s1 += v1 * p[j]
			t1 += v1 * q[j]
			u1 += v1 * r[j]
		}
		if j == len(x) {
			v := float64(x[j-1]) - c[j-1]
			s, t, u = s+v*p[j-1], t+v*q[j-1], u+v*r[j-1]
		}
		sums := [3]float64{s + s1, t + t1, u + u1}
		for k := range min(3, h.m-i) {
			b[i+k] += sums[k]
		}
	}
}
