package lawtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// ProjectorSuite is a projector and what to hold it to.
type ProjectorSuite struct {
	Projector project.Projector
	Shape     tensor.Shape // of one sample
	// Input draws the elements of one sample. Draw members, near members and far
	// points; nil stands for normal numbers of scales from 1e-3 to 1e3.
	Input func(r *rand.Rand, x []float32)
	// NotConvex drops the laws that hold on convex sets only: non-expansive and
	// optimal.
	NotConvex bool
	// Tolerance is the error of results that is accepted in the comparison of
	// distances, relative to the largest element at hand; 0 stands for 1e-6. Being
	// a member has no tolerance.
	Tolerance float64
	// Rows is the number of samples drawn; 0 stands for 48.
	Rows int
	// First is the number of the first sample, for sets with parameters per
	// sample.
	First int
	// Seed of the inputs.
	Seed uint64
}

// laws are checked in this order.
var laws = []struct {
	name   string
	check  func(*ProjectorSuite) error
	convex bool
}{
	{"feasible", feasible, false},
	{"idempotent", idempotent, false},
	{"identity on members", identity, false},
	{"input untouched", untouched, false},
	{"in place", inPlace, false},
	{"rows independent", rowsIndependent, false},
	{"concurrent", concurrent, false},
	{"non-finite input", nonFinite, false},
	{"cancelled", cancelled, false},
	{"reports add up", reportsAddUp, false},
	{"non-expansive", nonExpansive, true},
	{"optimal", optimal, true},
}

// Projector checks every law in a sub-test.
func Projector(t *testing.T, s ProjectorSuite) {
	t.Helper()
	s.defaults()
	for _, law := range laws {
		if law.convex && s.NotConvex {
			continue
		}
		t.Run(law.name, func(t *testing.T) {
			if err := law.check(&s); err != nil {
				t.Error(err)
			}
		})
	}
}

// CheckProjector returns an error that names the broken laws, or nil.
func CheckProjector(s ProjectorSuite) error {
	s.defaults()
	var all []error
	for _, law := range laws {
		if law.convex && s.NotConvex {
			continue
		}
		if err := law.check(&s); err != nil {
			all = append(all, fmt.Errorf("%s: %w", law.name, err))
		}
	}
	return errors.Join(all...)
}

func (s *ProjectorSuite) defaults() {
	if s.Rows == 0 {
		s.Rows = 48
	}
	if s.Tolerance == 0 {
		s.Tolerance = 1e-6
	}
	if s.Input == nil {
		s.Input = func(r *rand.Rand, x []float32) {
			scale := math.Pow(10, 6*r.Float64()-3)
			for i := range x {
				x[i] = float32(scale * r.NormFloat64())
			}
		}
	}
}

// inputs draws the samples.
func (s *ProjectorSuite) inputs() tensor.Batch {
	r := rand.New(rand.NewPCG(s.Seed, 0x70726f6a))
	x := s.batch()
	for k := range x.N {
		s.Input(r, x.Sample(k))
	}
	return x
}

func (s *ProjectorSuite) batch() tensor.Batch {
	b := tensor.New(s.Rows, s.Shape...)
	b.First = s.First
	return b
}

// project projects x to new memory.
func (s *ProjectorSuite) project(x tensor.Batch) (tensor.Batch, project.Report, error) {
	out := tensor.New(x.N, x.Shape...)
	out.First = x.First
	r, err := s.Projector.Project(context.Background(), out, x)
	if err != nil {
		return out, r, fmt.Errorf("projection: %w", err)
	}
	return out, r, nil
}

// difference returns an error that names the first element in which two batches
// differ in their bits.
func difference(what string, got, want tensor.Batch) error {
	for i, v := range got.Data {
		if math.Float32bits(v) != math.Float32bits(want.Data[i]) {
			n := got.Size()
			return fmt.Errorf("%s: sample %d, element %d is %v, want %v", what, got.First+i/n, i%n, v, want.Data[i])
		}
	}
	return nil
}

func largest(batches ...tensor.Batch) (m float64) {
	for _, b := range batches {
		for _, v := range b.Data {
			m = max(m, math.Abs(float64(v)))
		}
	}
	return m
}

// distance returns the Euclidean distance of two samples.
func distance(a, b []float32) float64 {
	s := 0.0
	for i, v := range a {
		d := float64(v) - float64(b[i])
		s += d * d
	}
	return math.Sqrt(s)
}
