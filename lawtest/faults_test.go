package lawtest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// The suites of models and costs fail the test that calls them. So each fault is looked for by a process of its
// own, which has to fail where the fault is.
var fault = flag.String("lawtest.fault", "", "fault of the model or cost that TestFaulty checks")

// faults are those of a suite, with the subtest that finds each; "" is none.
var faults = []struct{ name, found string }{
	{"model", ""}, {"model writes its states", "t=3/predict"}, {"model is not finite", "t=3/predict"}, {"model draws", "t=3/predict"},
	{"model knows its batch", "t=3/predict"}, {"model goes on", "t=3/cancelled"}, {"model fails", "t=3/predict"},
	{"product is of another slope", "t=3/vjp_differences"}, {"product is not linear", "t=3/vjp_linear"}, {"product knows its batch", "t=3/vjp"},
	{"pullback is of another slope", "t=3/pullback"}, {"linearization predicts otherwise", "t=3/pullback"},
	{"cost", ""}, {"cost takes all variables", "arity"}, {"cost has another gradient", "gradient"}, {"cost writes its arguments", "gradient"},
	{"cost has no finite gradient", "gradient"}, {"cost sets", "adds"}, {"cost has no weight", "adds"}, {"cost knows its batch", "rows_independent"},
	{"cost is not symmetric", "symmetric"}, {"gradient is not symmetric", "symmetric"},
}

func TestSuitesFindFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("processes that another run begins")
	}
	for _, f := range faults {
		out, err := exec.Command(os.Args[0], "-test.run=^TestFaulty$", "-lawtest.fault="+f.name).CombinedOutput()
		if f.found == "" {
			if err != nil {
				t.Errorf("%s without a fault: %v\n%s", f.name, err, out)
			}
			continue
		}
		if _, failed := errors.AsType[*exec.ExitError](err); !failed || !strings.Contains(string(out), "--- FAIL: TestFaulty/"+f.found) {
			t.Errorf("%s: %v, want a failure of %s\n%s", f.name, err, f.found, out)
		}
	}
}

// TestFaulty is what the processes of [TestSuitesFindFaults] run.
func TestFaulty(t *testing.T) {
	switch name := *fault; {
	case name == "":
		t.Skip("begun by TestSuitesFindFaults")
	case strings.HasPrefix(name, "cost"), strings.HasPrefix(name, "gradient"):
		lawtest.Cost(t, &apart{name}, []tensor.Shape{{2}, {2}}, lawtest.CostOptions{})
		if name == "cost takes all variables" {
			lawtest.Cost(t, &apart{name}, []tensor.Shape{{2}}, lawtest.CostOptions{})
		}
	default:
		lawtest.Denoiser(t, &double{fault: name}, lawtest.DenoiserOptions{Timesteps: []int{3}})
	}
}

// double predicts twice its state, except for its fault.
type double struct {
	fault string
	calls int
}

func (*double) Shape() tensor.Shape { return tensor.Shape{2, 3} }
func (*double) Kind() schedule.Kind { return schedule.Epsilon }

func (d *double) times(dst, x tensor.Batch, slope float32) error {
	for i, v := range x.Data {
		dst.Data[i] = slope * v
	}
	return nil
}

func (d *double) Predict(ctx context.Context, dst, x tensor.Batch, _ int) error {
	d.calls++
	slope := float32(2)
	switch d.fault {
	case "model writes its states":
		x.Data[0]++
	case "model is not finite":
		slope = float32(math.Inf(1))
	case "model draws":
		slope += float32(d.calls)
	case "model knows its batch":
		slope += float32(x.N)
	case "model fails":
		return errors.New("it fails")
	}
	if d.fault != "model goes on" && ctx.Err() != nil {
		return ctx.Err()
	}
	return d.times(dst, x, slope)
}

func (d *double) VJP(_ context.Context, dst, _, cotangent tensor.Batch, _ int) error {
	switch d.fault {
	case "product is of another slope":
		return d.times(dst, cotangent, 2.1)
	case "product is not linear":
		for i, v := range cotangent.Data {
			dst.Data[i] = 2*v + 0.01*v*v
		}
		return nil
	case "product knows its batch":
		return d.times(dst, cotangent, 2+1e-6*float32(dst.N))
	}
	return d.times(dst, cotangent, 2)
}

func (d *double) Linearize(ctx context.Context, dst, x tensor.Batch, t int) (denoise.Pullback, error) {
	if d.fault == "linearization predicts otherwise" {
		return pullback{d}, d.times(dst, x, 2.000001)
	}
	return pullback{d}, d.Predict(ctx, dst, x, t)
}

type pullback struct{ *double }

func (p pullback) VJP(ctx context.Context, dst, cotangent tensor.Batch) error {
	if p.fault == "pullback is of another slope" {
		return p.times(dst, cotangent, 2.000001)
	}
	return p.double.VJP(ctx, dst, cotangent, cotangent, 0)
}

func (pullback) Release() {}

// apart is the squared distance of two points, or of one from zero, except for its fault.
type apart struct{ fault string }

var _ cost.Symmetric = (*apart)(nil)

func (*apart) Symmetric() bool { return true }

func (c *apart) Check(shapes []tensor.Shape) error {
	if len(shapes) != 2 && c.fault != "cost takes all variables" {
		return fmt.Errorf("%d variables, want 2", len(shapes))
	}
	return nil
}

func (c *apart) Add(_ context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	slope := float32(2)
	switch c.fault {
	case "cost has another gradient":
		slope = 2.1
	case "cost has no finite gradient":
		slope = float32(math.Inf(1))
	case "cost writes its arguments":
		x[0].Data[0]++
	case "cost has no weight":
		weight = 1
	}
	for k := range x[0].N {
		a, b := x[0].Sample(k), make([]float32, x[0].Size())
		if len(x) > 1 {
			b = x[1].Sample(k)
		}
		if c.fault == "cost sets" && value != nil {
			value[k] = 0
		}
		for j := range a {
			d := a[j] - b[j]
			v := float64(d) * float64(d)
			if c.fault == "cost is not symmetric" {
				v += 0.5 * float64(a[j])
			}
			if c.fault == "cost knows its batch" {
				v += float64(x[0].N)
			}
			if value != nil {
				value[k] += weight * v
			}
			if grad == nil {
				continue
			}
			extra := float32(0)
			if c.fault == "cost is not symmetric" {
				extra = 0.5
			}
			grad[0].Sample(k)[j] += float32(weight) * (slope*d + extra)
			if len(x) > 1 {
				grad[1].Sample(k)[j] -= float32(weight) * slope * d
				if c.fault == "gradient is not symmetric" {
					grad[1].Sample(k)[j] += 0.2
				}
			}
		}
	}
	return nil
}
