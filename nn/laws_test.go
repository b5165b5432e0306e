package nn

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

var (
	_ denoise.VJPer = (*TemporalUNet)(nil)
	_ denoise.VJPer = (*Bound)(nil)
)

// models returns a small model of each kind with conditions for 16 samples.
func models(t *testing.T, workers int) map[string]denoise.VJPer {
	temporal := newTemporal(t, TemporalUNetConfig{Horizon: 16, Width: 16, DimMults: []int{1, 2}, Workers: workers})
	temporal.Init(noise.New(1))
	conditional := newConditional(t, ConditionalUNet1DConfig{Horizon: 8, DownDims: []int{16, 40}, TimeDim: 16, ConditionDim: 5, Workers: workers})
	conditional.Init(noise.New(2))
	return map[string]denoise.VJPer{"TemporalUNet": temporal, "ConditionalUNet1D": bind(t, conditional, gaussians(16, 5))}
}

func gaussians(n int, shape ...int) tensor.Batch {
	b := tensor.New(n, shape...)
	noise.New(9).Normal(b.Data, b.Size(), noise.Address{})
	return b
}

func TestLaws(t *testing.T) {
	for name, m := range models(t, 2) {
		t.Run(name, func(t *testing.T) {
			lawtest.Denoiser(t, m, lawtest.DenoiserOptions{Timesteps: []int{0, 12}, Step: 1e-2})
		})
	}
}

// TestWrappedModelsKeepTheirForwardPass checks that conversions and compositions of
// networks linearize, too.
func TestWrappedModelsKeepTheirForwardPass(t *testing.T) {
	s, err := schedule.SquaredCosine(25)
	if err != nil {
		t.Fatal(err)
	}
	m := models(t, 2)["TemporalUNet"]
	converted, err := denoise.Convert(m, schedule.X0, s)
	if err != nil {
		t.Fatal(err)
	}
	composed, err := denoise.Compose([]denoise.Denoiser{m, m}, []float64{1.5, -0.25})
	if err != nil {
		t.Fatal(err)
	}
	for name, wrapped := range map[string]denoise.Denoiser{"Convert": converted, "Compose": composed} {
		t.Run(name, func(t *testing.T) {
			if _, ok := wrapped.(denoise.Linearizer); !ok {
				t.Fatal("does not linearize")
			}
			lawtest.Denoiser(t, wrapped, lawtest.DenoiserOptions{Timesteps: []int{3, 12}, Step: 1e-2})
		})
	}
}

// TestBitsDoNotDependOnWorkers compares predictions, products and gradients of one
// and several workers, bit for bit.
func TestBitsDoNotDependOnWorkers(t *testing.T) {
	type result struct{ prediction, product, gradient []float32 }
	compute := func(workers int) result {
		n := newTemporal(t, TemporalUNetConfig{Horizon: 32, Width: 24, DimMults: []int{1, 2}, Workers: workers})
		n.Init(noise.New(5))
		x := gaussians(37, 32, 4)
		out, vjp := tensor.New(37, 32, 4), tensor.New(37, 32, 4)
		if err := errors.Join(n.Predict(t.Context(), out, x, 3), n.VJP(t.Context(), vjp, x, out, 3)); err != nil {
			t.Fatal(err)
		}
		tr := n.NewTraining(40)
		times := make([]int, 37)
		for i := range times {
			times[i] = i % 25
		}
		if err := errors.Join(tr.Forward(t.Context(), out, Examples{X: x, T: times}), tr.Backward(t.Context(), vjp)); err != nil {
			t.Fatal(err)
		}
		r := result{prediction: out.Data, product: vjp.Data}
		for _, p := range n.Params() {
			r.gradient = append(r.gradient, p.Grad...)
		}
		return r
	}
	want := compute(1)
	for _, workers := range []int{2, 5} {
		got := compute(workers)
		if !slices.Equal(got.prediction, want.prediction) || !slices.Equal(got.product, want.product) {
			t.Errorf("predictions or products of %d workers differ from those of one", workers)
		}
		if !slices.Equal(got.gradient, want.gradient) {
			t.Errorf("gradients of %d workers differ from those of one", workers)
		}
	}
}

func TestTrainingPredictsLikePredict(t *testing.T) {
	n := newTemporal(t, TemporalUNetConfig{Horizon: 16, Width: 16, DimMults: []int{1, 2}})
	n.Init(noise.New(1))
	x := gaussians(5, 16, 4)
	want, got := tensor.New(5, 16, 4), tensor.New(5, 16, 4)
	err := errors.Join(n.Predict(t.Context(), want, x, 4),
		n.NewTraining(8).Forward(t.Context(), got, Examples{X: x, T: []int{4, 4, 4, 4, 4}}))
	if err != nil || !slices.Equal(got.Data, want.Data) {
		t.Errorf("forward pass of a training differs from the prediction (error %v)", err)
	}
}

// TestConcurrentCallsAgree calls networks several times at once; the first products with the Jacobian, for
// which weights are packed, come during predictions.
func TestConcurrentCallsAgree(t *testing.T) {
	for name, m := range models(t, 2) {
		x := gaussians(16, m.Shape()...)
		want := tensor.New(16, m.Shape()...)
		if err := m.Predict(t.Context(), want, x, 5); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				got := tensor.New(16, m.Shape()...)
				if i%4 == 3 {
					if err := m.VJP(t.Context(), got, x, x, 5); err != nil {
						t.Errorf("%s: a product beside predictions: %v", name, err)
					}
				}
				if err := m.Predict(t.Context(), got, x, 5); err != nil || !slices.Equal(got.Data, want.Data) {
					t.Errorf("%s: a concurrent prediction differs (error %v)", name, err)
				}
			})
		}
		wg.Wait()
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("sizes, which nobody shares")
	}
	for name, m := range models(t, 2) {
		x, dst := gaussians(16, m.Shape()...), tensor.New(16, m.Shape()...)
		for what, call := range map[string]func() error{
			"Predict": func() error { return m.Predict(t.Context(), dst, x, 3) },
			"VJP":     func() error { return m.VJP(t.Context(), dst, x, x, 3) },
		} {
			var err error
			if n := testing.AllocsPerRun(20, func() { err = errors.Join(err, call()) }); n != 0 || err != nil {
				t.Errorf("%s.%s allocates %v times (error %v), want 0", name, what, n, err)
			}
		}
	}
	n := newTemporal(t, TemporalUNetConfig{Horizon: 16, Width: 16, DimMults: []int{1, 2}, Workers: 2})
	tr, x, dst := n.NewTraining(16), gaussians(16, 16, 4), tensor.New(16, 16, 4)
	times := make([]int, 16)
	var err error
	step := func() {
		err = errors.Join(err, tr.Forward(t.Context(), dst, Examples{X: x, T: times}), tr.Backward(t.Context(), x))
		n.Refresh()
	}
	if a := testing.AllocsPerRun(20, step); a != 0 || err != nil {
		t.Errorf("a training step allocates %v times (error %v), want 0", a, err)
	}
}

// TestMemoryStaysWithinItsBound compares what the first call allocates to
// MemoryBound.
func TestMemoryStaysWithinItsBound(t *testing.T) {
	thorough.Test(t)
	allocated := func(f func()) int {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return int(after.TotalAlloc - before.TotalAlloc)
	}
	for _, dims := range [][]int{{1, 2, 4}, {1, 2, 4, 8}} {
		x, dst := gaussians(8, 64, 4), tensor.New(8, 64, 4)
		for _, workers := range []int{1, 2} {
			var n *TemporalUNet
			var err error
			check := func(what string, op Operation, f func()) {
				t.Helper()
				got, bound := allocated(f), 0
				if n != nil {
					bound = n.MemoryBound(op, 8)
				}
				if got > bound || err != nil {
					t.Errorf("%s with %d workers of %v allocated %d bytes (error %v), bound %d", what, workers, dims, got, err, bound)
				}
				if got < bound/2 {
					t.Errorf("%s with %d workers of %v allocated %d bytes: the bound of %d says little", what, workers, dims, got, bound)
				}
			}
			n = newTemporal(t, TemporalUNetConfig{DimMults: dims, Workers: workers})
			check("Predict", Forward, func() { err = n.Predict(t.Context(), dst, x, 1) })
			check("Linearize", Linearize, func() {
				var p denoise.Pullback
				if p, err = n.Linearize(t.Context(), dst, x, 1); err == nil {
					err = p.VJP(t.Context(), dst, x)
				}
			})
			n = newTemporal(t, TemporalUNetConfig{DimMults: dims, Workers: workers})
			_ = n.Predict(t.Context(), dst, x, 1)
			check("VJP", VJP, func() { err = n.VJP(t.Context(), dst, x, x, 1) })
			n = newTemporal(t, TemporalUNetConfig{DimMults: dims, Workers: workers})
			check("NewTraining", Train, func() {
				tr := n.NewTraining(8)
				err = errors.Join(tr.Forward(t.Context(), dst, Examples{X: x, T: make([]int, 8)}), tr.Backward(t.Context(), x))
			})
		}
	}
}

func TestBadInput(t *testing.T) {
	for name, m := range models(t, 1) {
		x, dst := gaussians(16, m.Shape()...), tensor.New(16, m.Shape()...)
		var te *timestepError
		if err := m.Predict(t.Context(), dst, x, -1); !errors.As(err, &te) || te.Timestep != -1 {
			t.Errorf("%s.Predict at t=-1 = %v, want *timestepError", name, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := m.VJP(ctx, dst, x, x, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("%s.VJP with a cancelled context = %v", name, err)
		}
		if err := m.Predict(t.Context(), tensor.New(0, m.Shape()...), tensor.New(0, m.Shape()...), 1); err != nil {
			t.Errorf("%s.Predict of no samples = %v, want nil", name, err)
		}
	}
	conditional := newConditional(t, ConditionalUNet1DConfig{Horizon: 4, DownDims: []int{8, 8}, TimeDim: 4, ConditionDim: 3})
	condition := gaussians(4, 3)
	condition.First = 10
	b := bind(t, conditional, condition)
	x := tensor.New(3, 4, 2)
	for first, sample := range map[int]int{9: 9, 12: 14, 20: 20} {
		x.First = first
		var ce *conditionError
		if err := b.Predict(t.Context(), tensor.New(3, 4, 2), x, 0); !errors.As(err, &ce) || ce.Sample != sample || ce.Lo != 10 || ce.Hi != 14 {
			t.Errorf("Predict of samples from %d with conditions for 10 to 13 = %v, want sample %d named", first, err, sample)
		}
	}
	x.First = 11
	if err := b.Predict(t.Context(), tensor.New(3, 4, 2), x, 0); err != nil {
		t.Errorf("Predict of samples 11 to 13 = %v, want nil", err)
	}
	if _, err := conditional.Bind(gaussians(2, 4)); err == nil {
		t.Error("Bind of 4 numbers per sample to a network for 3 = nil, want an error")
	}
	condition.Data[4] = float32(math.NaN())
	var nf *tensor.NonFiniteError
	if _, err := conditional.Bind(condition); !errors.As(err, &nf) || nf.Sample != 11 {
		t.Errorf("Bind of NaN = %v, want *tensor.NonFiniteError for sample 11", err)
	}
	if err := newTemporal(t, TemporalUNetConfig{}).NewTraining(1).Backward(t.Context(), tensor.New(1, 64, 4)); !errors.Is(err, errNoForward) {
		t.Errorf("Backward without Forward = %v, want errNoForward", err)
	}
}

func TestBadConfigurations(t *testing.T) {
	for _, c := range []TemporalUNetConfig{
		{Horizon: 60}, {Horizon: -8}, {DimMults: []int{1}}, {DimMults: []int{1, 0}}, {Width: 12}, {Kernel: 4},
		{TimeDim: 5}, {TimeDim: 2}, {Groups: -1}, {StateDim: -1}, {Width: -8},
	} {
		var ce *ConfigError
		if _, err := NewTemporalUNet(c); !errors.As(err, &ce) {
			t.Errorf("NewTemporalUNet(%+v) = %v, want *ConfigError", c, err)
		}
	}
	for _, c := range []ConditionalUNet1DConfig{{ConditionDim: -1}, {DownDims: []int{8, 12}}, {Horizon: 18}} {
		var ce *ConfigError
		if _, err := NewConditionalUNet1D(c); !errors.As(err, &ce) {
			t.Errorf("NewConditionalUNet1D(%+v) = %v, want *ConfigError", c, err)
		}
	}
}

// TestInitIsPyTorchsDefault checks the range and the mean of the initial
// parameters.
func TestInitIsPyTorchsDefault(t *testing.T) {
	n := newTemporal(t, TemporalUNetConfig{DimMults: []int{1, 2}})
	n.Init(noise.New(3))
	for _, p := range n.Params() {
		lo, hi, mean := math.Inf(1), math.Inf(-1), 0.0
		for _, v := range p.Data {
			lo, hi, mean = min(lo, float64(v)), max(hi, float64(v)), mean+float64(v)/float64(len(p.Data))
		}
		switch {
		case p.bound == 0 && (lo != hi || lo != float64(p.fill)):
			t.Errorf("%s is between %v and %v, want %v", p.Name, lo, hi, p.fill)
		case p.bound != 0 && (hi > p.bound || lo < -p.bound || hi-lo < p.bound || math.Abs(mean) > 3*p.bound/math.Sqrt(float64(len(p.Data)))):
			t.Errorf("%s has range [%v, %v], mean %v; want ±%v, mean 0", p.Name, lo, hi, mean, p.bound)
		}
	}
	for name, want := range map[string]float64{
		"downs.0.0.blocks.0.block.0.weight": math.Sqrt(1.0 / 20), "ups.0.4.conv.weight": math.Sqrt(1.0 / 128),
		"final_conv.1.bias": math.Sqrt(1.0 / 32), "downs.0.0.blocks.0.block.2.weight": 0,
	} {
		i := slices.IndexFunc(n.Params(), func(p *Param) bool { return p.Name == name })
		if got := n.Params()[i].bound; math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is drawn from ±%v, want ±%v", name, got, want)
		}
	}
}
