// Package hull finds nearest points in the convex hull of a few long vectors, the
// exemplars, from inner products with them alone. It is what the exact projection
// and the published iteration onto a hull have in common.
//
// A [Polytope] is immutable and may be used concurrently. Its [Scratch] is pooled
// and belongs to one call at a time.
package hull

import (
	"math"
	"sync"

	"github.com/go-pcd/pcd/tensor"
)

// Polytope is the convex hull of M exemplars in D dimensions.
type Polytope struct {
	M, D int
	Gram []float64 // inner products of the exemplars less their mean, [M, M]
	// Band is twice the most by which rounding a point of the hull to float32 can
	// miss.
	Band   float64
	centre []float64   // mean of the exemplars
	points [][]float64 // exemplars less the mean
	pool   sync.Pool   // of *Scratch
}

// Range returns the least and the largest value of an element among the exemplars.
func (h *Polytope) Range(element int) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, p := range h.points {
		v := h.centre[element] + p[element]
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// New returns the hull of the rows of exemplars: finite ones, at least one.
func New(exemplars tensor.Batch) *Polytope {
	m, d := exemplars.N, exemplars.Size()
	h := &Polytope{M: m, D: d, centre: make([]float64, d), points: make([][]float64, m), Gram: make([]float64, m*m)}
	for i := range m {
		largest := 0.0
		for j, v := range exemplars.Sample(i) {
			h.centre[j] += float64(v) / float64(m)
			largest += float64(v) * float64(v)
		}
		h.Band = max(h.Band, 0x1p-23*math.Sqrt(largest)+0x1p-149*math.Sqrt(float64(d)))
	}
	for i := range m {
		h.points[i] = make([]float64, d)
		for j, v := range exemplars.Sample(i) {
			h.points[i][j] = float64(v) - h.centre[j]
		}
		for k := 0; k <= i; k++ {
			h.Gram[i*m+k] = Dot(h.points[i], h.points[k])
			h.Gram[k*m+i] = h.Gram[i*m+k]
		}
	}
	return h
}

// Scratch returns one from the pool; [Polytope.Put] returns it.
func (h *Polytope) Scratch() *Scratch {
	if s, ok := h.pool.Get().(*Scratch); ok {
		return s
	}
	s := &Scratch{QP: newQP(h.M), chunk: make([]float64, min(Chunk, h.D)), Rounded: make([]float32, h.D)}
	s.QP.Gram = h.Gram
	return s
}

// Put returns a scratch to the pool.
func (h *Polytope) Put(s *Scratch) { h.pool.Put(s) }

// SurelyOutside reports whether the distance of a row from the hull exceeds the
// band, judged by its inner products, whose rounding is far below a part in 1e10 of
// the squares that they are made of.
func (h *Polytope) SurelyOutside(q *QP, square float64) bool {
	distance, scale := square, square
	for i, w := range q.Weight {
		row := q.Gram[i*h.M : (i+1)*h.M]
		distance += w * (Dot(row, q.Weight) - 2*q.B[i])
		scale = max(scale, row[i])
	}
	return distance > 1e-10*scale+4*h.Band*h.Band
}

// Nearest writes the point of the hull nearest to x to dst, both in float64.
func (h *Polytope) Nearest(dst, x []float64) {
	s := h.Scratch()
	defer h.Put(s)
	clear(s.QP.B)
	for lo := 0; lo < h.D; lo += Chunk {
		hi := min(lo+Chunk, h.D)
		v := s.chunk[:hi-lo]
		for j := range v {
			v[j] = x[lo+j] - h.centre[lo+j]
		}
		h.addProducts(s.QP.B, v, lo)
	}
	s.QP.Solve()
	for lo := 0; lo < h.D; lo += Chunk {
		h.combine(dst[lo:min(lo+Chunk, h.D)], s.QP.Weight, lo)
	}
}
