package latent

import (
	"context"
	"math"
	"sync/atomic"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/denoise/analytic"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// apart is half the squared distance of two samples.
var apart = cost.Func{Name: "apart", Vars: 2, Eval: func(grad, x [][]float32) (v float64) {
	for i, a := range x[0] {
		d := float64(a) - float64(x[1][i])
		v += d * d / 2
		if grad != nil {
			grad[0][i], grad[1][i] = float32(d), float32(-d)
		}
	}
	return v
}}

// linear is a normal distribution of one number: its noise prediction and its estimate
// of the clean sample are linear, so that a whole run can be written down.
type linear struct{ mean, variance float64 }

func (l linear) noise(s schedule.Step, x float64) float64 {
	return s.Sigma * (x - s.SqrtAlphaBar*l.mean) / (s.AlphaBar*l.variance + s.Sigma*s.Sigma)
}

// estimate returns that of the clean sample, and its derivative.
func (l linear) estimate(s schedule.Step, x float64) (x0, slope float64) {
	slope = (1 - s.Sigma*s.Sigma/(s.AlphaBar*l.variance+s.Sigma*s.Sigma)) / s.SqrtAlphaBar
	return (x - s.Sigma*l.noise(s, x)) / s.SqrtAlphaBar, slope
}

// counting is an exact model that keeps what it needs, and counts its products.
type counting struct {
	denoise.VJPer
	products *atomic.Int64
}

func (c counting) Linearize(ctx context.Context, dst, x tensor.Batch, t int) (denoise.Pullback, error) {
	return kept{c, x.Clone(), t}, c.Predict(ctx, dst, x, t)
}

func (c counting) LinearizeLimit() int { return 4 }

type kept struct {
	model counting
	x     tensor.Batch
	t     int
}

func (k kept) VJP(ctx context.Context, dst, cotangent tensor.Batch) error {
	k.model.products.Add(int64(dst.N))
	return k.model.VJPer.VJP(ctx, dst, k.x, cotangent, k.t)
}

func (k kept) Release() {}

// TestDescentAgainstClosedForm pulls one or both of two normals towards each other and
// writes down what every step must do: the raw gradient of the cost at the estimates, both
// taken before either moves, with a decaying weight; then DDIM from where it led. An anchor
// costs no product with a Jacobian.
func TestDescentAgainstClosedForm(t *testing.T) {
	const weight, decay, steps, n = 0.7, 0.9, 8, 6
	s := must(schedule.ScaledLinear(1000, 0.00085, 0.012))(t)
	grid := must(s.Leading(steps, 1))(t)
	normals := [2]linear{{0.7, 0.25}, {-0.9, 0.5}}
	start := []float32{-2, -1, -0.3, 0.1, 0.8, 1.7}
	for name, fixed := range map[string][]int{"anchor": {1}, "both": nil} {
		var products atomic.Int64
		d := descent{dynamics: pcd.DDIM{Schedule: grid}, cost: cost.Detach(apart, fixed...), weight: weight, decay: decay}
		p := pcd.Problem{Dynamics: d.dynamics}
		for v, m := range normals {
			g := must(analytic.NewGaussian(tensor.Shape{1}, []float64{m.mean}, []float64{m.variance}, s))(t)
			d.models = append(d.models, counting{g, &products})
			init := tensor.New(n, 1)
			for k := range n {
				init.Data[k] = start[(1-v)*k+v*(n-1-k)]
			}
			p.Variables = append(p.Variables, pcd.Variable{Model: d.models[v], Init: pcd.Values(init)})
		}
		p.Before = d
		got, err := pcd.Sample(t.Context(), p, pcd.Options{Samples: n})
		if err != nil {
			t.Fatal(err)
		}
		var want [2][]float32
		for k := range n {
			x := [2]float64{float64(start[k]), float64(start[n-1-k])}
			for i := steps - 1; i >= 0; i-- {
				w := weight * math.Pow(decay, float64(steps-1-i))
				a, slope := normals[0].estimate(grid.At(i), x[0])
				b, other := normals[1].estimate(grid.At(i), x[1])
				x[0] -= w * slope * (a - b)
				if fixed == nil {
					x[1] -= w * other * (b - a)
				}
				for v, m := range normals {
					x0, _ := m.estimate(grid.At(i), x[v])
					x[v] = math.Sqrt(grid.At(i).AlphaBarPrev)*x0 + math.Sqrt(1-grid.At(i).AlphaBarPrev)*m.noise(grid.At(i), x[v])
				}
			}
			want[0], want[1] = append(want[0], float32(x[0])), append(want[1], float32(x[1]))
		}
		for v := range normals {
			golden.Close(t, name, got.Samples[v].Data, want[v], 2e-5, 2e-5) // float32 rounding of the states
		}
		if want := int64(steps * n * (2 - len(fixed))); products.Load() != want {
			t.Errorf("%s: %d products, want %d", name, products.Load(), want)
		}
	}
}
