package nn

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/tensor"
)

func newAutoencoder(t *testing.T, dir string, tensors map[string]golden.Array) *AutoencoderKL {
	t.Helper()
	config, err := parseAutoencoder(readFile(t, dir+"/config.json"))
	if err != nil {
		t.Fatal(err)
	}
	config.Workers = 2
	a, err := NewAutoencoderKL(config)
	if err != nil {
		t.Fatal(err)
	}
	fillParams(t, a, tensors)
	return a
}

func TestAutoencoderKLAgainstPublished(t *testing.T) {
	imageCases(t, "vae", func(t *testing.T, c golden.Case) {
		a, io := newAutoencoder(t, c.Dir, golden.Safetensors(t, c.Dir+"/weights.safetensors")), golden.Safetensors(t, c.Dir+"/io.safetensors")
		image, latent := asBatch(t, io["in.image"]), asBatch(t, io["in.latent_scaled"])
		rescale(latent.Data, 1/a.Config().ScalingFactor)
		dImage := checkMap(t, c, a.Encoder, image, asBatch(t, io["in.cotangent_moments"]), io, "out.moments")
		c.Check(t, "out.vjp.encode.x", dImage, io["out.vjp.encode.x"])
		dLatent := checkMap(t, c, a.Decoder, latent, asBatch(t, io["in.cotangent_image"]), io, "out.decoded")
		rescale(dLatent, 1/a.Config().ScalingFactor) // the product is with the Jacobian at the scaled latent
		c.Check(t, "out.vjp.decode.z", dLatent, io["out.vjp.decode.z"])
		checkGradientsNamed(t, c, a, "out.vjp.param.", io)
		checkActivations(t, c, &a.Encoder.engine, mapBindings(a.Encoder, image), part(io, "out.act.encoder."))
		checkActivations(t, c, &a.Decoder.engine, mapBindings(a.Decoder, latent), part(io, "out.act.decoder."))
		checkPosterior(t, c, a, image, io)
	})
}

// part returns the arrays whose names begin with a prefix.
func part(io map[string]golden.Array, prefix string) map[string]golden.Array {
	out := map[string]golden.Array{}
	for name, v := range io {
		if strings.HasPrefix(name, prefix) {
			out[name] = v
		}
	}
	return out
}

// mapBindings returns the arrays of a prediction.
func mapBindings(m *Map, x tensor.Batch) bindings {
	b, out, err := m.bind(x)
	if err != nil {
		panic(err)
	}
	b.out[0] = make([]float32, x.N*out.Size())
	return b
}

// checkMap compares what comes out. It returns the product with the Jacobian, which is the
// same at once, in two steps and of a training, and leaves the gradients of the parameters.
func checkMap(t *testing.T, c golden.Case, m *Map, x, cotangent tensor.Batch, io map[string]golden.Array, out string) []float32 {
	t.Helper()
	y, dx, again := cotangent.Clone(), x.Clone(), x.Clone()
	if err := m.Apply(t.Context(), y, x); err != nil {
		t.Fatal(err)
	}
	c.Check(t, out, y.Data, io[out])
	if err := m.VJP(t.Context(), dx, x, cotangent); err != nil {
		t.Fatal(err)
	}
	back, err := m.Linearize(t.Context(), y, x)
	if err != nil {
		t.Fatal(err)
	}
	if err := back.VJP(t.Context(), again, cotangent); err != nil {
		t.Fatal(err)
	}
	golden.Close(t, "product in two steps", again.Data, dx.Data, 0, 0)
	tr, err := m.NewTraining(x.N, x.Shape, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Forward(t.Context(), y, Examples{X: x}); err != nil {
		t.Fatal(err)
	}
	if err := tr.BackwardInput(t.Context(), Examples{X: again}, cotangent); err != nil {
		t.Fatal(err)
	}
	golden.Close(t, "gradient of the samples", again.Data, dx.Data, 0, 0)
	return dx.Data
}

// rescale multiplies by a factor.
func rescale(x []float32, by float64) {
	for i, v := range x {
		x[i] = float32(float64(v) * by)
	}
}

// checkPosterior compares what follows from the moments.
func checkPosterior(t *testing.T, c golden.Case, a *AutoencoderKL, image tensor.Batch, io map[string]golden.Array) {
	t.Helper()
	shape, err := a.Encoder.Output(image.Shape)
	if err != nil {
		t.Fatal(err)
	}
	moments := tensor.New(image.N, shape...)
	if err := a.Encoder.Apply(t.Context(), moments, image); err != nil {
		t.Fatal(err)
	}
	p := a.Posterior(moments)
	sample := p.Mean.Clone()
	p.Sample(sample, io["in.posterior_noise"].Data)
	rescale(sample.Data, a.Config().ScalingFactor)
	std := make([]float32, len(p.LogVar.Data))
	for i, v := range p.LogVar.Data {
		std[i] = float32(math.Exp(float64(v) / 2))
	}
	kl := make([]float32, p.Mean.N)
	for i, v := range p.KL() {
		kl[i] = float32(v)
	}
	for name, got := range map[string][]float32{"out.mean": p.Mean.Data, "out.logvar": p.LogVar.Data, "out.std": std,
		"out.latent_sample_scaled": sample.Data, "out.kl_per_sample": kl} {
		c.Check(t, name, got, io[name])
	}
}

// TestOldAttentionNames renames the tensors as files of before 2023 do.
func TestOldAttentionNames(t *testing.T) {
	imageCases(t, "vae", func(t *testing.T, c golden.Case) {
		var old map[string]string
		if err := json.Unmarshal(readFile(t, c.Dir+"/deprecated_attention_names.json"), &old); err != nil {
			t.Fatal(err)
		}
		if len(old) != 20 {
			t.Fatalf("%d names, want 20", len(old))
		}
		for now, then := range old {
			if got := CurrentName(then); got != now {
				t.Errorf("CurrentName(%q) = %q, want %q", then, got, now)
			}
			if got := CurrentName(now); got != now {
				t.Errorf("CurrentName(%q) = %q, want no change", now, got)
			}
		}
	})
}
