package nn

import (
	"math"

	"github.com/go-pcd/pcd/tensor"
)

// Posterior is the distribution of latents that an encoder returns: independent normal
// variables.
type Posterior struct {
	Mean   tensor.Batch
	LogVar tensor.Batch // logarithms of the variances, in [-30, 20]
}

// Posterior splits moments, as the encoder returns them.
func (a *AutoencoderKL) Posterior(moments tensor.Batch) Posterior {
	shape := append(tensor.Shape{moments.Shape[0] / 2}, moments.Shape[1:]...)
	p := Posterior{tensor.New(moments.N, shape...), tensor.New(moments.N, shape...)}
	p.Mean.First, p.LogVar.First = moments.First, moments.First
	size := shape.Size()
	for i := range moments.N {
		m := moments.Sample(i)
		copy(p.Mean.Sample(i), m[:size])
		for j, v := range m[size:] {
			p.LogVar.Sample(i)[j] = min(max(v, -30), 20)
		}
	}
	return p
}

// Sample writes mean + σ noise to dst, which has the shape of the mean.
func (p Posterior) Sample(dst tensor.Batch, noise []float32) {
	for i, n := range noise {
		dst.Data[i] = float32(float64(p.Mean.Data[i]) + math.Exp(float64(p.LogVar.Data[i])/2)*float64(n))
	}
}

// KL returns the Kullback-Leibler divergence of every sample's posterior from the
// standard normal distribution, in nats.
func (p Posterior) KL() []float64 {
	out := make([]float64, p.Mean.N)
	size := p.Mean.Size()
	for i, m := range p.Mean.Data {
		l := float64(p.LogVar.Data[i])
		out[i/size] += 0.5 * (float64(m)*float64(m) + math.Exp(l) - 1 - l)
	}
	return out
}
