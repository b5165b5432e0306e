package nn

import (
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/internal/clipimage"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/tensor"
)

// fillFormula gives the parameters the values of the formula.
func fillFormula(n network, gain float64) {
	for _, p := range n.Params() {
		p.Data = golden.Weights(p.Name, gain, p.Shape...)
	}
	n.Refresh()
}

// formulaInput returns an input in [lo, hi].
func formulaInput(name string, lo, hi float64, n int, shape ...int) tensor.Batch {
	b, u := tensor.New(n, shape...), golden.Formula("input."+name)
	for i := range b.Data {
		b.Data[i] = float32(lo + (hi-lo)*(u(i)+1)/2)
	}
	return b
}

func TestFormula(t *testing.T) {
	for name, want := range map[string][]float64{
		"conv_in.weight":    {0.3833341598510742, -0.1133122444152832, -0.81409752368927, -0.7467659711837769, 0.049521446228027344},
		"input.unet.sample": {-0.5612887144088745, -0.3564363718032837, 0.2860910892486572, -0.669047474861145, 0.434346079826355},
	} {
		u := golden.Formula(name)
		for i, w := range want {
			if got := u(i); got != w {
				t.Errorf("number %d of %s is %v, want %v", i, name, got, w)
			}
		}
	}
}

// TestFullSize compares the networks of the published sizes, with weights of a formula.
// They are in the folder that PCD_GOLDEN_IMAGES names; the largest, which need gigabytes,
// run when PCD_FULLSIZE is set.
func TestFullSize(t *testing.T) {
	imageCases(t, "fullsize", func(t *testing.T, c golden.Case) {
		io := golden.Safetensors(t, c.Dir+"/io.safetensors")
		t.Run("latent_classifier", func(t *testing.T) { fullClassifier(t, c, io, "latent_classifier", 4, 256, -1) })
		t.Run("image_classifier", func(t *testing.T) { fullClassifier(t, c, io, "image_classifier", 3, 1024, 0) })
		t.Run("lpips", func(t *testing.T) { fullLPIPS(t, c, io) })
		if os.Getenv("PCD_FULLSIZE") == "" {
			t.Skip("PCD_FULLSIZE is not set: the networks that need gigabytes are left out")
		}
		t.Run("clip_visual", func(t *testing.T) { fullVision(t, c, io) })
		t.Run("vae", func(t *testing.T) { fullAutoencoder(t, c, io) })
		t.Run("text", func(t *testing.T) { fullText(t, c, io) })
		t.Run("unet", func(t *testing.T) { fullUNet(t, c, io) })
	})
}

// timed logs what a call takes.
func timed(t *testing.T, what string, f func() error) {
	t.Helper()
	start := time.Now()
	if err := f(); err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%s: %.2f s, heap %.2f GiB", what, time.Since(start).Seconds(), float64(m.HeapAlloc)/(1<<30))
}

// everyNth returns every step-th element of the last two axes.
func everyNth(b tensor.Batch, step int) (out []float32) {
	h, w := b.Shape[1], b.Shape[2]
	for plane := range b.N * b.Shape[0] {
		for y := 0; y < h; y += step {
			for x := 0; x < w; x += step {
				out = append(out, b.Data[(plane*h+y)*w+x])
			}
		}
	}
	return out
}

func fullClassifier(t *testing.T, c golden.Case, io map[string]golden.Array, name string, channels, hidden int, lo float64) {
	n, err := NewClassifier(ClassifierConfig{InChannels: channels, Heads: []ClassifierHead{
		{"age_group", hidden, make([]string, 10)}, {"gender", 128, make([]string, 2)}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range n.Buffers() {
		p.Data = golden.Weights(p.Name, 1, p.Shape...)
	}
	fillFormula(n, 1)
	x := []tensor.Batch{formulaInput(name+".first", lo, 1, 2, channels, 64, 64), formulaInput(name+".second", lo, 1, 2, channels, 64, 64)}
	logits := n.apply(t, x[0])
	c.Check(t, "out."+name+".age_group", n.answers(logits, 0), io["out."+name+".age_group"])
	c.Check(t, "out."+name+".gender", n.answers(logits, 1), io["out."+name+".gender"])
	xor := cost.XOR{Classifier: n.Question(0), Groups: [][]int{{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9}}}
	value, grad := make([]float64, 2), []tensor.Batch{tensor.New(2, x[0].Shape...), tensor.New(2, x[0].Shape...)}
	if err := xor.Add(t.Context(), value, grad, x, 0.5); err != nil {
		t.Fatal(err)
	}
	c.Check(t, "out."+name+".xor_loss", []float32{float32(value[0] + value[1])}, io["out."+name+".xor_loss"])
	c.Check(t, "out."+name+".grad_first_every8th", everyNth(grad[0], 8), io["out."+name+".grad_first_every8th"])
	norms := []float32{float32(norm2(grad[0].Sample(0))), float32(norm2(grad[0].Sample(1)))}
	c.Check(t, "out."+name+".grad_first_norm", norms, io["out."+name+".grad_first_norm"])
}

func fullLPIPS(t *testing.T, c golden.Case, io map[string]golden.Array) {
	n, err := NewLPIPS(LPIPSConfig{})
	if err != nil {
		t.Fatal(err)
	}
	fillFormula(n, math.Sqrt2)
	heads := golden.Safetensors(t, c.Dir+"/lpips_v0.1_vgg_lin.safetensors")
	for _, p := range n.Params() {
		if v, ok := heads[p.Name]; ok {
			copy(p.Data, v.Data)
		}
	}
	first, second := formulaInput("lpips.first", -1, 1, 2, 3, 64, 64), formulaInput("lpips.second", -1, 1, 2, 3, 64, 64)
	pairs := tensor.New(2, 2, 3, 64, 64)
	for i := range 2 {
		for j, v := range first.Sample(i) {
			pairs.Sample(i)[j] = v
			pairs.Sample(i)[first.Size()+j] = float32(0.6*float64(v) + 0.4*float64(second.Sample(i)[j]))
		}
	}
	parts := tensor.New(2, 5)
	if err := n.Apply(t.Context(), parts, pairs); err != nil {
		t.Fatal(err)
	}
	named := c
	named.Tolerances = map[string]golden.Tolerance{}
	renamed := map[string]golden.Array{}
	for name, v := range io {
		if rest, ok := strings.CutPrefix(name, "out.lpips_vgg."); ok {
			renamed["out."+rest], named.Tolerances["out."+rest] = v, c.Tolerances[name]
		}
	}
	checkParts(t, named, parts, renamed)
}

func fullVision(t *testing.T, c golden.Case, io map[string]golden.Array) {
	config := CLIPVisionConfig{Width: 768, Hidden: 3072, Heads: 12, Layers: 12, Channels: 3, ImageSize: 224, PatchSize: 32,
		Projection: 512, Activation: "quick_gelu", Epsilon: 1e-5}
	n, err := NewCLIPVision(config)
	if err != nil {
		t.Fatal(err)
	}
	if n.params.count() != 87_849_216 {
		t.Errorf("%d parameters, want 87849216", n.params.count())
	}
	for _, p := range n.Params() {
		s, shape := n.OpenAIVision(p), append(tensor.Shape(nil), p.Shape...)
		if strings.Contains(s.Name, "in_proj") {
			shape[0] *= 3
		}
		if s.Transpose {
			shape[0], shape[1] = shape[1], shape[0]
		}
		s.Read(p, golden.Weights(s.Name, 1, shape...))
	}
	n.Refresh()
	samples, exemplars := formulaInput("clip.samples01", 0, 1, 3, 3, 40, 48), formulaInput("clip.exemplars01", 0, 1, 2, 3, 40, 48)
	for i, v := range samples.Sample(0) {
		exemplars.Sample(0)[i] = float32(0.7*float64(v) + 0.3*float64(exemplars.Sample(0)[i]))
	}
	features := func(x tensor.Batch, normalise bool) tensor.Batch {
		large, out := tensor.New(x.N, 3, 224, 224), tensor.New(x.N, 512)
		clipimage.Resize(large, x)
		if normalise {
			clipimage.Normalise(large)
		}
		timed(t, "CLIP image encoder", func() error { return n.Apply(t.Context(), out, large) })
		return out
	}
	const name = "out.clip_visual."
	c.Check(t, name+"features_of_resized_unnormalised_samples", features(samples, false).Data, io[name+"features_of_resized_unnormalised_samples"])
	a, b := features(samples, true), features(exemplars, true)
	var cosines []float32
	for i := range a.N {
		for j := range b.N {
			cosines = append(cosines, float32(dot(a.Sample(i), b.Sample(j))/(norm2(a.Sample(i))*norm2(b.Sample(j)))))
		}
	}
	c.Check(t, name+"cosine_samples_by_exemplars", cosines, io[name+"cosine_samples_by_exemplars"])
}

func fullAutoencoder(t *testing.T, c golden.Case, io map[string]golden.Array) {
	a, err := NewAutoencoderKL(AutoencoderConfig{InChannels: 3, OutChannels: 3, LatentChannels: 4, BlockOutChannels: []int{128, 256, 512, 512},
		LayersPerBlock: 2, NormNumGroups: 32, ScalingFactor: 0.18215})
	if err != nil {
		t.Fatal(err)
	}
	if n := a.Encoder.params.count() + a.Decoder.params.count(); n != 83_653_863 || len(a.Params()) != 248 {
		t.Errorf("%d parameters in %d tensors, want 83653863 in 248", n, len(a.Params()))
	}
	fillFormula(a, 1)
	image, latent := formulaInput("vae.image", -1, 1, 1, 3, 64, 64), formulaInput("vae.latent", -2, 2, 1, 4, 8, 8)
	moments, decoded := tensor.New(1, 8, 8, 8), tensor.New(1, 3, 64, 64)
	timed(t, "encode 64²", func() error { return a.Encoder.Apply(t.Context(), moments, image) })
	c.Check(t, "out.vae.moments", moments.Data, io["out.vae.moments"])
	rescale(latent.Data, 1/0.18215)
	timed(t, "decode 64²", func() error { return a.Decoder.Apply(t.Context(), decoded, latent) })
	c.Check(t, "out.vae.decoded_every2nd", everyNth(decoded, 2), io["out.vae.decoded_every2nd"])
}

func fullText(t *testing.T, c golden.Case, io map[string]golden.Array) {
	n, err := NewCLIPText(CLIPTextConfig{Width: 1024, Hidden: 4096, Heads: 16, Layers: 23, Vocabulary: 49408, Positions: 77, Activation: "gelu", Epsilon: 1e-5})
	if err != nil {
		t.Fatal(err)
	}
	if n.params.count() != 340_387_840 || len(n.Params()) != 372 {
		t.Errorf("%d parameters in %d tensors, want 340387840 in 372", n.params.count(), len(n.Params()))
	}
	fillFormula(n, 1)
	out := tensor.New(2, 77, 1024)
	timed(t, "two texts", func() error { return n.Encode(t.Context(), out, io["out.text.input_ids"].Ints()) })
	var rows []float32
	for i := range 2 {
		for _, row := range []int{0, 1, 20, 76} {
			rows = append(rows, out.Sample(i)[row*1024:][:256]...)
		}
	}
	const name = "out.text.last_hidden_rows0_1_20_76_first256"
	c.Check(t, name, rows, io[name])
}

// sd21 is the denoising network of Stable Diffusion 2.1.
var sd21 = UNet2DConfig{SampleSize: 64, InChannels: 4, OutChannels: 4, BlockOutChannels: []int{320, 640, 1280, 1280},
	DownAttention: []bool{true, true, true, false}, UpAttention: []bool{false, true, true, true}, LayersPerBlock: 2,
	Heads: []int{5, 10, 20, 20}, TransformerLayers: []int{1, 1, 1, 1}, CrossAttentionDim: 1024, UseLinearProjection: true,
	NormNumGroups: 32, NormEps: 1e-5, FlipSinToCos: true}

func fullUNet(t *testing.T, c golden.Case, io map[string]golden.Array) {
	n, err := NewUNet2DCondition(sd21)
	if err != nil {
		t.Fatal(err)
	}
	fillFormula(n, 1)
	x, context := formulaInput("unet.sample", -2, 2, 1, 4, 16, 16), formulaInput("unet.encoder_hidden_states", -1.5, 1.5, 1, 77, 1024)
	b, err := n.Bind(16, 16, context)
	if err != nil {
		t.Fatal(err)
	}
	out := x.Clone()
	timed(t, "prediction at 16×16", func() error { return b.Predict(t.Context(), out, x, 501) })
	c.Check(t, "out.unet.sample", out.Data, io["out.unet.sample"])
	stages, named := map[string]golden.Array{}, c
	named.Tolerances = map[string]golden.Tolerance{}
	for name, v := range io {
		if stage, ok := strings.CutPrefix(name, "out.unet.act."); ok {
			stage = "out.act." + strings.TrimSuffix(stage, ".first32ch")
			stages[stage], named.Tolerances[stage] = v, c.Tolerances[name]
		}
	}
	bindings := bindings{samples: 1, size: b.size, in: portsOf(x, context), out: portsOf(out), times: []int{501}}
	checkFirstChannels(t, named, &n.engine, bindings, stages)
	large := formulaInput("unet.large", -2, 2, 1, 4, 64, 64)
	if b, err = n.Bind(64, 64, context); err != nil {
		t.Fatal(err)
	}
	out = large.Clone()
	timed(t, "first prediction at 64×64", func() error { return b.Predict(t.Context(), out, large, 501) })
	start := time.Now()
	timed(t, "prediction at 64×64", func() error { return b.Predict(t.Context(), out, large, 501) })
	t.Logf("%.0f GFLOP/s", 2*float64(n.MultiplyAdds(64, 64, 77))/1e9/time.Since(start).Seconds())
}

// checkFirstChannels is checkActivations for the first 32 channels of activations.
func checkFirstChannels(t *testing.T, c golden.Case, e *engine, b bindings, stages map[string]golden.Array) {
	t.Helper()
	s := newSession(e.prepare(key{observing, b.size}), 2)
	if err := s.run(t.Context(), 0, b); err != nil {
		t.Fatal(err)
	}
	w := s.workers[0]
	w.first, w.n = 0, 1
	for _, st := range s.plan.stages {
		if want, ok := stages["out.act."+st.name]; ok {
			c.Check(t, "out.act."+st.name, inOrder(&w.run, st.signal, true)[:len(want.Data)], want)
			delete(stages, "out.act."+st.name)
		}
	}
	if len(stages) > 0 {
		t.Errorf("activations %v are not named", stages)
	}
}

// TestPublishedSizes counts the parameters and the multiplications of the published
// networks.
func TestPublishedSizes(t *testing.T) {
	n, err := NewUNet2DCondition(sd21)
	if err != nil {
		t.Fatal(err)
	}
	if got := n.params.count(); got != 865_910_724 || len(n.Params()) != 686 {
		t.Errorf("%d parameters in %d tensors, want 865910724 in 686", got, len(n.Params()))
	}
	if got := float64(n.MultiplyAdds(64, 64, 77)) / 1e9; math.Abs(got-402.13) > 0.05 {
		t.Errorf("%.2f G multiplications at 64×64, want 402.13", got)
	}
}
