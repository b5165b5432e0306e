package nn

import "math"

// embedding turns a timestep into width/2 sines followed by as many cosines of
// geometric frequencies from 1 to 1/10000. Source: Vaswani et al., "Attention is
// all you need" (2017), section 3.5, with the frequencies as in Ho, Jain and
// Abbeel, "Denoising diffusion probabilistic models" (2020).
type embedding struct{ frequencies []float32 }

func newEmbedding(width int) *embedding {
	half := width / 2
	e := &embedding{frequencies: make([]float32, half)}
	// Frequencies and angles are rounded to float32 where PyTorch does.
	step := float32(math.Log(10000) / float64(half-1))
	for k := range e.frequencies {
		e.frequencies[k] = float32(math.Exp(float64(float32(k) * -step)))
	}
	return e
}

func (e *embedding) write(dst []float32, t float64) {
	for k, f := range e.frequencies {
		angle := float64(float32(t) * f)
		dst[k] = float32(math.Sin(angle))
		dst[len(e.frequencies)+k] = float32(math.Cos(angle))
	}
}
