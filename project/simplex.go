package project

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/go-pcd/pcd/internal/ulp"
	"github.com/go-pcd/pcd/tensor"
)

// simplexSet is what [NewSimplex] returns.
type simplexSet struct{ total, cap float64 }

const simplexName = "simplex"

// NewSimplex returns the set of samples with elements in [0, cap] that sum to total. As
// for [NewAffine], the sum includes what rounding to float32 may do to it: it may
// miss total by 2^-22 of it. The violation is the farthest distance of an element
// from [0, cap] or of the sum from its band.
//
// The total is at least 0, and a cap of +Inf is none: the probability simplex is
// NewSimplex(1, math.Inf(1)).
func NewSimplex(total, limit float64) (Exact, error) {
	if err := checkNumber(simplexName, "total", total, 0, math.MaxFloat32, "a finite number, at least 0"); err != nil {
		return nil, err
	}
	if err := checkNumber(simplexName, "cap", limit, 0, inf, "a number, at least 0, or +Inf"); err != nil {
		return nil, err
	}
	return &simplexSet{total, limit}, nil
}

// Check implements [Set]. It returns an [InfeasibleError] when so many elements
// at the cap do not reach the total.
func (s *simplexSet) Check(shape tensor.Shape) error {
	if err := shape.Check(); err != nil {
		return err
	}
	if most := float64(shape.Size()) * s.cap; s.total > 0 && most < s.total {
		return &InfeasibleError{Set: simplexName, Sample: -1, Violation: s.total - most, Reason: "raise the cap or add elements"}
	}
	return nil
}

// Violation implements [Set].
func (s *simplexSet) Violation(dst []float64, x tensor.Batch) { violations(s, dst, x) }

// Project implements [Projector].
func (s *simplexSet) Project(ctx context.Context, dst, x tensor.Batch) (Report, error) {
	return projectRows(ctx, s, dst, x)
}

func (s *simplexSet) excess(x tensor.Batch, k int) float64 {
	e, sum := -inf, 0.0
	for _, v := range x.Sample(k) {
		e = max(e, -float64(v), float64(v)-s.cap)
		sum += float64(v)
	}
	return max(e, math.Abs(sum-s.total)-0x1p-22*s.total)
}

func (s *simplexSet) nearest(dst, x tensor.Batch, k int) outcome { return closedNearest(s, dst, x, k) }

func (s *simplexSet) round(dst []float32, x []float64, _ int) {
	most, _ := ulp.Cell(min(s.cap, math.MaxFloat32))
	for i, v := range x {
		dst[i] = min(float32(v), most)
	}
}

// threshold is a value of τ where element i of clip(x − τ, 0, cap) leaves 0 or,
// for lower τ, arrives at the cap.
type threshold struct {
	at     float64
	i      int
	capped bool
}

// ProjectExact implements [Exact]: x_i − τ clipped to [0, cap], where τ is lowered
// from threshold to threshold until the sum arrives at the total.
//
// Source: Held, Wolfe and Crowder, "Validation of subgradient optimization", 1974,
// extended by the cap.
func (s *simplexSet) ProjectExact(dst, x []float64, _ tensor.Shape, _ int) {
	copy(dst, x)
	if s.total == 0 {
		clear(dst)
		return
	}
	const below, free, full = 0, 1, 2
	state, n, capped := make([]int8, len(x)), 0, 0
	sum, last := 0.0, 0.0
	for _, t := range s.thresholds(dst) {
		if n > 0 {
			sum += float64(n) * (last - t.at)
		}
		last = t.at
		if t.capped {
			// What rounding took from an element before it got to the cap.
			sum += s.cap - (dst[t.i] - t.at)
		}
		if n > 0 && sum >= s.total {
			break
		}
		if state[t.i] = free; t.capped {
			state[t.i] = full
			capped, n = capped+1, n-1
		} else {
			n++
		}
	}
	// τ relative to the largest free element, which keeps its digits.
	top, rest := -inf, s.total-float64(capped)*capOf(s.cap, capped)
	for i, v := range dst {
		if state[i] == free {
			top = max(top, v)
		}
	}
	for i, v := range dst {
		if state[i] == free {
			rest -= v - top
		}
	}
	tau := -rest / float64(max(n, 1))
	for i, v := range dst {
		switch state[i] {
		case below:
			dst[i] = 0
		case free:
			dst[i] = min(max(v-top-tau, 0), s.cap)
		case full:
			dst[i] = s.cap
		}
	}
}

// capOf is the cap where an element has it, because 0·∞ is not a number.
func capOf(limit float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return limit
}

// thresholds returns the thresholds of x, from the highest.
func (s *simplexSet) thresholds(x []float64) []threshold {
	t := make([]threshold, 0, 2*len(x))
	for i, v := range x {
		t = append(t, threshold{v, i, false})
		if !math.IsInf(s.cap, 1) {
			t = append(t, threshold{v - s.cap, i, true})
		}
	}
	slices.SortFunc(t, func(a, b threshold) int {
		if c := cmp.Compare(b.at, a.at); c != 0 {
			return c
		}
		if a.capped != b.capped { // elements leave 0 before they get to the cap
			if a.capped {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.i, b.i)
	})
	return t
}
