package project

import (
	"sync"

	"github.com/go-pcd/pcd/tensor"
)

// Exact is a [Projector] that can also project without rounding to float32.
// [NewIntersection] needs it to converge beyond the resolution of float32.
type Exact interface {
	Projector
	// ProjectExact writes to dst the projection of x, one finite sample of a shape
	// that passes Check, both in float64. dst may be x. The result is a member up
	// to the tolerance of the method in float64.
	ProjectExact(dst, x []float64, shape tensor.Shape, sample int)
}

// closedForm is a set whose projection is a formula. It gets its [Projector]
// methods from the functions below.
type closedForm interface {
	rowSet
	Exact
	// round writes x, a projection in float64, to dst so that it is a member.
	round(dst []float32, x []float64, sample int)
}

// rowScratch holds *[]float64 for closedNearest.
var rowScratch sync.Pool

// closedNearest implements nearest of a rowSet.
func closedNearest(s closedForm, dst, x tensor.Batch, k int) outcome {
	row := x.Sample(k)
	scratch, _ := rowScratch.Get().(*[]float64)
	if scratch == nil {
		scratch = new([]float64)
	}
	defer rowScratch.Put(scratch)
	if cap(*scratch) < len(row) {
		*scratch = make([]float64, len(row))
	}
	p := (*scratch)[:len(row)]
	for i, v := range row {
		p[i] = float64(v)
	}
	s.ProjectExact(p, p, x.Shape, x.First+k)
	s.round(dst.Sample(k), p, x.First+k)
	return outcome{}
}

// roundNearest is round for sets that have room for rounding.
func roundNearest(dst []float32, x []float64) {
	for i, v := range x {
		dst[i] = float32(v)
	}
}
