package project

import (
	"context"
	"errors"
	"math"

	"github.com/go-pcd/pcd/internal/ulp"
	"github.com/go-pcd/pcd/tensor"
)

// IntersectionOptions are the knobs of [NewIntersection]; the zero value works.
type IntersectionOptions struct {
	// MaxIterations bounds the cycles over all sets; 0 stands for 10000. Where
	// sets meet at a small angle, convergence is slow.
	MaxIterations int
	// Tolerance is the change of the corrections in a cycle, relative to the
	// largest element, at which a sample is done; 0 stands for 1e-12, or 1e-7 when
	// a set can only project in float32.
	Tolerance float64
}

// intersectionSet is what [NewIntersection] returns.
type intersectionSet struct {
	sets    []Projector
	options IntersectionOptions
}

// NewIntersection returns the set of samples that are members of several sets. The
// violation is the largest one of its sets, each in its own units.
//
// Its projector is Dykstra's algorithm, sample by sample, in float64 as far as the
// sets are [Exact]. The result is then moved, by units in the last place, until
// every set accepts its float32 values. If the sets have no common point, or meet
// so narrowly that no float32 point was found, the status is IterationLimit with a
// positive ViolationAfter.
//
// Source: Boyle and Dykstra, 1986; the stopping rule is that of Birgin and Raydan,
// "Robust stopping criteria for Dykstra's algorithm", 2005.
//
// There is at least one set. The error is an [InfeasibleError] for a [Hull] and a box
// that one element of the samples separates.
func NewIntersection(o IntersectionOptions, sets ...Projector) (Exact, error) {
	const name = "intersection"
	if len(sets) == 0 {
		return nil, &ParameterError{Set: name, Name: "number of sets", Value: 0, Want: "at least 1"}
	}
	for i, s := range sets {
		if s == nil {
			return nil, &ParameterError{Set: name, Name: "missing set", Value: float64(i), Want: "a set at every place"}
		}
	}
	if o.MaxIterations < 0 {
		return nil, &ParameterError{Set: name, Name: "MaxIterations", Value: float64(o.MaxIterations), Want: "at least 0"}
	}
	if err := checkNumber(name, "Tolerance", o.Tolerance, 0, 1, "a number from 0 to 1"); err != nil {
		return nil, err
	}
	if err := apart(sets); err != nil {
		return nil, err
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 10000
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-12
		for _, s := range sets {
			if _, ok := s.(Exact); !ok {
				o.Tolerance = 1e-7
			}
		}
	}
	return &intersectionSet{append([]Projector(nil), sets...), o}, nil
}

// Check implements [Set].
func (n *intersectionSet) Check(shape tensor.Shape) error {
	var all []error
	for _, s := range n.sets {
		all = append(all, s.Check(shape))
	}
	return errors.Join(all...)
}

// Violation implements [Set].
func (n *intersectionSet) Violation(dst []float64, x tensor.Batch) { violations(n, dst, x) }

// Project implements [Projector]. Sets that are empty by themselves are errors.
func (n *intersectionSet) Project(ctx context.Context, dst, x tensor.Batch) (Report, error) {
	return projectRows(ctx, n, dst, x)
}

// ProjectExact implements [Exact] as far as its sets do.
func (n *intersectionSet) ProjectExact(dst, x []float64, shape tensor.Shape, sample int) {
	n.dykstra(dst, x, shape, sample)
}

func (n *intersectionSet) checkSample(x tensor.Batch, k int) error {
	for _, s := range n.sets {
		if c, ok := s.(sampleChecker); ok {
			if err := c.checkSample(x, k); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n *intersectionSet) excess(x tensor.Batch, k int) float64 {
	e := -inf
	var v [1]float64
	for _, s := range n.sets {
		s.Violation(v[:], x.Rows(k, k+1))
		e = max(e, v[0])
	}
	return e
}

func (n *intersectionSet) nearest(dst, x tensor.Batch, k int) outcome {
	p := make([]float64, x.Size())
	for i, v := range x.Sample(k) {
		p[i] = float64(v)
	}
	o := n.dykstra(p, p, x.Shape, x.First+k)
	n.settle(dst, k, p)
	return o
}

// dykstra writes the projection of x to dst.
func (n *intersectionSet) dykstra(dst, x []float64, shape tensor.Shape, sample int) outcome {
	size := len(x)
	corrections := make([]float64, len(n.sets)*size)
	y := make([]float64, size)
	copy(dst, x)
	scale := 0.0
	for _, v := range x {
		scale = max(scale, math.Abs(v))
	}
	o := outcome{status: IterationLimit}
	for o.iterations < n.options.MaxIterations {
		o.iterations++
		change := 0.0
		for i, s := range n.sets {
			c := corrections[i*size : (i+1)*size]
			for j := range y {
				y[j] = dst[j] + c[j]
			}
			projectOne(s, dst, y, shape, sample)
			for j := range y {
				d := y[j] - dst[j]
				change = max(change, math.Abs(d-c[j]))
				c[j] = d
			}
		}
		o.residual = change
		for _, v := range dst {
			scale = max(scale, math.Abs(v))
		}
		if change <= n.options.Tolerance*scale {
			o.status = Converged
			break
		}
	}
	return o
}

// projectOne projects one sample, through float32 when the set has nothing
// better.
func projectOne(s Projector, dst, x []float64, shape tensor.Shape, sample int) {
	if e, ok := s.(Exact); ok {
		e.ProjectExact(dst, x, shape, sample)
		return
	}
	b := tensor.Batch{N: 1, Shape: shape, First: sample, Data: make([]float32, len(x))}
	for i, v := range x {
		b.Data[i] = ulp.Finite(v)
	}
	// Errors were found by checkSample, and an inner failure leaves a violation.
	if _, err := s.Project(context.Background(), b, b); err != nil {
		copy(dst, x)
		return
	}
	for i, v := range b.Data {
		dst[i] = float64(v)
	}
}

// settleRounds bounds each part of settle. In the second one the inset doubles
// every other round.
const settleRounds = 60

// settle writes a float32 point near p to row k of dst that is a member of all
// sets. It starts at the rounding of p and goes round the sets that reject it:
// first to their float32 projections, then, where those end on each other's
// boundaries, beyond, by more and more units in the last place.
func (n *intersectionSet) settle(dst tensor.Batch, k int, p []float64) {
	at := dst.Rows(k, k+1)
	row := at.Data
	roundNearest(row, p)
	best, least := append([]float32(nil), row...), n.excess(dst, k)
	x, y := make([]float64, len(p)), make([]float64, len(p))
	inset := 0x1p-25
	for round := 0; round < 2*settleRounds && least > 0; round++ {
		for _, s := range n.sets {
			var v [1]float64
			if s.Violation(v[:], at); v[0] <= 0 {
				continue
			}
			if round < settleRounds {
				// An error leaves the row, and so its violation, as it is.
				_, _ = s.Project(context.Background(), at, at)
				continue
			}
			for i, e := range row {
				x[i] = float64(e)
			}
			projectOne(s, y, x, dst.Shape, dst.First+k)
			beyond(row, x, y, inset)
		}
		if e := n.excess(dst, k); e < least {
			least = e
			copy(best, row)
		}
		if round >= settleRounds && round%2 == 1 {
			inset *= 2
		}
	}
	copy(row, best)
}

// beyond writes the point that lies behind y as seen from x, by inset times the
// largest coordinate, to dst.
func beyond(dst []float32, x, y []float64, inset float64) {
	length, scale := 0.0, 0.0
	for i, v := range y {
		length += (v - x[i]) * (v - x[i])
		scale = max(scale, math.Abs(v))
	}
	f := 0.0
	if length > 0 {
		f = inset * scale / math.Sqrt(length)
	}
	for i, v := range y {
		dst[i] = ulp.Finite(v + f*(v-x[i]))
	}
}
