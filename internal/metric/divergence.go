package metric

import (
	"math"
	"slices"
)

// Divergence holds three distances between two empirical distributions, each
// given as counts in the same bins.
type Divergence struct {
	JS float64 `json:"js"` // Jensen-Shannon divergence, in nats
	TV float64 `json:"tv"` // total variation, half the sum of the absolute differences
	L2 float64 `json:"l2"` // Euclidean norm of the difference of the bin probabilities
}

// Compare returns the divergence of two histograms over the same bins. Counts
// that sum to zero have no distribution: every distance is then NaN.
func Compare(p, q []int) Divergence {
	np, nq := float64(total(p)), float64(total(q))
	var d Divergence
	for i := range p {
		a, b := float64(p[i])/np, float64(q[i])/nq
		m := (a + b) / 2
		d.JS += (entropyTerm(a, m) + entropyTerm(b, m)) / 2
		d.TV += math.Abs(a-b) / 2
		d.L2 += (a - b) * (a - b)
	}
	d.L2 = math.Sqrt(d.L2)
	return d
}

// entropyTerm returns p ln(p/m), which is 0 at p = 0.
func entropyTerm(p, m float64) float64 {
	if p == 0 {
		return 0
	}
	return p * math.Log(p/m)
}

// NoiseFloor returns the divergence to expect between two groups of n samples of
// one law, given their pooled histogram: E JS ≈ K/4n for K occupied bins,
// E TV ≈ Σ √p_i / √(πn) and E L2 ≈ √(2/n · (1 - Σ p_i²)).
func NoiseFloor(pooled []int, n int) Divergence {
	all := float64(total(pooled))
	occupied, roots, squares := 0.0, 0.0, 0.0
	for _, c := range pooled {
		if c > 0 {
			occupied++
		}
		p := float64(c) / all
		roots += math.Sqrt(p)
		squares += p * p
	}
	wide := float64(n)
	return Divergence{JS: occupied / (4 * wide), TV: roots / math.Sqrt(math.Pi*wide), L2: math.Sqrt(2 / wide * (1 - squares))}
}

// SharedRange returns the smallest and largest value of two groups, which must
// not be empty.
func SharedRange(a, b []float32) (lo, hi float64) {
	return float64(min(slices.Min(a), slices.Min(b))), float64(max(slices.Max(a), slices.Max(b)))
}

// Histogram counts values in equal bins over [lo, hi], both edges included;
// values outside are not counted.
func Histogram(v []float32, lo, hi float64, bins int) []int {
	counts := make([]int, bins)
	for _, x := range v {
		if k, ok := bin(float64(x), lo, hi, bins); ok {
			counts[k]++
		}
	}
	return counts
}

// bin returns the bin of x among equal bins over [lo, hi].
func bin(x, lo, hi float64, bins int) (int, bool) {
	if !(x >= lo && x <= hi) {
		return 0, false
	}
	if hi == lo {
		return 0, true
	}
	return min(int((x-lo)/(hi-lo)*float64(bins)), bins-1), true
}

func total(counts []int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}
