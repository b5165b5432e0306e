package pcd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/tensor"
)

// ring is a problem with five variables of mixed shapes and models, coupled in a
// ring.
func ring(t testing.TB) pcd.Problem {
	s := cosine(t, 32)
	shapes := []tensor.Shape{{8, 2}, {8, 4}, {8, 2}, {8, 3}, {8, 2}}
	p := pcd.Problem{Dynamics: pcd.DDPM{Schedule: s, Clip: 1.5}}
	for i, shape := range shapes {
		v := pcd.Variable{Name: fmt.Sprint("robot ", i), Model: mixture(t, shape, s)}
		if i%2 == 0 {
			v.Project = interval(t, -0.5, 0.5)
		}
		p.Variables = append(p.Variables, v)
	}
	for i := range shapes {
		p.Couplings = append(p.Couplings, pcd.Coupling{
			Cost: planes{}, Variables: []int{i, (i + 1) % len(shapes)}, Strength: 0.02,
			Transforms: []pcd.Transform{pcd.ClipPoints{Max: 1}},
		})
	}
	return p
}

// planes is the log barrier between the first two coordinates of paths that
// differ in their other channels.
type planes struct{}

func (planes) Check(shapes []tensor.Shape) error {
	if len(shapes) != 2 {
		return errors.New("want two paths")
	}
	return nil
}

func (planes) Add(_ context.Context, value []float64, grad, x []tensor.Batch, w float64) error {
	wa, wb := x[0].Shape[1], x[1].Shape[1]
	for k := range x[0].N {
		for h := range x[0].Shape[0] {
			a, b := x[0].Sample(k)[h*wa:], x[1].Sample(k)[h*wb:]
			dx, dy := float64(a[0]-b[0]), float64(a[1]-b[1])
			d := math.Hypot(dx, dy)
			if value != nil {
				value[k] -= w * math.Log(0.1+d)
			}
			if grad == nil || d == 0 {
				continue
			}
			g := -w / (d * (0.1 + d))
			ga, gb := grad[0].Sample(k)[h*wa:], grad[1].Sample(k)[h*wb:]
			ga[0] += float32(g * dx)
			ga[1] += float32(g * dy)
			gb[0] -= float32(g * dx)
			gb[1] -= float32(g * dy)
		}
	}
	return nil
}

// meanDistance is the mean distance of neighbours in the ring.
func meanDistance(r *pcd.Result) float64 {
	sum, n := 0.0, 0
	for i, a := range r.Samples {
		b := r.Samples[(i+1)%len(r.Samples)]
		wa, wb := a.Shape[1], b.Shape[1]
		for k := range a.N {
			for h := range a.Shape[0] {
				p, q := a.Sample(k)[h*wa:], b.Sample(k)[h*wb:]
				sum += math.Hypot(float64(p[0]-q[0]), float64(p[1]-q[1]))
				n++
			}
		}
	}
	return sum / float64(n)
}

func TestRingOfFiveVariables(t *testing.T) {
	p := ring(t)
	coupled := mustSample(t, p, pcd.Options{Samples: 200, Seed: 5})
	p.Couplings = nil
	alone := mustSample(t, p, pcd.Options{Samples: 200, Seed: 5})
	if a, b := meanDistance(coupled), meanDistance(alone); !(a > 1.15*b) {
		t.Errorf("mean distance of neighbours is %v coupled and %v alone, want it to grow by 15 %%", a, b)
	}
	c := coupled.Certificate
	if !c.Certified || c.MaxViolation > 0 || c.Err() != nil {
		t.Errorf("certificate %+v, want certified", c)
	}
	for i, v := range c.Variables {
		if v.Constrained != (i%2 == 0) {
			t.Errorf("variable %d: constrained %v", i, v.Constrained)
		}
	}
}

// Samples do not depend on goroutines, chunks, batch size or shard.
func TestSamplesDoNotDependOnHowTheyAreComputed(t *testing.T) {
	p := ring(t)
	p.Couplings[0].At = pcd.AtEstimate
	p.Couplings[1].At = pcd.AtMean
	whole := mustSample(t, p, pcd.Options{Samples: 61, Seed: 6, Workers: 1})
	for _, o := range []pcd.Options{
		{Samples: 61, Seed: 6, Workers: 4},
		{Samples: 61, Seed: 6, Workers: 3, ChunkSize: 1},
		{Samples: 61, Seed: 6, ChunkSize: 1000},
		{Samples: 20, First: 17, Seed: 6},
		{Samples: 1, First: 60, Seed: 6},
	} {
		got := mustSample(t, p, o)
		for v := range got.Samples {
			if !slices.Equal(got.Samples[v].Data, whole.Samples[v].Rows(o.First, o.First+o.Samples).Data) {
				t.Errorf("%+v: variable %d differs from the run on one goroutine", o, v)
			}
		}
	}
	other := mustSample(t, p, pcd.Options{Samples: 61, Seed: 7})
	if slices.Equal(other.Samples[0].Data, whole.Samples[0].Data) {
		t.Error("another seed gave the same samples")
	}
}
