package latent_test

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/denoise/analytic"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// brightness is a cost of two latents that is the lower, the more their means differ. It
// implements cost.Cost.
type brightness struct{}

func (brightness) Check([]tensor.Shape) error { return nil }

func (brightness) Add(_ context.Context, values []float64, grad, x []tensor.Batch, weight float64) error {
	for k := range x[0].N {
		d := mean(x[0].Sample(k)) - mean(x[1].Sample(k))
		if values != nil {
			values[k] -= weight * d * d / 2
		}
		for i, sign := range []float64{-1, 1} {
			for j := range grad[i].Sample(k) {
				grad[i].Sample(k)[j] += float32(weight * sign * d / float64(x[0].Size()))
			}
		}
	}
	return nil
}

func mean(x []float32) (sum float64) {
	for _, v := range x {
		sum += float64(v) / float64(len(x))
	}
	return sum
}

// Pairs of images that a cost of one's own drives apart, within the hulls of their
// exemplars. Their models are Gaussians here: those of a folder are [latent.Model.Denoiser],
// and exemplars are pictures of one's own through [latent.Codec.Encode].
func ExampleEnsemble() {
	shape := tensor.Shape{4, 8, 8}
	chain, err := schedule.ScaledLinear(50, 0.001, 0.2)
	if err != nil {
		panic(err)
	}
	model, err := analytic.NewGaussian(shape, []float64{0}, []float64{1}, chain)
	if err != nil {
		panic(err)
	}
	exemplars := tensor.New(2, shape...) // a dark one and a bright one
	for j := range exemplars.Sample(0) {
		exemplars.Sample(0)[j], exemplars.Sample(1)[j] = -1, 1
	}
	e := latent.Ensemble{Dynamics: pcd.DDPM{Schedule: chain}, Members: []latent.Member{
		{Name: "left", Model: model, Exemplars: exemplars}, {Name: "right", Model: model, Exemplars: exemplars},
	}}
	p, _, err := e.Problem()
	if err != nil {
		panic(err)
	}
	apart := func() (sum float64) {
		result, err := pcd.Sample(context.Background(), p, pcd.Options{Samples: 4})
		if err != nil || !result.Certificate.Certified {
			panic(fmt.Sprint(err, result.Certificate))
		}
		for k := range 4 {
			d := mean(result.Samples[0].Sample(k)) - mean(result.Samples[1].Sample(k))
			sum += d * d
		}
		return sum
	}
	before := apart()
	p.Couplings = []pcd.Coupling{{Cost: brightness{}, Strength: 200, Scale: pcd.ByNoiseRate}}
	after := apart()
	fmt.Println("further apart:", after > 1.1*before)
	// Output: further apart: true
}
