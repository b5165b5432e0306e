package projectbench

import (
	"math"
	"math/rand/v2"

	"github.com/go-pcd/pcd/tensor"
)

// Paths returns paths of n points along an arc of radius 0.6 and length 1.08,
// which needs steps of 0.017 for 63 points, plus normal noise, and their starts.
func Paths(seed uint64, rows, n int, noise float64) (x, start tensor.Batch) {
	r := rand.New(rand.NewPCG(seed, 1))
	x, start = tensor.New(rows, n, 2), tensor.New(rows, 2)
	for k := range rows {
		phase := 2 * math.Pi * r.Float64()
		for h := 0; h <= n; h++ {
			s, c := math.Sincos(phase + 1.8*float64(h)/float64(n))
			if h == 0 {
				copy(start.Sample(k), []float32{float32(0.6 * c), float32(0.6 * s)})
				continue
			}
			x.Sample(k)[2*h-2] = float32(0.6*c + noise*r.NormFloat64())
			x.Sample(k)[2*h-1] = float32(0.6*s + noise*r.NormFloat64())
		}
	}
	return x, start
}
