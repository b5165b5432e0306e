package lawtest_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// leash is the set of pairs whose elements are at most 1 apart, the nearest of
// which have the same middle, with a number of ways to get it wrong.
type leash struct{ fault string }

func (l *leash) Check(shapes []tensor.Shape) error {
	if len(shapes) != 2 || !shapes[0].Equal(shapes[1]) {
		return fmt.Errorf("leash: shapes %v, want two of one size", shapes)
	}
	return nil
}

func (l *leash) Violation(dst []float64, x []tensor.Batch) {
	for k := range dst {
		dst[k] = math.Inf(-1)
		b := x[1].Sample(k)
		for i, a := range x[0].Sample(k) {
			d := math.Abs(float64(a)-float64(b[i])) - 1
			if math.IsNaN(d) || a-a != 0 || b[i]-b[i] != 0 {
				d = math.Inf(1)
			}
			dst[k] = max(dst[k], d)
		}
	}
}

func (l *leash) Project(ctx context.Context, dst, x []tensor.Batch) (project.Report, error) {
	if err := l.refuse(ctx, dst, x); err != nil {
		return project.Report{}, err
	}
	n := x[0].N
	before, after := make([]float64, n), make([]float64, n)
	l.Violation(before, x)
	for i, a := range x[0].Data {
		b := x[1].Data[i]
		dst[0].Data[i], dst[1].Data[i] = l.pull(a, b)
		if l.fault == "rows independent" {
			dst[1].Data[i] = dst[0].Data[i] + float32(n%2)/2
		}
		if l.fault == "input untouched" {
			x[0].Data[i]++
		}
	}
	l.Violation(after, dst)
	return l.report(before, after), nil
}

func (l *leash) refuse(ctx context.Context, dst, x []tensor.Batch) error {
	if err := ctx.Err(); err != nil && l.fault != "cancelled" {
		return err
	}
	if err := l.Check([]tensor.Shape{x[0].Shape, x[1].Shape}); err != nil {
		return err
	}
	for _, b := range x {
		if err := b.CheckFinite(); err != nil {
			if l.fault == "non-finite input" {
				dst[0].Data[0] = 0 // writes before it refuses
			}
			return fmt.Errorf("leash: %w", err)
		}
	}
	return nil
}

// pull returns the nearest pair that is at most 1 apart.
func (l *leash) pull(a, b float32) (float32, float32) {
	d := float64(b) - float64(a)
	if math.Abs(d) <= 1 && l.fault != "identity on members" {
		return a, b
	}
	middle, half := float64(a)+d/2, math.Copysign(0.5, d)
	p, q := float32(middle-half), float32(middle+half)
	if l.fault == "optimal" {
		q = p
	}
	for l.fault != "feasible" && math.Abs(float64(q)-float64(p)) > 1 {
		q = math.Nextafter32(q, p)
	}
	return p, q
}

func (l *leash) report(before, after []float64) project.Report {
	var total project.Report
	for k, v := range before {
		r := project.Report{Samples: 1, ViolationBefore: v, ViolationAfter: after[k]}
		if v > 0 {
			r.Moved = 1
		}
		total = total.Merge(r)
	}
	if l.fault == "reports add up" {
		total.MaxIterations = len(before)
	}
	return total
}

func leashSuite(fault string) lawtest.JointSuite {
	return lawtest.JointSuite{Joint: &leash{fault}, Shapes: []tensor.Shape{{3}, {3}}}
}

func TestJoint(t *testing.T) { lawtest.Joint(t, leashSuite("")) }

func TestCheckJointFindsFaults(t *testing.T) {
	for _, fault := range []string{
		"feasible", "identity on members", "input untouched", "rows independent", "non-finite input", "cancelled", "reports add up", "optimal",
	} {
		err := lawtest.CheckJoint(leashSuite(fault))
		if err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("CheckJoint of a set with the fault %q = %v, want an error with that name", fault, err)
		}
	}
}

// TestCheckJointShapes hands Check the shapes of the variables, not of the tuple.
func TestCheckJointShapes(t *testing.T) {
	s := leashSuite("")
	s.Shapes[1] = tensor.Shape{2}
	if err := lawtest.CheckJoint(s); err == nil || !strings.Contains(err.Error(), "shapes [[3] [2]]") {
		t.Errorf("CheckJoint of unequal shapes = %v, want the error of Check", err)
	}
}

func ExampleCheckJoint() {
	err := lawtest.CheckJoint(lawtest.JointSuite{
		Joint:  &leash{},
		Shapes: []tensor.Shape{{2, 2}, {2, 2}},
		Input: func(r *rand.Rand, x [][]float32) {
			for i := range x[0] {
				x[0][i] = float32(r.NormFloat64())
				x[1][i] = x[0][i] + float32(2*r.NormFloat64())
			}
		},
	})
	fmt.Println(err)
	// Output: <nil>
}
