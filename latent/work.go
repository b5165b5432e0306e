package latent

import (
	"context"
	"time"

	"github.com/go-pcd/pcd/tensor"
)

// Work is the arithmetic of a run by the definition of its layers, in operations: two for
// each multiplication. Normalisations, projections and whatever else is small beside them
// do not count.
type Work struct {
	Encode  float64 `json:"encode"`  // of exemplars
	Denoise float64 `json:"denoise"` // predictions
	Couple  float64 `json:"couple"`  // answers of a classifier, and their gradients
	Decode  float64 `json:"decode"`
}

// total returns the sum.
func (w Work) total() float64 { return w.Encode + w.Denoise + w.Couple + w.Decode }

// Plus returns the work of two runs.
func (w Work) Plus(o Work) Work {
	return Work{w.Encode + o.Encode, w.Denoise + o.Denoise, w.Couple + o.Couple, w.Decode + o.Decode}
}

// Seconds returns how long the work takes at a rate of operations per second, see
// [Model.Rate].
func (w Work) Seconds(rate float64) float64 { return w.total() / rate }

// Run says how much a run draws. Zeros count as one, unless something else is said.
type Run struct {
	Latent    tensor.Shape // of each, see [Codec.Latent]
	Latents   int          // that are drawn: two for each pair
	Steps     int          // 0 is 100
	Passes    int          // predictions of a latent in a step: 2 with guidance
	Exemplars int          // images that are encoded; 0 is none
	Coupled   *Classifier  // nil for none
	// Pictured counts how often the decoder is passed for a step of a latent, there or back,
	// where the classifier looks at pictures of estimates.
	Pictured int
}

// couplingPasses is what the gradient of a coupling takes, in predictions of the
// classifier: its answer, and the way back.
const couplingPasses = 2

// Work returns the arithmetic of a run.
func (m *Model) Work(r Run) (w Work, err error) {
	images, latents := float64(r.Exemplars), float64(max(r.Latents, 1))
	steps := r.Steps
	if steps == 0 {
		steps = publishedSteps
	}
	predictions := latents * float64(steps)
	net, _ := m.Codec.decoder()
	out, err := net.Output(r.Latent)
	if err != nil {
		return w, err
	}
	decode, err := net.MultiplyAdds(r.Latent)
	if err != nil {
		return w, err
	}
	encode, err := m.Codec.encoder().MultiplyAdds(out)
	if err != nil {
		return w, err
	}
	w.Encode, w.Decode = 2*images*float64(encode), 2*latents*float64(decode)
	w.Denoise = 2 * predictions * float64(max(r.Passes, 1)) * float64(m.multiplyAdds(r.Latent))
	if r.Coupled != nil {
		seen := r.Latent
		if r.Pictured > 0 {
			seen = out
		}
		answer, err := r.Coupled.Net.MultiplyAdds(seen)
		if err != nil {
			return w, err
		}
		w.Couple = 2 * predictions * (couplingPasses*float64(answer) + float64(r.Pictured)*float64(decode))
	}
	return w, nil
}

// multiplyAdds returns the multiplications of the prediction of a latent.
func (m *Model) multiplyAdds(latent tensor.Shape) int {
	rows := 1
	if m.Text != nil {
		rows = m.Text.Tokens.Length()
	}
	return m.Net.MultiplyAdds(latent[1], latent[2], rows)
}

// Rate returns how many operations per second the denoising network does on this machine,
// by the definition of its layers, from the second of two predictions of a latent of a
// shape: the first reads the weights. It takes seconds at the size of Stable Diffusion.
func (m *Model) Rate(ctx context.Context, latent tensor.Shape) (float64, error) {
	model, _, err := m.Denoiser(ctx, latent, Conditions{Guidance: 1}) // one prediction
	if err != nil {
		return 0, err
	}
	x, dst := tensor.New(1, latent...), tensor.New(1, latent...)
	var took time.Duration
	for range 2 {
		start := time.Now()
		if err := model.Predict(ctx, dst, x, m.Noise.Schedule.Len()-1); err != nil {
			return 0, err
		}
		took = time.Since(start)
	}
	return 2 * float64(m.multiplyAdds(latent)) / took.Seconds(), nil
}
