package lawtest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/go-pcd/pcd/tensor"
)

// nonExpansive: projections are not farther apart than their inputs. Sets with
// parameters per sample are compared within a sample.
func nonExpansive(s *ProjectorSuite) error {
	r := rand.New(rand.NewPCG(s.Seed, 0x6e6f6e))
	for _, apart := range []float64{1, 0.1, 1e-3} {
		x := s.inputs()
		y := x.Clone()
		for k := range y.N {
			other := make([]float32, y.Size())
			s.Input(r, other)
			for i, v := range other {
				y.Sample(k)[i] += float32(apart * (float64(v) - float64(y.Sample(k)[i])))
			}
		}
		px, _, err := s.project(x)
		if err != nil {
			return err
		}
		py, _, err := s.project(y)
		if err != nil {
			return err
		}
		for k := range x.N {
			slack := s.slack(x.Rows(k, k+1), y.Rows(k, k+1), px.Rows(k, k+1), py.Rows(k, k+1))
			in, out := distance(x.Sample(k), y.Sample(k)), distance(px.Sample(k), py.Sample(k))
			if out > in+slack {
				return fmt.Errorf("sample %d: inputs %g apart have projections %g apart, more than the tolerance %g allows", x.First+k, in, out, slack)
			}
		}
	}
	return nil
}

// slack is the error of a distance that the tolerance of the suite accepts.
func (s *ProjectorSuite) slack(b ...tensor.Batch) float64 {
	return s.Tolerance * largest(b...) * math.Sqrt(float64(s.Shape.Size()))
}

// optimal: no member is nearer. Members to compare with are projections of other
// points, all points on the way to them, and random neighbours of the result.
func optimal(s *ProjectorSuite) error {
	r := rand.New(rand.NewPCG(s.Seed, 0x6f7074))
	x := s.inputs()
	y, _, err := s.project(x)
	if err != nil {
		return err
	}
	for range 4 {
		m := s.batch()
		for k := range m.N {
			s.Input(r, m.Sample(k))
		}
		others, _, err := s.project(m)
		if err != nil {
			return err
		}
		for k := range x.N {
			if gain, slack := slope(x.Sample(k), y.Sample(k), others.Sample(k), s.slack(x.Rows(k, k+1), y.Rows(k, k+1))); gain > slack {
				return fmt.Errorf("sample %d: the way to another member comes nearer, %g, rounding explains %g", x.First+k, gain, slack)
			}
		}
	}
	return s.bruteForce(r, x, y)
}

// slope returns (x − y)·(m − y), which is at most 0 when y is the projection of x
// onto a convex set with the member m, and by how much errors of the size given,
// of y and m, can change it.
func slope(x, y, m []float32, size float64) (dot, slack float64) {
	for i, v := range y {
		dot += (float64(x[i]) - float64(v)) * (float64(m[i]) - float64(v))
	}
	return dot, size * (distance(x, y) + distance(m, y))
}

// bruteForce tries random neighbours of the results y.
func (s *ProjectorSuite) bruteForce(r *rand.Rand, x, y tensor.Batch) error {
	v := make([]float64, x.N)
	for trial := range 300 {
		m := y.Clone()
		m.First = s.First
		for k := range m.N {
			radius := distance(x.Sample(k), y.Sample(k)) * math.Pow(10, -3*r.Float64())
			row := m.Sample(k)
			for i := range row {
				if trial%2 == 0 || r.IntN(len(row)) == 0 { // all elements, or a few
					row[i] += float32(radius * r.NormFloat64() / math.Sqrt(float64(len(row))))
				}
			}
		}
		s.Projector.Violation(v, m)
		for k := range x.N {
			slack := s.slack(x.Rows(k, k+1), y.Rows(k, k+1))
			found, got := distance(x.Sample(k), m.Sample(k)), distance(x.Sample(k), y.Sample(k))
			if v[k] <= 0 && found < got-slack {
				return fmt.Errorf("sample %d: distance %g, but a neighbour of the result is a member at %g", x.First+k, got, found)
			}
		}
	}
	return nil
}
