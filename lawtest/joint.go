package lawtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// JointSuite is a constraint set of several variables and what to hold it to. Its
// laws are those of a [ProjectorSuite], with tuples for rows.
type JointSuite struct {
	Joint  project.Joint
	Shapes []tensor.Shape // of one sample of each variable
	// Input draws one tuple: the elements of each variable. Draw members, near
	// members and far tuples; nil stands for normal numbers of scales from 1e-3 to
	// 1e3.
	Input func(r *rand.Rand, x [][]float32)

	// The others are as in a [ProjectorSuite].
	NotConvex bool
	Tolerance float64
	Rows      int
	First     int
	Seed      uint64
}

// Joint checks every law in a sub-test.
func Joint(t *testing.T, s JointSuite) {
	t.Helper()
	Projector(t, s.suite())
}

// CheckJoint returns an error that names the broken laws, or nil.
func CheckJoint(s JointSuite) error { return CheckProjector(s.suite()) }

// suite returns the suite of the set whose samples are tuples laid end to end.
func (s JointSuite) suite() ProjectorSuite {
	j := joined{s.Joint, s.Shapes}
	out := ProjectorSuite{
		Projector: j, Shape: tensor.Shape{j.size()},
		NotConvex: s.NotConvex, Tolerance: s.Tolerance, Rows: s.Rows, First: s.First, Seed: s.Seed,
	}
	if s.Input == nil {
		return out
	}
	out.Input = func(r *rand.Rand, x []float32) {
		tuple := make([][]float32, len(s.Shapes))
		for v, shape := range s.Shapes {
			n := shape.Size()
			tuple[v], x = x[:n:n], x[n:]
		}
		s.Input(r, tuple)
	}
	return out
}

// joined makes a [project.Joint] a [project.Projector] of tuples laid end to end.
type joined struct {
	joint  project.Joint
	shapes []tensor.Shape
}

func (j joined) size() (n int) {
	for _, s := range j.shapes {
		n += s.Size()
	}
	return n
}

// Check implements [project.Set].
func (j joined) Check(shape tensor.Shape) error {
	if shape.Size() != j.size() {
		return fmt.Errorf("lawtest: tuples have %d elements, want %d", shape.Size(), j.size())
	}
	return j.joint.Check(j.shapes)
}

// Violation implements [project.Set].
func (j joined) Violation(dst []float64, x tensor.Batch) { j.joint.Violation(dst, j.split(x)) }

// Project implements [project.Projector]. What the set writes reaches dst and x
// also when it fails, so that the laws see it.
func (j joined) Project(ctx context.Context, dst, x tensor.Batch) (project.Report, error) {
	from := j.split(x)
	to := from
	if len(x.Data) == 0 || &dst.Data[0] != &x.Data[0] {
		to = j.split(dst)
	}
	r, err := j.joint.Project(ctx, to, from)
	j.join(x, from)
	j.join(dst, to)
	return r, j.place(err, from)
}

// split copies the variables out of x, one batch each.
func (j joined) split(x tensor.Batch) []tensor.Batch {
	out := make([]tensor.Batch, len(j.shapes))
	at := 0
	for v, shape := range j.shapes {
		out[v] = tensor.New(x.N, shape...)
		out[v].First = x.First
		n := shape.Size()
		for k := range x.N {
			copy(out[v].Sample(k), x.Sample(k)[at:at+n])
		}
		at += n
	}
	return out
}

// join copies the variables back.
func (j joined) join(x tensor.Batch, parts []tensor.Batch) {
	at := 0
	for _, p := range parts {
		for k := range x.N {
			copy(x.Sample(k)[at:], p.Sample(k))
		}
		at += p.Size()
	}
}

// place moves the index of an element that is not finite from its variable to the
// tuple. An error that names an element that is finite in all variables stays.
func (j joined) place(err error, x []tensor.Batch) error {
	var nf *tensor.NonFiniteError
	if !errors.As(err, &nf) {
		return err
	}
	at := 0
	for _, b := range x {
		if k := nf.Sample - b.First; k >= 0 && k < b.N && nf.Index < b.Size() {
			if v := b.Sample(k)[nf.Index]; v-v != 0 {
				e := *nf
				e.Index += at
				return fmt.Errorf("%w (in its variable: %w)", &e, err)
			}
		}
		at += b.Size()
	}
	return err
}
