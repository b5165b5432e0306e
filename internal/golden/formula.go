package golden

import (
	"hash/fnv"
	"math"
	"strings"
	"sync"
)

// Formula returns the numbers in [-1, 1) that a name stands for, the i-th from a hash of
// the name and i: weights of networks of any size that no file has to hold. Source: the
// reference vectors of the published sizes.
func Formula(name string) func(i int) float64 { return Seeded(name, 4242) }

// Seeded is [Formula] with numbers that depend on a seed, too.
func Seeded(name string, seed uint64) func(i int) float64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	start := h.Sum64() ^ seed
	return func(i int) float64 {
		s := start + uint64(i+1)*0x9E3779B97F4A7C15
		s = (s ^ s>>30) * 0xBF58476D1CE4E5B9
		s = (s ^ s>>27) * 0x94D049BB133111EB
		return 2*float64((s^s>>31)>>40)/(1<<24) - 1
	}
}

// Weights returns the parameter of a shape that a name stands for: gain over the root of
// the fan-in for products, values around 1 for normalisations, small ones otherwise.
func Weights(name string, gain float64, shape ...int) []float32 {
	return weightsOf(Formula(name), name, gain, shape...)
}

// SeededWeights is [Weights] with numbers that depend on a seed, too.
func SeededWeights(name string, seed uint64, shape ...int) []float32 {
	return weightsOf(Seeded(name, seed), name, 1, shape...)
}

// weightsOf is [Weights] of the numbers u.
func weightsOf(u func(i int) float64, name string, gain float64, shape ...int) []float32 {
	n := 1
	for _, s := range shape {
		n *= s
	}
	f := func(u float64) float64 { return 0.05 * u }
	switch {
	case len(shape) > 1:
		scale := gain * math.Sqrt(3/(float64(n)/float64(shape[0])))
		f = func(u float64) float64 { return u * scale }
	case strings.HasSuffix(name, ".weight") || strings.HasSuffix(name, ".running_var"):
		f = func(u float64) float64 { return 1 + 0.1*u }
	}
	out := make([]float32, n)
	var wait sync.WaitGroup
	for lo := 0; lo < n; lo += n/4 + 1 {
		wait.Go(func() {
			for i := lo; i < min(lo+n/4+1, n); i++ {
				out[i] = float32(f(u(i)))
			}
		})
	}
	wait.Wait()
	return out
}
