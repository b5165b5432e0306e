package schedule

import (
	"fmt"
	"math"
)

// Sigmas says how the noise levels of a grid are spaced.
type Sigmas int

// The ways; a and b are the sigmas of the noisy and the clean end.
const (
	ByTimestep    Sigmas = iota // those of the timesteps
	Karras                      // σ^(1/7) equally spaced (Karras et al. 2022, equation 5)
	Geometric                   // ln σ equally spaced
	BetaQuantiles               // quantiles of the beta distribution (0.6, 0.6) (Lee et al. 2024)
)

var sigmasNames = [...]string{"timestep", "karras", "exponential", "beta"}

// String returns the name of the way.
func (s Sigmas) String() string {
	if s < 0 || int(s) >= len(sigmasNames) {
		return fmt.Sprintf("Sigmas(%d)", int(s))
	}
	return sigmasNames[s]
}

// between returns n sigmas from a down to b. One alone is a.
func (s Sigmas) between(a, b float64, n int) []float64 {
	const rho = 7
	out := make([]float64, n)
	for i := range out {
		u := 0.0
		if n > 1 {
			u = float64(i) / float64(n-1)
		}
		switch s {
		case Karras:
			low, high := math.Pow(b, 1./rho), math.Pow(a, 1./rho)
			out[i] = math.Pow(high+u*(low-high), rho)
		case Geometric:
			out[i] = math.Exp(math.Log(a) + u*(math.Log(b)-math.Log(a)))
		default:
			out[i] = b + betaQuantile(1-u)*(a-b)
		}
	}
	return out
}

// whole returns the whole timestep of a real one as the diffusers library has it in DPM-Solver: it rounds those of Karras, and
// cuts the fractions of the others off.
func (s Sigmas) whole(at float64) float64 {
	const rounding = 1e-6 // of a σ at a whole timestep
	if s == Karras {
		return math.RoundToEven(at)
	}
	return math.Floor(at + rounding)
}

// betaQuantile returns the p-quantile of the beta distribution (0.6, 0.6), by bisection
// of its distribution function.
func betaQuantile(p float64) float64 {
	if p <= 0 || p >= 1 {
		return p
	}
	if p > 0.5 {
		return 1 - betaQuantile(1-p)
	}
	lo, hi := 0.0, 0.5
	for range 60 {
		mid := (lo + hi) / 2
		if betaShare(mid) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// betaShare returns the distribution function of the beta distribution (c, c), c = 0.6,
// for x up to a half: x^c/(c B(c, c)) times the series Σ (1-c)_k/k! · c/(c+k) x^k.
func betaShare(x float64) float64 {
	const c = 0.6
	sum, term := 0.0, 1.0
	for k := 0.0; term > 1e-18; k++ {
		sum += term * c / (c + k)
		term *= (1 - c + k) / (k + 1) * x
	}
	g, _ := math.Lgamma(c)
	g2, _ := math.Lgamma(2 * c)
	return math.Pow(x, c) * sum / c * math.Exp(g2-2*g)
}
