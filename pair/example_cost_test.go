package pair_test

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/pair"
	_ "github.com/go-pcd/pcd/pair/bundled"
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

// Pairs of portraits that a cost of one's own drives apart, within the hulls of their
// exemplars.
func ExampleRequest_Problem() {
	model, err := pair.Bundled()
	if err != nil {
		panic(err)
	}
	r := pair.Request{Model: model, Method: pair.SDP, Members: pair.DrawMembers(pair.Age, 2, 2), Pairs: 4, Steps: 8}
	p, err := r.Problem(context.Background())
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
	p.Couplings = []pcd.Coupling{{Cost: brightness{}, Strength: 2e5, Scale: pcd.ByNoiseRate}}
	fmt.Println("further apart:", apart() > 1.1*before)
	// Output: further apart: true
}
