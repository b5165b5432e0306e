package train

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/nn"
)

// optimizer is Adam with its moments.
type optimizer struct {
	config  Config
	params  []*nn.Param
	m, v    [][]float32
	squares []float64 // of the gradient, per parameter
	workers int
}

func newOptimizer(params []*nn.Param, c Config, workers int) *optimizer {
	o := &optimizer{config: c, params: params, squares: make([]float64, len(params)), workers: workers}
	for _, p := range params {
		o.m = append(o.m, make([]float32, len(p.Data)))
		o.v = append(o.v, make([]float32, len(p.Data)))
	}
	return o
}

// step updates the parameters with their gradients at a step that counts from 0,
// and returns the global norm of the gradient before clipping. Where that is not finite, nothing is
// updated.
func (o *optimizer) step(step int) float64 {
	norm := o.norm()
	if norm-norm != 0 {
		return norm
	}
	s := kernel.AdamStep{
		Rate: o.config.rate(step), Beta1: o.config.Beta1, Beta2: o.config.Beta2,
		Epsilon: o.config.Epsilon, Decay: o.config.WeightDecay, Step: step + 1,
	}
	if c := o.config.ClipNorm; c > 0 && norm > c {
		s.Scale = c / norm
	}
	o.each(func(i int) { kernel.Adam(o.params[i].Data, o.params[i].Grad, o.m[i], o.v[i], s) })
	return norm
}

// norm returns the global norm of the gradient, summed in the order of the
// parameters whatever the number of goroutines.
func (o *optimizer) norm() float64 {
	o.each(func(i int) {
		sum := 0.0
		for _, g := range o.params[i].Grad {
			sum += float64(g) * float64(g)
		}
		o.squares[i] = sum
	})
	total := 0.0
	for _, s := range o.squares {
		total += s
	}
	return math.Sqrt(total)
}

// each calls f for every parameter.
func (o *optimizer) each(f func(i int)) { o.all(len(o.params), f) }

// all calls f for the numbers below n.
func (o *optimizer) all(n int, f func(i int)) {
	_ = parallel.For(context.Background(), o.workers, n, func(_, i int) error {
		f(i)
		return nil
	})
}

// rate returns the learning rate of a step.
func (c Config) rate(step int) float64 {
	if step < c.Warmup {
		return c.Rate * float64(step+1) / float64(c.Warmup)
	}
	if !c.Cosine {
		return c.Rate
	}
	progress := float64(step-c.Warmup) / float64(max(c.Steps-c.Warmup, 1))
	return c.Rate * 0.5 * (1 + math.Cos(math.Pi*progress))
}

// decay returns the decay of the moving average after the given number of
// finished steps, and false when it is not updated then.
func (e EMA) decay(done int) (float64, bool) {
	switch {
	case done < e.Start:
		return 0, done%e.Every == 0
	case done%e.Every != 0:
		return 0, false
	case e.Decay > 0:
		return e.Decay, true
	}
	updates := float64(done/e.Every - 1)
	return min(max(1-math.Pow(1+updates, -e.Power), 0), e.Max), true
}

// average moves averages towards the present values.
func (o *optimizer) average(values []*nn.Param, ema [][]float32, decay float64) {
	keep, take := float32(decay), float32(1-decay)
	o.all(len(values), func(i int) {
		avg := ema[i]
		for j, v := range values[i].Data {
			avg[j] = keep*avg[j] + take*v
		}
	})
}
