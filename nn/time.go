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

// newFeatures returns sines followed by as many cosines whose frequencies go from 1 to 1/10000,
// rounded where the published networks of sequences do. Source: Vaswani et al., "Attention is all
// you need" (2017), section 3.5.
func newFeatures(width int) *timeFeatures {
	f := &timeFeatures{frequencies: make([]float32, width/2)}
	step := float32(math.Log(10000) / float64(width/2-1))
	for k := range f.frequencies {
		f.frequencies[k] = float32(math.Exp(float64(float32(k) * -step)))
	}
	return f
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
// maps with an activation between them.
type timeEmbedding struct {
	features      *timeFeatures
	first, second *conv
	between       activation
	guidance      *conv // of the features of a strength of guidance, or nil
}

func newTimeEmbedding(p *params, f *timeFeatures, out int) *timeEmbedding {
	return &timeEmbedding{features: f, between: silu,
		first:  newLinear(p, "time_embedding.linear_1", 2*len(f.frequencies), out, true),
		second: newLinear(p, "time_embedding.linear_2", out, out, true)}
}

// newStepEmbedding makes the embedding of networks of sequences: Mish between maps to four times
// the width and back.
func newStepEmbedding(p *params, first, second string, width int) *timeEmbedding {
	return &timeEmbedding{features: newFeatures(width), between: mish,
		first:  newLinear(p, first, width, 4*width, true),
		second: newLinear(p, second, 4*width, width, true)}
}

// takeGuidance gives the embedding a map from features of a strength of guidance.
func (l *timeEmbedding) takeGuidance(p *params, name string, width int) {
	l.guidance = newLinear(p, name+".cond_proj", width, 2*len(l.features.frequencies), false)
}

// guidanceFeatures returns sines, then cosines, of a strength of guidance at geometric
// frequencies: width/2 of each, whose last is 1/10000. Without guidance, at the strength 1, the
// sines are 0. Source: Luo et al., "Latent consistency models" (2023), as the library diffusers
// has it.
func guidanceFeatures(width int, strength float64) []float32 {
	out, half := make([]float32, width), width/2
	for k := range half {
		angle := 1000 * (strength - 1) * math.Exp(-float64(k)*math.Log(10000)/float64(half-1))
		out[k], out[half+k] = float32(math.Sin(angle)), float32(math.Cos(angle))
	}
	return out
}

// guidedBy adds what a strength of guidance gives to the features of the timestep.
func (g *graph) guidedBy(l *timeEmbedding, strength float64, features *signal) *signal {
	w := g.signal(1, l.guidance.in)
	values := guidanceFeatures(l.guidance.in, strength)
	g.does(func(r *run) {
		for i := range r.n {
			copy(r.vector(w, i), values)
		}
	}, w)
	return g.plus(features, g.conv(l.guidance, w))
}

// timeEmbedding lays out the embedding, once for all samples where they share the
// timestep.
func (g *graph) timeEmbedding(l *timeEmbedding) *signal { return g.timeAndGuidance(l, extent{}) }

// timeAndGuidance is timeEmbedding with a strength of guidance, if the call has one.
func (g *graph) timeAndGuidance(l *timeEmbedding, size extent) *signal {
	g.timed = true
	g.once = g.purpose != training && (g.purpose != observing || !g.joint)
	e := g.signal(1, 2*len(l.features.frequencies))
	g.does(func(r *run) {
		for i := range r.n {
			l.features.write(r.vector(e, i), r.timestep(i))
		}
	}, e)
	g.watch("time_proj", e)
	features := e
	if size.guided {
		features = g.guidedBy(l, size.guidance, e)
	}
	out := g.conv(l.second, g.activate(l.between, g.conv(l.first, features)))
	g.once = false
	g.watch("time_embedding", out)
	return out
}

// activateTime lays out the activation of a time embedding, once where it is.
func (g *graph) activateTime(time *signal) *signal {
	return g.onceFor(time, func() *signal { return g.activate(silu, time) })
}

// onceFor lays out what depends on a signal alone: once for all samples, where that is.
func (g *graph) onceFor(s *signal, lay func() *signal) *signal {
	g.once = s.place == shared
	out := lay()
	g.once = false
	return out
}
