package schedule

import (
	"fmt"
	"math"
)

// maxSteps is more than any training has: whoever asks for more has mistyped, and gets an error while there is memory.
const maxSteps = 1 << 20

// Exponential returns the schedule of the multi-robot models: n betas spaced
// geometrically from betaStart to betaEnd, in float32 arithmetic. With 25 steps
// from 1e-4 to 1 the last beta is 0.99999917 in float32; in exact arithmetic it
// is 1 and the model divides by zero. Source: Motion Planning Diffusion.
func Exponential(n int, betaStart, betaEnd float64) (*Schedule, error) {
	name := fmt.Sprintf("exponential(%d, %g, %g)", n, betaStart, betaEnd)
	if n < 2 || n > maxSteps || !(betaStart > 0) || !(betaEnd > betaStart) {
		return nil, fmt.Errorf("schedule: %s: want at least 2 steps, at most %d, and 0 < start < end", name, maxSteps)
	}
	start := float32(betaStart)
	rate := float32(1/float64(n)) * float32(math.Log(float64(float32(betaEnd)/start)))
	betas := make([]float32, n)
	for i, x := range linspace32(float32(n), n) {
		betas[i] = start * exp32(rate*x)
	}
	return fromFloat32(name, betas)
}

// exp32 is the float32 exponential of the vector library behind the published
// tables (SLEEF, 1 ulp): a correctly rounded one changes two betas in their last
// bit.
func exp32(x float32) float32 {
	q := float32(math.RoundToEven(float64(x * math.Log2E)))
	s := fma32(q, -0.693145751953125, x)
	s = fma32(q, -1.428606765330187045e-06, s)
	u := float32(0.000198527617612853646278381)
	for _, c := range []float32{0.00139304355252534151077271, 0.00833336077630519866943359,
		0.0416664853692054748535156, 0.166666671633720397949219, 0.5} {
		u = fma32(u, s, c)
	}
	return float32(math.Ldexp(float64(fma32(s*s, u, s)+1), int(q)))
}

// linspace32 returns n points from 0 to end, stepping from the nearer end with
// fused multiply-adds as PyTorch does, so that both ends are exact.
func linspace32(end float32, n int) []float32 {
	step := end / float32(n-1)
	x := make([]float32, n)
	for i := range x {
		if i < n/2 {
			x[i] = step * float32(i)
		} else {
			x[i] = fma32(-step, float32(n-1-i), end)
		}
	}
	return x
}

func fma32(a, b, c float32) float32 {
	return float32(math.FMA(float64(a), float64(b), float64(c)))
}

// SquaredCosine returns the schedule of Nichol and Dhariwal (2021) with n steps:
// ᾱ(u) = cos²((u+0.008)/1.008 · π/2) and betas of at most 0.999. Betas are
// rounded to float32 and ᾱ is their float32 running product, as in the published
// manipulation policies.
func SquaredCosine(n int) (*Schedule, error) {
	name := fmt.Sprintf("squared-cosine(%d)", n)
	if n < 1 || n > maxSteps {
		return nil, fmt.Errorf("schedule: %s: want at least 1 step, at most %d", name, maxSteps)
	}
	bar := func(i int) float64 {
		c := math.Cos((float64(i)/float64(n) + 0.008) / 1.008 * math.Pi / 2)
		return c * c
	}
	betas := make([]float32, n)
	for i := range betas {
		betas[i] = float32(min(1-bar(i+1)/bar(i), 0.999))
	}
	return fromFloat32(name, betas)
}

// Linear returns n betas spaced evenly from betaStart to betaEnd.
func Linear(n int, betaStart, betaEnd float64) (*Schedule, error) {
	return spaced(fmt.Sprintf("linear(%d, %g, %g)", n, betaStart, betaEnd), n, betaStart, betaEnd,
		func(x float64) float64 { return x })
}

// ScaledLinear returns n betas whose square roots are spaced evenly, as in latent
// diffusion: Stable Diffusion uses 1000 steps from 0.00085 to 0.012.
func ScaledLinear(n int, betaStart, betaEnd float64) (*Schedule, error) {
	return spaced(fmt.Sprintf("scaled-linear(%d, %g, %g)", n, betaStart, betaEnd), n, math.Sqrt(betaStart), math.Sqrt(betaEnd),
		func(x float64) float64 { return x * x })
}

func spaced(name string, n int, from, to float64, beta func(float64) float64) (*Schedule, error) {
	if n < 2 || n > maxSteps {
		return nil, fmt.Errorf("schedule: %s: want at least 2 steps, at most %d", name, maxSteps)
	}
	betas := make([]float64, n)
	for i := range betas {
		betas[i] = beta(from + (to-from)*float64(i)/float64(n-1))
	}
	return FromBetas(name, betas)
}

// fromFloat32 builds the schedule as the published buffers were computed: betas
// in float32, ᾱ their product accumulated in float64 and rounded, and everything
// else in float32 from those.
func fromFloat32(name string, betas []float32) (*Schedule, error) {
	bars := make([]float32, len(betas))
	bar := 1.0
	for i, b := range betas {
		bar *= float64(1 - b)
		bars[i] = float32(bar)
	}
	return fromTables(name, betas, bars)
}
