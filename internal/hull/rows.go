package hull

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

// Chunk is the number of elements of a chunk. It fixes the order of summation.
const Chunk = 512

// Scratch is the state of a call.
type Scratch struct {
	QP      *QP
	chunk   []float64 // of a sample or a point of the hull
	Rounded []float32 // a point of the hull

	Rows    []Row
	Weights []float64 // of the rows; before they are known, the inner products
}

// Row is what is known of a row.
type Row struct {
	Square     float64 // of the distance from the mean of the exemplars
	Iterations int
	Near       bool    // perhaps a member
	Distance   float64 // from the hull
	Missed     float64 // by the rounding of the nearest point
}

// Begin makes room for rows of m weights, all zero.
func (s *Scratch) Begin(rows, m int) {
	if cap(s.Rows) < rows {
		s.Rows, s.Weights = make([]Row, rows), make([]float64, rows*m)
	}
	s.Rows, s.Weights = s.Rows[:rows], s.Weights[:rows*m]
	clear(s.Rows)
	clear(s.Weights)
}

// Weigh turns inner products into weights, which it leaves in the scratch as well.
func (s *Scratch) Weigh(w []float64) (iterations int) {
	copy(s.QP.B, w)
	iterations = s.QP.Solve()
	copy(w, s.QP.Weight)
	return iterations
}

// Multiply sets the squares of the rows and their inner products with the exemplars,
// all less the mean.
func (h *Polytope) Multiply(s *Scratch, x tensor.Batch) {
	for lo := 0; lo < h.D; lo += Chunk {
		hi := min(lo+Chunk, h.D)
		v := s.chunk[:hi-lo]
		for k := range s.Rows {
			s.Rows[k].Square += kernel.Center(v, x.Sample(k)[lo:hi], h.centre[lo:hi])
			h.addProducts(s.Weights[k*h.M:(k+1)*h.M], v, lo)
		}
	}
}

// MultiplyRow sets the inner products of the scratch for one row.
func (h *Polytope) MultiplyRow(s *Scratch, x []float32) {
	clear(s.QP.B)
	for lo := 0; lo < h.D; lo += Chunk {
		hi := min(lo+Chunk, h.D)
		v := s.chunk[:hi-lo]
		kernel.Center(v, x[lo:hi], h.centre[lo:hi])
		h.addProducts(s.QP.B, v, lo)
	}
}

// addProducts adds the inner products of the exemplars with the chunk v of a vector,
// from element lo on, to b.
func (h *Polytope) addProducts(b, v []float64, lo int) {
	for i := 0; i < h.M; i += 3 {
		sums := kernel.Dot3(v, h.three(i, lo, lo+len(v)))
		for k := range min(3, h.M-i) {
			b[i+k] += sums[k]
		}
	}
}

// three returns a part of three exemplars, from i on; beyond the last one, it
// repeats it.
func (h *Polytope) three(i, lo, hi int) [3][]float64 {
	last := h.M - 1
	return [3][]float64{h.points[i][lo:hi], h.points[min(i+1, last)][lo:hi], h.points[min(i+2, last)][lo:hi]}
}

// combine writes the elements from lo on of the combination of the exemplars with the
// given weights to v.
func (h *Polytope) combine(v, weights []float64, lo int) {
	hi := lo + len(v)
	base := h.centre[lo:hi]
	for i := 0; i < h.M; i += 3 {
		var w [3]float64
		copy(w[:], weights[i:])
		if w != ([3]float64{}) {
			kernel.Combine3(v, base, w, h.three(i, lo, hi))
			base = v
		}
	}
}

// CombineFar writes the nearest points of the rows that are not near, rounded, to dst
// and sets their distances.
func (h *Polytope) CombineFar(s *Scratch, dst, x tensor.Batch) {
	for lo := 0; lo < h.D; lo += Chunk {
		hi := min(lo+Chunk, h.D)
		v := s.chunk[:hi-lo]
		for k := range s.Rows {
			r := &s.Rows[k]
			if r.Near {
				continue
			}
			h.combine(v, s.Weights[k*h.M:(k+1)*h.M], lo)
			distance, missed := kernel.Apart(dst.Sample(k)[lo:hi], x.Sample(k)[lo:hi], v)
			r.Distance, r.Missed = r.Distance+distance, r.Missed+missed
		}
	}
	for k := range s.Rows {
		r := &s.Rows[k]
		r.Distance, r.Missed = math.Sqrt(r.Distance), math.Sqrt(r.Missed)
	}
}

// CombineRow writes the point of the hull with the weights of the scratch, rounded, to
// the scratch and returns how far x and the rounding are from it.
func (h *Polytope) CombineRow(s *Scratch, x []float32) (distance, missed float64) {
	for lo := 0; lo < h.D; lo += Chunk {
		hi := min(lo+Chunk, h.D)
		v := s.chunk[:hi-lo]
		h.combine(v, s.QP.Weight, lo)
		e, f := kernel.Apart(s.Rounded[lo:hi], x[lo:hi], v)
		distance, missed = distance+e, missed+f
	}
	return math.Sqrt(distance), math.Sqrt(missed)
}
