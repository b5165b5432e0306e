package cost

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/tensor"
)

// DPP rewards samples, read as vectors, for being orthogonal, as a determinantal
// point process does: the negative log determinant of the Gram matrix of their
// unit vectors,
//
//	c(x, y) = - ln max(|1 - s²|, Floor),  s = cos∠(x, y)
//
// It treats parallel and opposite samples alike. Where the floor is active, and
// for a vector that is zero, the gradient is 0. Source: the reference
// implementation of PCD; the paper states [LogCosine].
type DPP struct {
	Floor float64 // smallest determinant; 0 is 1e-7
}

// Add implements [Cost].
func (c DPP) Add(_ context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	floor := c.Floor
	if floor == 0 {
		floor = 1e-7
	}
	addCosine(value, grad, x, weight, func(s float64) (float64, float64) {
		det := math.Abs(1 - s*s)
		if det <= floor {
			return -math.Log(floor), 0
		}
		return -math.Log(det), 2 * s / (1 - s*s)
	})
	return nil
}

// Check implements [Cost].
func (c DPP) Check(shapes []tensor.Shape) error {
	if c.Floor < 0 || c.Floor >= 1 || math.IsNaN(c.Floor) {
		return &parameterError{Cost: "DPP", Name: "Floor", Value: c.Floor, Want: "a number between 0 and 1"}
	}
	return checkPair("DPP", shapes)
}

// Symmetric implements [Symmetric].
func (c DPP) Symmetric() bool { return true }

// LogCosine rewards samples, read as vectors, for pointing in opposite
// directions:
//
//	c(x, y) = ln(cos∠(x, y) + Epsilon),  Epsilon > 1
//
// The gradient of a vector that is zero is 0. Source: PCD, the "DPP" cost as the
// paper states it; its code uses [DPP].
type LogCosine struct {
	Epsilon float64 // keeps the logarithm finite; 0 is 1.001
}

// Add implements [Cost].
func (c LogCosine) Add(_ context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	eps := c.Epsilon
	if eps == 0 {
		eps = 1.001
	}
	addCosine(value, grad, x, weight, func(s float64) (float64, float64) {
		return math.Log(s + eps), 1 / (s + eps)
	})
	return nil
}

// Check implements [Cost].
func (c LogCosine) Check(shapes []tensor.Shape) error {
	if c.Epsilon != 0 && !(c.Epsilon > 1) || math.IsInf(c.Epsilon, 0) {
		return &parameterError{Cost: "log cosine", Name: "Epsilon", Value: c.Epsilon, Want: "a number above 1"}
	}
	return checkPair("log cosine", shapes)
}

// Symmetric implements [Symmetric].
func (c LogCosine) Symmetric() bool { return true }

// addCosine adds a function of the cosine between the samples of a pair, given
// with its slope.
func addCosine(value []float64, grad, x []tensor.Batch, weight float64, f func(s float64) (value, slope float64)) {
	for k := range x[0].N {
		a, b := x[0].Sample(k), x[1].Sample(k)
		s, na, nb := cosine(a, b)
		v, slope := f(s)
		if value != nil {
			value[k] += weight * v
		}
		if grad == nil || slope == 0 || na == 0 || nb == 0 {
			continue
		}
		// d s / d a = (b̂ - s â) / ‖a‖
		ga, gb := grad[0].Sample(k), grad[1].Sample(k)
		wa, wb := weight*slope/na, weight*slope/nb
		for i := range a {
			ua, ub := float64(a[i])/na, float64(b[i])/nb
			ga[i] += float32(wa * (ub - s*ua))
			gb[i] += float32(wb * (ua - s*ub))
		}
	}
}

// cosine returns the cosine of the angle between two vectors, 0 when one of them
// is zero, and their norms.
func cosine(a, b []float32) (s, na, nb float64) {
	var ab, aa, bb float64
	for i, v := range a {
		p, q := float64(v), float64(b[i])
		ab += p * q
		aa += p * p
		bb += q * q
	}
	na, nb = math.Sqrt(aa), math.Sqrt(bb)
	if na == 0 || nb == 0 {
		return 0, na, nb
	}
	return ab / (na * nb), na, nb
}
