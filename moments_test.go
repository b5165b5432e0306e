package pcd_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Langevin dynamics of a Gaussian is an autoregressive chain: its stationary
// variance is σ²/(1-δ/2σ²), and the mean is exact.
func TestLangevinMoments(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of smaller draws")
	}
	const step, variance = 0.05, 0.6
	n := thorough.Cases(10000, 40000)
	r := mustSample(t, pcd.Problem{
		Variables: []pcd.Variable{{Model: gaussian(t, tensor.Shape{1}, 4.5, variance, nil)}},
		Dynamics:  pcd.LMC{Step: step, Length: 300},
	}, pcd.Options{Samples: n, Seed: 1})
	mean, v := moments(r.Samples[0].Data)
	want := variance / (1 - step/(2*variance))
	within(t, "mean", mean, 4.5, math.Sqrt(want/float64(n)), 0)
	within(t, "variance", v, want, want*math.Sqrt(2.0/float64(n)), 0)
}

// Two coupled Gaussians with a quadratic cost are jointly Gaussian: the chain is
// linear, so its stationary covariance solves C = A C Aᵀ + 2δ I.
func TestCoupledLangevinMoments(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of smaller draws")
	}
	const step, gamma = 0.05, 0.7
	n := thorough.Cases(10000, 40000)
	attraction := cost.Func{Name: "attraction", Vars: 2, Eval: func(grad, x [][]float32) float64 {
		d := x[0][0] - x[1][0]
		if grad != nil {
			grad[0][0], grad[1][0] = d, -d
		}
		return float64(d) * float64(d) / 2
	}}
	r := mustSample(t, pcd.Problem{
		Variables: []pcd.Variable{
			{Name: "x", Model: gaussian(t, tensor.Shape{1}, 0, 0.6, nil)},
			{Name: "y", Model: gaussian(t, tensor.Shape{1}, 0, 1, nil)},
		},
		Couplings: []pcd.Coupling{{Cost: attraction, Strength: gamma, Scale: pcd.ByStepSize}},
		Dynamics:  pcd.LMC{Step: step, Length: 300},
	}, pcd.Options{Samples: n, Seed: 2})
	// Precision of the stationary law of the continuous chain, and its matrix A.
	a := [2][2]float64{{1 - step*(1/0.6+gamma), step * gamma}, {step * gamma, 1 - step*(1+gamma)}}
	var c [2][2]float64
	for range 4000 {
		var next [2][2]float64
		for i := range 2 {
			for j := range 2 {
				for k := range 2 {
					for l := range 2 {
						next[i][j] += a[i][k] * c[k][l] * a[j][l]
					}
				}
			}
			next[i][i] += 2 * step
		}
		c = next
	}
	x, y := r.Samples[0].Data, r.Samples[1].Data
	_, vx := moments(x)
	_, vy := moments(y)
	cov := 0.0
	for k := range x {
		cov += float64(x[k]) * float64(y[k]) / float64(n)
	}
	within(t, "variance of x", vx, c[0][0], c[0][0]*math.Sqrt(2.0/float64(n)), 0)
	within(t, "variance of y", vy, c[1][1], c[1][1]*math.Sqrt(2.0/float64(n)), 0)
	within(t, "covariance", cov, c[0][1], math.Sqrt((c[0][0]*c[1][1]+c[0][1]*c[0][1])/float64(n)), 0)
}

// For Gaussian data every DDPM step is linear, so the moments of the chain follow
// a recursion that knows nothing of the sampler.
func TestDDPMMomentsOnAGaussian(t *testing.T) {
	const mu, sigma2 = 0.4, 0.15
	n := thorough.Cases(10000, 40000)
	for _, steps := range []int{32, 100} {
		s := cosine(t, steps)
		r := mustSample(t, pcd.Problem{
			Variables: []pcd.Variable{{Model: gaussian(t, tensor.Shape{2}, mu, sigma2, s)}},
			Dynamics:  pcd.DDPM{Schedule: s},
		}, pcd.Options{Samples: n, Seed: 3})
		mean, variance := 0.0, 1.0
		for i := steps - 1; i >= 0; i-- {
			st := s.At(i)
			gain := sigma2 * st.SqrtAlphaBar / (sigma2*st.AlphaBar + 1 - st.AlphaBar)
			slope := st.CoefX0*gain + st.CoefXt
			mean = st.CoefX0*(mu-gain*st.SqrtAlphaBar*mu) + slope*mean
			variance *= slope * slope
			if i > 0 {
				variance += st.PosteriorVariance
			}
		}
		m, v := moments(r.Samples[0].Data)
		within(t, fmt.Sprintf("%d steps: mean", steps), m, mean, math.Sqrt(variance/float64(2*n)), 1e-4)
		within(t, fmt.Sprintf("%d steps: variance", steps), v, variance, variance*math.Sqrt(1.0/float64(n)), 1e-4)
		// The chain itself is narrower than the data, the more so the fewer steps.
		within(t, fmt.Sprintf("%d steps: variance of the data", steps), v, sigma2, 0, 10/float64(steps)*sigma2)
	}
}

// A hundred steps on a mixture reproduce its weights, means and variances.
func TestDDPMMomentsOnAMixture(t *testing.T) {
	n := thorough.Cases(10000, 40000)
	s := cosine(t, 100)
	for _, kind := range []schedule.Kind{schedule.Score, schedule.Epsilon, schedule.X0, schedule.V} {
		m, err := denoise.Convert(mixture(t, tensor.Shape{1}, s), kind, s)
		if err != nil {
			t.Fatal(err)
		}
		r := mustSample(t, pcd.Problem{
			Variables: []pcd.Variable{{Model: m}},
			Dynamics:  pcd.DDPM{Schedule: s},
		}, pcd.Options{Samples: n, Seed: 4})
		var left, right []float32
		for _, x := range r.Samples[0].Data {
			if x < 0 {
				left = append(left, x)
			} else {
				right = append(right, x)
			}
		}
		within(t, kind.String()+": share of the left mode", float64(len(left))/float64(n), 2.0/3, math.Sqrt(2.0/9/float64(n)), 0.01)
		ml, vl := moments(left)
		within(t, kind.String()+": left mean", ml, -0.6, 0.2/math.Sqrt(2*float64(n)/3), 0.01)
		within(t, kind.String()+": left variance", vl, 0.04, 0, 0.006) // ancestral sampling narrows modes
		mr, _ := moments(right)
		within(t, kind.String()+": right mean", mr, 0.7, 0.2/math.Sqrt(float64(n)/3), 0.01)
	}
}
