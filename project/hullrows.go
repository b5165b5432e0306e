package project

import (
	"math"

	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/tensor"
)

// The long vectors of a hull are worked on in chunks that stay in the first cache,
// all rows of a batch for one chunk before the next, so that samples and exemplars
// come from memory once per pass. Sums of a row grow chunk by chunk and do not depend
// on the other rows. For 25 rows of 16384 elements and 2 to 6 exemplars, a projection
// takes 0.8 to 1.2 ms on one thread of a busy machine.

// hullChunk is the number of elements of a chunk. It fixes the order of summation.
const hullChunk = 512

// hullScratch is the state of a call.
type hullScratch struct {
	qp      *gramQP
	chunk   []float64 // of a sample or a point of the hull
	rounded []float32 // a point of the hull

	rows    []hullRow
	weights []float64 // of the rows; before they are known, the inner products
}

// hullRow is what is known of a row.
type hullRow struct {
	square     float64 // of the distance from the mean of the exemplars
	iterations int
	near       bool    // perhaps a member
	distance   float64 // from the hull
	missed     float64 // by the rounding of the nearest point
}

func (h *Hull) scratch() *hullScratch {
	if s, ok := h.pool.Get().(*hullScratch); ok {
		return s
	}
	s := &hullScratch{qp: newGramQP(h.m), chunk: make([]float64, min(hullChunk, h.d)), rounded: make([]float32, h.d)}
	s.qp.gram = h.gram
	return s
}

// begin makes room for rows of m weights, all zero.
func (s *hullScratch) begin(rows, m int) {
	if cap(s.rows) < rows {
		s.rows, s.weights = make([]hullRow, rows), make([]float64, rows*m)
	}
	s.rows, s.weights = s.rows[:rows], s.weights[:rows*m]
	clear(s.rows)
	clear(s.weights)
}

// weigh turns inner products into weights, which it leaves in the scratch as well.
func (s *hullScratch) weigh(w []float64) (iterations int) {
	copy(s.qp.b, w)
	iterations, _ = s.qp.solve()
	copy(w, s.qp.weight)
	return iterations
}

// multiply sets the squares of the rows and their inner products with the exemplars,
// all less the mean.
func (h *Hull) multiply(s *hullScratch, x tensor.Batch) {
	for lo := 0; lo < h.d; lo += hullChunk {
		hi := min(lo+hullChunk, h.d)
		v := s.chunk[:hi-lo]
		for k := range s.rows {
			s.rows[k].square += kernel.Center(v, x.Sample(k)[lo:hi], h.centre[lo:hi])
			h.addProducts(s.weights[k*h.m:(k+1)*h.m], v, lo)
		}
	}
}

// multiplyRow sets the inner products of the scratch for one row.
func (h *Hull) multiplyRow(s *hullScratch, x []float32) {
	clear(s.qp.b)
	for lo := 0; lo < h.d; lo += hullChunk {
		hi := min(lo+hullChunk, h.d)
		v := s.chunk[:hi-lo]
		kernel.Center(v, x[lo:hi], h.centre[lo:hi])
		h.addProducts(s.qp.b, v, lo)
	}
}

// addProducts adds the inner products of the exemplars with the chunk v of a vector,
// from element lo on, to b.
func (h *Hull) addProducts(b, v []float64, lo int) {
	for i := 0; i < h.m; i += 3 {
		sums := kernel.Dot3(v, h.three(i, lo, lo+len(v)))
		for k := range min(3, h.m-i) {
			b[i+k] += sums[k]
		}
	}
}

// three returns a part of three exemplars, from i on; beyond the last one, it
// repeats it.
func (h *Hull) three(i, lo, hi int) [3][]float64 {
	last := h.m - 1
	return [3][]float64{h.points[i][lo:hi], h.points[min(i+1, last)][lo:hi], h.points[min(i+2, last)][lo:hi]}
}

// combine writes the elements from lo on of the combination of the exemplars with the
// given weights to v.
func (h *Hull) combine(v, weights []float64, lo int) {
	hi := lo + len(v)
	base := h.centre[lo:hi]
	for i := 0; i < h.m; i += 3 {
		var w [3]float64
		copy(w[:], weights[i:])
		if w != ([3]float64{}) {
			kernel.Combine3(v, base, w, h.three(i, lo, hi))
			base = v
		}
	}
}

// combineFar writes the nearest points of the rows that are not near, rounded, to dst
// and sets their distances.
func (h *Hull) combineFar(s *hullScratch, dst, x tensor.Batch) {
	for lo := 0; lo < h.d; lo += hullChunk {
		hi := min(lo+hullChunk, h.d)
		v := s.chunk[:hi-lo]
		for k := range s.rows {
			r := &s.rows[k]
			if r.near {
				continue
			}
			h.combine(v, s.weights[k*h.m:(k+1)*h.m], lo)
			distance, missed := kernel.Apart(dst.Sample(k)[lo:hi], x.Sample(k)[lo:hi], v)
			r.distance, r.missed = r.distance+distance, r.missed+missed
		}
	}
	for k := range s.rows {
		r := &s.rows[k]
		r.distance, r.missed = math.Sqrt(r.distance), math.Sqrt(r.missed)
	}
}

// combineRow writes the point of the hull with the weights of the scratch, rounded, to
// the scratch and returns how far x and the rounding are from it.
func (h *Hull) combineRow(s *hullScratch, x []float32) (distance, missed float64) {
	for lo := 0; lo < h.d; lo += hullChunk {
		hi := min(lo+hullChunk, h.d)
		v := s.chunk[:hi-lo]
		h.combine(v, s.qp.weight, lo)
		e, f := kernel.Apart(s.rounded[lo:hi], x[lo:hi], v)
		distance, missed = distance+e, missed+f
	}
	return math.Sqrt(distance), math.Sqrt(missed)
}
