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

// halfLine is the set of samples whose elements are all at least 1, as a third
// party would write it, with a number of ways to get it wrong.
type halfLine struct{ fault string }

func (h *halfLine) Check(shape tensor.Shape) error { return shape.Check() }

func (h *halfLine) Violation(dst []float64, x tensor.Batch) {
	for k := range x.N {
		dst[k] = math.Inf(-1)
		for _, v := range x.Sample(k) {
			if v-v != 0 {
				dst[k] = math.Inf(1)
				break
			}
			dst[k] = max(dst[k], 1-float64(v))
		}
	}
}

func (h *halfLine) Project(ctx context.Context, dst, x tensor.Batch) (project.Report, error) {
	if err := ctx.Err(); err != nil && h.fault != "cancelled" {
		return project.Report{}, err
	}
	if err := x.CheckFinite(); err != nil && h.fault != "non-finite input" {
		return project.Report{}, err
	}
	before, after := make([]float64, x.N), make([]float64, x.N)
	h.Violation(before, x)
	bound := h.bound(x)
	for i, v := range x.Data {
		if h.fault == "input untouched" {
			x.Data[i]++
		}
		dst.Data[i] = max(v, bound)
		if h.fault == "optimal" && v < bound {
			dst.Data[i] = 2
		}
	}
	h.Violation(after, dst)
	r := project.Report{Samples: x.N, ViolationBefore: before[0], ViolationAfter: after[0]}
	for k := range before {
		if before[k] > 0 {
			r.Moved++
		}
		r.ViolationBefore, r.ViolationAfter = max(r.ViolationBefore, before[k]), max(r.ViolationAfter, after[k])
	}
	if h.fault == "reports add up" {
		r.MaxIterations = x.N
	}
	return r, nil
}

func (h *halfLine) bound(x tensor.Batch) float32 {
	switch {
	case h.fault == "feasible":
		return 0.999999
	case h.fault == "rows independent" && x.N > 1:
		return 1.5
	}
	return 1
}

func TestCheckFindsFaults(t *testing.T) {
	if err := lawtest.CheckProjector(lawtest.ProjectorSuite{Projector: &halfLine{}, Shape: tensor.Shape{3}}); err != nil {
		t.Fatalf("Check of a correct projector = %v, want nil", err)
	}
	for _, fault := range []string{"feasible", "input untouched", "rows independent", "non-finite input", "cancelled", "reports add up", "optimal"} {
		err := lawtest.CheckProjector(lawtest.ProjectorSuite{Projector: &halfLine{fault}, Shape: tensor.Shape{3}})
		if err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("Check of a projector with the fault %q = %v, want an error with that name", fault, err)
		}
	}
}

func ExampleCheckProjector() {
	box, err := project.NewInterval(-1, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = lawtest.CheckProjector(lawtest.ProjectorSuite{
		Projector: box,
		Shape:     tensor.Shape{2, 3},
		Input: func(r *rand.Rand, x []float32) {
			for i := range x {
				x[i] = float32(3 * r.NormFloat64())
			}
		},
	})
	fmt.Println(err)
	// Output: <nil>
}
