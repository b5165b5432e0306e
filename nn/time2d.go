package nn

import "math"

// timeFeatures turns a timestep into sines and cosines of geometric frequencies, width/2
// of each. Source: Ho, Jain and Abbeel, "Denoising diffusion probabilistic models"
// (2020). Angles are products of float32 numbers, as in the published networks: near
// t = 1000 they are up to 6e-5 from the exact ones.
type timeFeatures struct {
	frequencies []float32
	cosineFirst bool
}

// newTimeFeatures returns features whose last frequency would be 1/10000 after shift
// fewer steps.
func newTimeFeatures(width int, cosineFirst bool, shift float64) *timeFeatures {
	half := width / 2
	f := &timeFeatures{frequencies: make([]float32, half), cosineFirst: cosineFirst}
	base := float32(-math.Log(10000))
	for i := range f.frequencies {
		f.frequencies[i] = float32(math.Exp(float64(base * float32(i) / float32(float64(half)-shift))))
	}
	return f
}

func (f *timeFeatures) write(dst []float32, t float64) {
	half := len(f.frequencies)
	sine, cosine := dst[:half], dst[half:]
	if f.cosineFirst {
		sine, cosine = cosine, sine
	}
	for i, frequency := range f.frequencies {
		angle := float64(float32(t) * frequency)
		sine[i] = float32(math.Sin(angle))
		cosine[i] = float32(math.Cos(angle))
	}
}

// timeEmbedding is the map from the timestep to its embedding: features and two linear
// maps with SiLU between them.
type timeEmbedding struct {
	features      *timeFeatures
	first, second *conv2d
}

func newTimeEmbedding(p *params, name string, f *timeFeatures, out int) *timeEmbedding {
	return &timeEmbedding{f,
		newRows(p, name+".linear_1", 2*len(f.frequencies), out, true),
		newRows(p, name+".linear_2", out, out, true)}
}

// timeEmbedding lays out the embedding, once for all samples where they share the
// timestep.
func (g *graph) timeEmbedding(l *timeEmbedding) *signal {
	g.timed = true
	g.once = g.purpose != training && g.purpose != observing
	e := g.signal(1, 2*len(l.features.frequencies))
	g.does(func(r *run) {
		for i := range r.n {
			l.features.write(r.vector(e, i), r.timestep(i))
		}
	}, e)
	g.watch("time_proj", e)
	out := g.conv(l.second, g.activate(silu, g.conv(l.first, e)))
	g.watch("time_embedding", out)
	g.once = false
	return out
}

// activateTime lays out the activation of a time embedding, once where it is.
func (g *graph) activateTime(time *signal) *signal {
	g.once = time.place == shared
	out := g.activate(silu, time)
	g.once = false
	return out
}
