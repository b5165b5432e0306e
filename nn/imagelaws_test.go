package nn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/weights"
)

var _ denoise.Linearizer = (*Bound)(nil)

// smallUNet2D is a network of two levels with transformers at the lower one.
func smallUNet2D(t *testing.T, workers int, kind schedule.Kind) *UNet2DCondition {
	t.Helper()
	n, err := NewUNet2DCondition(UNet2DConfig{InChannels: 3, OutChannels: 3, BlockOutChannels: []int{16, 32},
		DownAttention: []bool{false, true}, UpAttention: []bool{true, false}, LayersPerBlock: 1, Heads: []int{2, 4},
		TransformerLayers: []int{1, 1}, CrossAttentionDim: 12, UseLinearProjection: true, NormNumGroups: 8, NormEps: 1e-5,
		FlipSinToCos: true, Prediction: kind, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	n.Init(noise.New(3))
	return n
}

func bound2D(t *testing.T, n *UNet2DCondition, samples int) *Bound {
	t.Helper()
	b, err := n.Bind(8, 12, gaussians(samples, 5, 12))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestUNet2DConditionLaws(t *testing.T) {
	kinds, timesteps := []schedule.Kind{schedule.Epsilon, schedule.V}, []int{0, 731}
	if testing.Short() {
		kinds, timesteps = kinds[:1], timesteps[1:]
	}
	for _, kind := range kinds {
		b := bound2D(t, smallUNet2D(t, 2, kind), 7)
		if b.Kind() != kind {
			t.Errorf("predicts %v, want %v", b.Kind(), kind)
		}
		lawtest.Denoiser(t, b, lawtest.DenoiserOptions{Timesteps: timesteps, Step: 1e-2})
	}
}

// TestUNet2DConditionOfOddSides has images whose sides cannot be halved evenly.
func TestUNet2DConditionOfOddSides(t *testing.T) {
	n := smallUNet2D(t, 2, schedule.V)
	for _, size := range [][2]int{{7, 9}, {6, 5}, {11, 8}} {
		b, err := n.Bind(size[0], size[1], gaussians(7, 5, 12))
		if err != nil {
			t.Fatal(err)
		}
		lawtest.Denoiser(t, b, lawtest.DenoiserOptions{Timesteps: []int{731}, Step: 1e-2})
	}
}

// TestSharedConditionServesAll compares one context for all samples with a copy for each.
func TestSharedConditionServesAll(t *testing.T) {
	n := smallUNet2D(t, 2, schedule.Epsilon)
	context, x := gaussians(1, 5, 12), gaussians(4, 3, 8, 12)
	x.First = 20
	copies := tensor.Batch{N: 4, Shape: context.Shape, First: 20, Data: slices.Repeat(context.Data, 4)}
	var out [2]tensor.Batch
	for i, c := range []tensor.Batch{context, copies} {
		b, err := n.Bind(8, 12, c)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = x.Clone()
		if err := b.Predict(t.Context(), out[i], x, 9); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(out[0].Data, out[1].Data) {
		t.Error("one context for all samples predicts something else than a copy for each")
	}
}

// TestImageBitsDoNotDependOnWorkers compares predictions, products and gradients of one
// and of several goroutines, whole and in parts, bit for bit.
func TestImageBitsDoNotDependOnWorkers(t *testing.T) {
	type result struct{ prediction, product, gradient []float32 }
	compute := func(workers, part int) result {
		n := smallUNet2D(t, workers, schedule.Epsilon)
		b, x := bound2D(t, n, 6), gaussians(6, 3, 8, 12)
		out, vjp := x.Clone(), x.Clone()
		for lo := 0; lo < 6; lo += part {
			p := x.Rows(lo, lo+part)
			if err := errors.Join(b.Predict(t.Context(), out.Rows(lo, lo+part), p, 3), b.VJP(t.Context(), vjp.Rows(lo, lo+part), p, p, 3)); err != nil {
				t.Fatal(err)
			}
		}
		tr, err := n.NewTraining(6, 8, 12, 5)
		if err != nil {
			t.Fatal(err)
		}
		pred := x.Clone()
		ex := Examples{X: x, T: []int{1, 2, 3, 4, 5, 6}, Condition: gaussians(6, 5, 12)}
		if err := errors.Join(tr.Forward(t.Context(), pred, ex), tr.Backward(t.Context(), vjp)); err != nil {
			t.Fatal(err)
		}
		r := result{prediction: out.Data, product: vjp.Data}
		for _, p := range n.Params() {
			r.gradient = append(r.gradient, p.Grad...)
		}
		return r
	}
	want := compute(1, 6)
	for _, c := range [][2]int{{2, 6}, {5, 6}, {2, 1}, {1, 3}} {
		got := compute(c[0], c[1])
		if !slices.Equal(got.prediction, want.prediction) || !slices.Equal(got.product, want.product) {
			t.Errorf("predictions or products of %d workers on %d samples differ from those of one on 6", c[0], c[1])
		}
		if !slices.Equal(got.gradient, want.gradient) {
			t.Errorf("gradients of %d workers differ from those of one", c[0])
		}
	}
}

// TestImageTrainingPredictsLikePredict and adds up over two backward passes.
func TestImageTrainingAddsUp(t *testing.T) {
	n := smallUNet2D(t, 2, schedule.Epsilon)
	x, want, got := gaussians(3, 3, 8, 12), tensor.New(3, 3, 8, 12), tensor.New(3, 3, 8, 12)
	tr, err := n.NewTraining(4, 8, 12, 5)
	if err != nil {
		t.Fatal(err)
	}
	ex := Examples{X: x, T: []int{4, 4, 4}, Condition: gaussians(3, 5, 12)}
	step := func() {
		if err := errors.Join(tr.Forward(t.Context(), got, ex), tr.Backward(t.Context(), x)); err != nil {
			t.Fatal(err)
		}
	}
	step()
	if err := bound2D(t, n, 3).Predict(t.Context(), want, x, 4); err != nil || !slices.Equal(got.Data, want.Data) {
		t.Errorf("forward pass of a training differs from the prediction (error %v)", err)
	}
	p := n.Params()[0]
	once := slices.Clone(p.Grad)
	step()
	for i, g := range p.Grad {
		if math.Abs(float64(g-2*once[i])) > 1e-5*math.Abs(float64(once[i]))+1e-6 {
			t.Fatalf("two backward passes give %v at %d, want twice %v", g, i, once[i])
		}
	}
	tr.ZeroGrad()
	step()
	if !slices.Equal(p.Grad, once) {
		t.Error("a backward pass after ZeroGrad differs from the first")
	}
	if err := tr.Backward(t.Context(), x); !errors.Is(err, errNoForward) {
		t.Errorf("Backward without Forward = %v, want errNoForward", err)
	}
}

func TestConcurrentImageCallsAgree(t *testing.T) {
	b := bound2D(t, smallUNet2D(t, 2, schedule.Epsilon), 2)
	x, want := gaussians(2, 3, 8, 12), tensor.New(2, 3, 8, 12)
	if err := b.Predict(t.Context(), want, x, 5); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			got := tensor.New(2, 3, 8, 12)
			if err := b.Predict(t.Context(), got, x, 5); err != nil || !slices.Equal(got.Data, want.Data) {
				t.Errorf("a concurrent prediction differs (error %v)", err)
			}
		})
	}
	wg.Wait()
}

// TestKeptWeights compares weights of half precision that stay as a file holds them with
// the same numbers in float32.
func TestKeptWeights(t *testing.T) {
	for _, kind := range []weights.DType{weights.F32, weights.F16, weights.BF16} {
		n := smallUNet2D(t, 2, schedule.Epsilon)
		raw := map[string][]byte{}
		for _, p := range n.Params() {
			raw[p.Name] = dtype.AppendFloat32s(kind, nil, p.Data)
			dtype.Float32s(kind, p.Data, raw[p.Name])
		}
		n.Refresh()
		x, want, got := gaussians(2, 3, 8, 12), tensor.New(2, 3, 8, 12), tensor.New(2, 3, 8, 12)
		b := bound2D(t, n, 2)
		if err := b.VJP(t.Context(), want, x, x, 5); err != nil {
			t.Fatal(err)
		}
		for _, p := range n.Params() {
			if p.CanKeep(kind) {
				p.Keep(raw[p.Name], kind)
			}
		}
		n.Refresh()
		if err := b.VJP(t.Context(), got, x, x, 5); err != nil || !slices.Equal(got.Data, want.Data) {
			t.Errorf("weights kept as %v give another product (error %v)", kind, err)
		}
		tr, err := n.NewTraining(1, 8, 12, 5)
		if err != nil {
			t.Fatal(err)
		}
		var ke *keptError
		err = tr.Forward(t.Context(), tensor.New(1, 3, 8, 12), Examples{X: x.Rows(0, 1), T: []int{1}, Condition: gaussians(1, 5, 12)})
		if !errors.As(err, &ke) {
			t.Errorf("a training of kept weights = %v, want *keptError", err)
		}
		if n.Params()[0].CanKeep(weights.I64) {
			t.Error("integers can be kept as weights")
		}
	}
}

// TestBadImageInput checks that what a caller can get wrong is an error.
func TestBadImageInput(t *testing.T) {
	empty, err := NewUNet2DCondition(smallUNet2D(t, 1, schedule.Epsilon).Config())
	if err != nil {
		t.Fatal(err)
	}
	x := gaussians(1, 3, 8, 12)
	var ue *unsetError
	if err := bound2D(t, empty, 1).Predict(t.Context(), x.Clone(), x, 1); !errors.As(err, &ue) || ue.Name != "conv_in.weight" {
		t.Errorf("a prediction without weights = %v, want *unsetError", err)
	}
	n := smallUNet2D(t, 1, schedule.Epsilon)
	for _, bad := range []struct{ height, width, rows, channels int }{{-8, 12, 5, 12}, {8, 0, 5, 12}, {8, 12, 5, 13}} {
		if _, err := n.Bind(bad.height, bad.width, gaussians(1, bad.rows, bad.channels)); err == nil {
			t.Errorf("Bind(%+v) = nil, want an error", bad)
		}
	}
	b := bound2D(t, n, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.VJP(ctx, x.Clone(), x, x, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("VJP with a cancelled context = %v", err)
	}
	var te *timestepError
	if err := b.Predict(t.Context(), x.Clone(), x, -1); !errors.As(err, &te) {
		t.Errorf("Predict at t=-1 = %v", err)
	}
	a := smallAutoencoder(t)
	var se *ShapeError
	for _, shape := range [][]int{{3, 8}, {2, 8, 8}, {3, 9, 8}, {3, 0, 8}} {
		if _, err := a.Encoder.Output(shape); !errors.As(err, &se) {
			t.Errorf("Output(%v) = %v, want *ShapeError", shape, err)
		}
	}
}

func smallAutoencoder(t *testing.T) *AutoencoderKL {
	t.Helper()
	a, err := NewAutoencoderKL(AutoencoderConfig{InChannels: 3, OutChannels: 3, LatentChannels: 3, BlockOutChannels: []int{8, 16},
		LayersPerBlock: 1, NormNumGroups: 4, ScalingFactor: 0.5, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	a.Init(noise.New(4))
	return a
}

// TestGradientThroughEstimateAndDecoder pulls a cotangent of an image back through the
// decoder, the estimate of the clean latent and the denoising network, and compares with
// central differences: what a cost of decoded estimates needs.
func TestGradientThroughEstimateAndDecoder(t *testing.T) {
	b, a := bound2D(t, smallUNet2D(t, 2, schedule.Epsilon), 2), smallAutoencoder(t)
	s, err := schedule.Linear(1000, 0.00085, 0.012)
	if err != nil {
		t.Fatal(err)
	}
	const step = 500
	l := s.At(step)
	z, cotangent := gaussians(2, 3, 8, 12), gaussians(2, 3, 16, 24)
	estimate := func(z, eps tensor.Batch) tensor.Batch { // x0 = (z - σ ε)/√ᾱ, over the scaling factor
		out := z.Clone()
		for i, v := range z.Data {
			out.Data[i] = float32((float64(v) - math.Sqrt(1-l.AlphaBar)*float64(eps.Data[i])) / math.Sqrt(l.AlphaBar) / a.Config().ScalingFactor)
		}
		return out
	}
	value := func(z tensor.Batch) float64 {
		eps, image := z.Clone(), cotangent.Clone()
		if err := b.Predict(t.Context(), eps, z, step); err != nil {
			t.Fatal(err)
		}
		if err := a.Decoder.Apply(t.Context(), image, estimate(z, eps)); err != nil {
			t.Fatal(err)
		}
		return dot(image.Data, cotangent.Data)
	}
	eps, image, dz, through := z.Clone(), cotangent.Clone(), z.Clone(), z.Clone()
	back, err := b.Linearize(t.Context(), eps, z, step)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := a.Decoder.Linearize(t.Context(), image, estimate(z, eps))
	if err != nil {
		t.Fatal(err)
	}
	if err := decoded.VJP(t.Context(), dz, cotangent); err != nil {
		t.Fatal(err)
	}
	rescale(dz.Data, 1/(math.Sqrt(l.AlphaBar)*a.Config().ScalingFactor))
	if err := back.VJP(t.Context(), through, dz); err != nil {
		t.Fatal(err)
	}
	for i, v := range through.Data {
		dz.Data[i] -= float32(math.Sqrt(1-l.AlphaBar) * float64(v))
	}
	for k := range 3 {
		differences(t, fmt.Sprintf("direction %d", k), z.Data, random(len(z.Data), 40+k), dz.Data, func() float64 { return value(z) })
	}
}
