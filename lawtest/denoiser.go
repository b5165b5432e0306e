package lawtest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// DenoiserOptions says where and how closely a model is tested. The zero value tests
// timestep 0 with 7 standard normal rows.
type DenoiserOptions struct {
	Timesteps []int   // where to evaluate; nil is {0}
	Rows      int     // rows of the test batch; 0 is 7. A conditional model needs as many conditions
	Scale     float64 // standard deviation of the states; 0 is 1
	Step      float64 // central-difference step; 0 is 1e-3
	Tolerance float64 // of a directional derivative, relative to its size; 0 is 5e-3
}

func (o DenoiserOptions) withDefaults() DenoiserOptions {
	if o.Timesteps == nil {
		o.Timesteps = []int{0}
	}
	if o.Rows == 0 {
		o.Rows = 7
	}
	if o.Scale == 0 {
		o.Scale = 1
	}
	if o.Step == 0 {
		o.Step = 1e-3
	}
	if o.Tolerance == 0 {
		o.Tolerance = 5e-3
	}
	return o
}

// Denoiser checks every law of the model's contract as subtests.
func Denoiser(t *testing.T, m denoise.Denoiser, opts DenoiserOptions) {
	t.Helper()
	o := opts.withDefaults()
	for _, step := range o.Timesteps {
		c := check{model: m, opts: o, t: step, x: states(m.Shape(), o)}
		t.Run(fmt.Sprintf("t=%d/predict", step), func(t *testing.T) { c.operator(t, c.predict) })
		t.Run(fmt.Sprintf("t=%d/cancelled", step), c.cancelled)
		if v, ok := m.(denoise.VJPer); ok {
			c.vjper, c.cotangent = v, normals(m.Shape(), o, 1, 1)
			t.Run(fmt.Sprintf("t=%d/vjp", step), func(t *testing.T) { c.operator(t, c.vjp) })
			t.Run(fmt.Sprintf("t=%d/vjp differences", step), c.differences)
			t.Run(fmt.Sprintf("t=%d/vjp linear", step), c.linear)
			if _, ok := m.(denoise.Linearizer); ok {
				t.Run(fmt.Sprintf("t=%d/pullback", step), c.pullback)
			}
		}
	}
}

type check struct {
	model        denoise.Denoiser
	vjper        denoise.VJPer
	opts         DenoiserOptions
	t            int
	x, cotangent tensor.Batch
}

func states(shape tensor.Shape, o DenoiserOptions) tensor.Batch { return normals(shape, o, 0, o.Scale) }

func normals(shape tensor.Shape, o DenoiserOptions, variable int, scale float64) tensor.Batch {
	b := tensor.New(o.Rows, shape...)
	noise.New(1).Normal(b.Data, b.Size(), noise.Address{Variable: variable})
	for i := range b.Data {
		b.Data[i] *= float32(scale)
	}
	return b
}

// operator is Predict or VJP as a function of the rows to evaluate.
type operator func(lo, hi int) (tensor.Batch, error)

func (c check) predict(lo, hi int) (tensor.Batch, error) {
	dst := tensor.New(hi-lo, c.x.Shape...)
	return dst, c.model.Predict(context.Background(), dst, c.x.Rows(lo, hi), c.t)
}

func (c check) vjp(lo, hi int) (tensor.Batch, error) {
	dst := tensor.New(hi-lo, c.x.Shape...)
	return dst, c.vjper.VJP(context.Background(), dst, c.x.Rows(lo, hi), c.cotangent.Rows(lo, hi), c.t)
}

// pullback checks that a linearization gives the bits of Predict and VJP, also when
// another is made before it is used.
func (c check) pullback(t *testing.T) {
	lin := c.model.(denoise.Linearizer)
	linearize := func(lo, hi int) (tensor.Batch, denoise.Pullback) {
		t.Helper()
		dst := tensor.New(hi-lo, c.x.Shape...)
		p, err := lin.Linearize(t.Context(), dst, c.x.Rows(lo, hi), c.t)
		if err != nil {
			t.Fatal(err)
		}
		return dst, p
	}
	pred, first := linearize(0, c.x.N)
	_, second := linearize(c.x.N/2, c.x.N)
	second.Release()
	dst := tensor.New(c.x.N, c.x.Shape...)
	if err := first.VJP(t.Context(), dst, c.cotangent); err != nil {
		t.Fatal(err)
	}
	first.Release()
	for _, op := range []struct {
		name string
		got  tensor.Batch
		do   operator
	}{{"prediction", pred, c.predict}, {"product", dst, c.vjp}} {
		want, err := op.do(0, c.x.N)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(op.got.Data, want.Data) {
			t.Errorf("the %s of a linearization differs from the one by itself", op.name)
		}
	}
}

// operator checks the laws that Predict and VJP share.
func (c check) operator(t *testing.T, op operator) {
	before := c.x.Clone()
	whole, err := op(0, c.x.N)
	if err != nil {
		t.Fatal(err)
	}
	if err := whole.CheckFinite(); err != nil {
		t.Errorf("finite states give a result that is not finite: %v", err)
	}
	if !slices.Equal(before.Data, c.x.Data) {
		t.Error("the states were written")
	}
	again, err := op(0, c.x.N)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(whole.Data, again.Data) {
		t.Error("two evaluations of one state differ")
	}
	c.rowsIndependent(t, op, whole)
}

func (c check) rowsIndependent(t *testing.T, op operator, whole tensor.Batch) {
	var wg sync.WaitGroup
	for lo := range c.x.N {
		for _, hi := range []int{lo + 1, min(lo+3, c.x.N)} {
			wg.Go(func() {
				got, err := op(lo, hi)
				if err != nil {
					t.Errorf("rows %d to %d: %v", lo, hi, err)
				} else if !slices.Equal(got.Data, whole.Rows(lo, hi).Data) {
					t.Errorf("rows %d to %d differ from the same rows in the whole batch", lo, hi)
				}
			})
		}
	}
	wg.Wait()
}

func (c check) cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.model.Predict(ctx, tensor.New(c.x.N, c.x.Shape...), c.x, c.t); err == nil {
		t.Error("Predict with a cancelled context returned no error")
	}
}

// differences compares cotangent·(J d) by central differences with (Jᵀ
// cotangent)·d, row by row, for random directions d.
func (c check) differences(t *testing.T) {
	got, err := c.vjp(0, c.x.N)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 3 {
		d := normals(c.x.Shape, c.opts, 2+k, 1)
		plus, minus := c.shifted(t, d, 1), c.shifted(t, d, -1)
		for r := range c.x.N {
			var want, product, size float64
			for j, cot := range c.cotangent.Sample(r) {
				slope := (float64(plus.Sample(r)[j]) - float64(minus.Sample(r)[j])) / (2 * c.opts.Step)
				want += float64(cot) * slope
				size += math.Abs(float64(cot) * slope)
				product += float64(got.Sample(r)[j]) * float64(d.Sample(r)[j])
			}
			// A difference of float32 outputs carries their rounding over the step.
			if math.Abs(product-want) > c.opts.Tolerance*(size+1e-3) {
				t.Errorf("row %d, direction %d: product %v, central difference %v", r, k, product, want)
			}
		}
	}
}

func (c check) shifted(t *testing.T, d tensor.Batch, sign float64) tensor.Batch {
	x := c.x.Clone()
	for i := range x.Data {
		x.Data[i] += float32(sign * c.opts.Step * float64(d.Data[i]))
	}
	dst := tensor.New(x.N, x.Shape...)
	if err := c.model.Predict(context.Background(), dst, x, c.t); err != nil {
		t.Fatal(err)
	}
	return dst
}

func (c check) linear(t *testing.T) {
	one, err := c.vjp(0, c.x.N)
	if err != nil {
		t.Fatal(err)
	}
	other := check{vjper: c.vjper, x: c.x, t: c.t, cotangent: normals(c.x.Shape, c.opts, 9, 1)}
	two, err := other.vjp(0, c.x.N)
	if err != nil {
		t.Fatal(err)
	}
	sum := check{vjper: c.vjper, x: c.x, t: c.t, cotangent: c.cotangent.Clone()}
	for i := range sum.cotangent.Data {
		sum.cotangent.Data[i] += 2 * other.cotangent.Data[i]
	}
	got, err := sum.vjp(0, c.x.N)
	if err != nil {
		t.Fatal(err)
	}
	largest := 0.0
	for _, v := range got.Data {
		largest = max(largest, math.Abs(float64(v)))
	}
	for i, v := range got.Data {
		want := one.Data[i] + 2*two.Data[i]
		if math.Abs(float64(v-want)) > 1e-4*(largest+math.Abs(float64(want))) {
			t.Fatalf("element %d: product of a sum %v, sum of products %v", i, v, want)
		}
	}
}
