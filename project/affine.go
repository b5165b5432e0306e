package project

import (
	"context"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/tensor"
)

// affineSet is what [NewAffine] returns.
type affineSet struct {
	rows [][]float64 // q_i
	beta []float64
}

// affineRank is the part of a row of A, relative to its length, that has to be
// left when the rows before it are taken out for it to count.
const affineRank = 1e-10

// NewAffine returns the set of samples with A x = b. Hardly any float32 vector solves
// such equations exactly, so that membership includes what rounding to float32
// may do: with the rows of A made orthonormal, q_i·x = β_i,
//
//	|q_i·x − β_i| <= 2^-23 (Σ_j |q_ij x_j| + |β_i|) + 2^-149 Σ_j |q_ij|,
//
// which is twice the most by which the rounding of an exact solution can miss.
// The violation is by how much the largest |q_i·x − β_i| exceeds its band, a
// distance. See docs/adr/0007.
//
// Rows that repeat combinations of others are dropped; if they contradict them, the
// error is an [InfeasibleError].
func NewAffine(a [][]float64, b []float64) (Exact, error) {
	const set = "affine set"
	if len(a) != len(b) || len(a) == 0 {
		return nil, &sizeError{Set: set + ": right-hand sides", Shape: tensor.Shape{len(b)}, Want: max(1, len(a))}
	}
	s := new(affineSet)
	for i, row := range a {
		name := fmt.Sprintf("row %d", i)
		if len(row) != len(a[0]) {
			return nil, &sizeError{Set: set + ": " + name, Shape: tensor.Shape{len(row)}, Want: len(a[0])}
		}
		if err := checkVector(set, name, append(append([]float64(nil), row...), b[i])); err != nil {
			return nil, err
		}
		length := math.Sqrt(dot(row, row))
		if length == 0 && b[i] == 0 {
			continue
		}
		if length == 0 || math.IsInf(length, 0) {
			return nil, &ParameterError{Set: set, Name: "length of " + name, Value: length, Want: "a positive finite number"}
		}
		if err := s.add(i, row, b[i], length); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// add makes a row orthonormal to those before it, by Gram-Schmidt done twice.
func (s *affineSet) add(i int, row []float64, b, length float64) error {
	q, beta := make([]float64, len(row)), b/length
	for j, v := range row {
		q[j] = v / length
	}
	for range 2 {
		for k, p := range s.rows {
			c := dot(p, q)
			beta -= c * s.beta[k]
			for j := range q {
				q[j] -= c * p[j]
			}
		}
	}
	rest := math.Sqrt(dot(q, q))
	if rest < affineRank {
		if math.Abs(beta) > affineRank*(1+math.Abs(b/length)) {
			return &InfeasibleError{Set: "affine set", Sample: -1, Violation: math.Abs(beta), Reason: fmt.Sprintf("row %d contradicts the rows before it", i)}
		}
		return nil
	}
	for j := range q {
		q[j] /= rest
	}
	s.rows, s.beta = append(s.rows, q), append(s.beta, beta/rest)
	return nil
}

// Check implements [Set].
func (s *affineSet) Check(shape tensor.Shape) error {
	if len(s.rows) == 0 {
		return shape.Check()
	}
	return checkSize("affine set", shape, len(s.rows[0]))
}

// Violation implements [Set].
func (s *affineSet) Violation(dst []float64, x tensor.Batch) { violations(s, dst, x) }

// Project implements [Projector].
func (s *affineSet) Project(ctx context.Context, dst, x tensor.Batch) (Report, error) {
	return projectRows(ctx, s, dst, x)
}

// ProjectExact implements [Exact]. It subtracts the error a second and third time
// to make up for rounding when x is far away.
func (s *affineSet) ProjectExact(dst, x []float64, _ tensor.Shape, _ int) {
	copy(dst, x)
	for range 3 {
		for i, q := range s.rows {
			e := dot(q, dst) - s.beta[i]
			for j, v := range q {
				dst[j] -= e * v
			}
		}
	}
}

func (s *affineSet) excess(x tensor.Batch, k int) float64 {
	e := -inf
	for i, q := range s.rows {
		sum, size, length := 0.0, math.Abs(s.beta[i]), 0.0
		for j, v := range x.Sample(k) {
			t := q[j] * float64(v)
			sum += t
			size += math.Abs(t)
			length += math.Abs(q[j])
		}
		e = max(e, math.Abs(sum-s.beta[i])-(0x1p-23*size+0x1p-149*length))
	}
	return e
}

func (s *affineSet) nearest(dst, x tensor.Batch, k int) outcome { return closedNearest(s, dst, x, k) }

func (s *affineSet) round(dst []float32, x []float64, _ int) { roundNearest(dst, x) }
