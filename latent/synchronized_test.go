package latent

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// stack is what SyncDiffusion takes its gradient through: a network guided between two
// rows of context, an autoencoder, and a classifier of pictures.
type stack struct {
	*loop
	with, without denoise.Denoiser
	scale         float64
	model         denoise.Denoiser
	question      cost.Classifier
}

// opinion is a classifier of three classes that is smooth in its picture: the softmax of
// sums with random weights.
type opinion struct{ rows [3][]float32 }

func newOpinion(f noise.Field) (o opinion) {
	for c := range o.rows {
		o.rows[c] = make([]float32, 3*64*64)
		f.Normal(o.rows[c], len(o.rows[c]), noise.Address{Sample: c})
	}
	return o
}

func (o opinion) Classes() int { return len(o.rows) }

func (o opinion) Probabilities(_ context.Context, dst, x tensor.Batch) error {
	for k := range x.N {
		sum := 0.0
		for c, row := range o.rows {
			logit := 0.0
			for j, v := range x.Sample(k) {
				logit += 0.02 * float64(row[j]) * float64(v)
			}
			dst.Sample(k)[c] = float32(math.Exp(logit))
			sum += math.Exp(logit)
		}
		for c := range o.rows {
			dst.Sample(k)[c] /= float32(sum)
		}
	}
	return nil
}

func (o opinion) VJP(ctx context.Context, dst, x, cotangent tensor.Batch) error {
	p := tensor.New(x.N, o.Classes())
	if err := o.Probabilities(ctx, p, x); err != nil {
		return err
	}
	for k := range x.N {
		mean := 0.0
		for c, v := range p.Sample(k) {
			mean += float64(v) * float64(cotangent.Sample(k)[c])
		}
		clear(dst.Sample(k))
		for c, v := range p.Sample(k) {
			slope := 0.02 * float64(v) * (float64(cotangent.Sample(k)[c]) - mean)
			for j, w := range o.rows[c] {
				dst.Sample(k)[j] += float32(slope * float64(w))
			}
		}
	}
	return nil
}

// oldest splits the classes of the classifier of a stack.
var oldest = [][]int{{0, 1}, {2}}

func openStack(t *testing.T, scale float64) *stack {
	t.Helper()
	s := &stack{loop: openLoop(t, golden.Cases(t, "testdata/images", func(name string) bool { return name == "pcd_loop" })[0]), scale: scale}
	net := s.networks["unet0"]
	s.with, s.without = must(net.Bind(8, 8, s.rows["prompt"]))(t), must(net.Bind(8, 8, s.rows["empty"]))(t)
	s.model = must(denoise.ClassifierFree(s.with, s.without, scale))(t)
	s.question = newOpinion(noise.New(3))
	return s
}

// synchronized couples two members of the stack.
func (s *stack) synchronized(weight float64, together bool, steps int, t *testing.T) Synchronized {
	t.Helper()
	return Synchronized{
		Members: []Member{{Name: "a", Model: s.model}, {Name: "b", Model: s.model}}, Codec: s.codec, Together: together,
		Dynamics: must((&Model{Noise: s.noise}).Dynamics(Sampler{Steps: steps, Deterministic: true}))(t),
		Pair:     cost.XOR{Classifier: s.question, Groups: oldest}, Weight: weight, Decay: published.SyncDecay,
	}
}

// draw runs a problem and returns the states after every step.
func draw(t *testing.T, s Synchronized, n int) (states [][2][]float32) {
	t.Helper()
	p, err := s.Problem()
	if err != nil {
		t.Fatal(err)
	}
	_, err = pcd.Sample(t.Context(), p, pcd.Options{Samples: n, Seed: 2, Workers: 1, Observer: pcd.ObserverFunc(func(info pcd.StepInfo) error {
		states = append(states, [2][]float32{info.Samples(0).Data, info.Samples(1).Data})
		return nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	return states
}

// old returns the probability of the second group for the picture of the clean estimate
// of a latent, in the arithmetic of this test.
func (s *stack) old(t *testing.T, z []float32, timestep int) float64 {
	t.Helper()
	x := tensor.Batch{N: 1, Shape: tensor.Shape{4, 8, 8}, Data: slices.Clone(z)}
	c, u := x.Clone(), x.Clone()
	for _, p := range []struct {
		model denoise.Denoiser
		dst   tensor.Batch
	}{{s.with, c}, {s.without, u}} {
		if err := p.model.Predict(t.Context(), p.dst, x, timestep); err != nil {
			t.Fatal(err)
		}
	}
	step, _ := s.noise.Schedule.ForTimestep(timestep)
	for j, v := range z {
		eps := float64(u.Data[j]) + s.scale*float64(c.Data[j]-u.Data[j])
		x.Data[j] = float32((float64(v) - step.Sigma*eps) / step.SqrtAlphaBar)
	}
	image := must(s.codec.Decode(t.Context(), x, nil))(t)
	for j, v := range image.Data {
		image.Data[j] = min(max(v, -1), 1)
	}
	p := tensor.New(1, 3)
	if err := s.question.Probabilities(t.Context(), p, image); err != nil {
		t.Fatal(err)
	}
	return float64(p.Data[2])
}

// TestSyncGradient compares how far a corrector step moves each latent with central
// differences of the cost, through everything: guidance, estimate, decoder, clamp and
// classifier. The cost is written down in closed form, and its gradient is raw.
func TestSyncGradient(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers of long draws, whose goroutines are those of short ones")
	}
	const weight, step = 10, 1e-3
	s := openStack(t, published.SyncGuidance)
	sync := s.synchronized(weight, true, 100, t)
	sync.Dynamics = pcd.DDIM{Schedule: must(sync.Dynamics.(pcd.DDIM).Schedule.Respace([]int{51}))(t)}
	timestep := pcd.Timestep(sync.Dynamics, 0)
	before := start(t)
	after := [2][]float32{slices.Clone(before[0]), slices.Clone(before[1])}
	p, err := sync.Problem()
	if err != nil {
		t.Fatal(err)
	}
	x := []tensor.Batch{{N: 1, Shape: tensor.Shape{4, 8, 8}, Data: after[0]}, {N: 1, Shape: tensor.Shape{4, 8, 8}, Data: after[1]}}
	if err := p.Before.Correct(t.Context(), x, 0, timestep); err != nil {
		t.Fatal(err)
	}
	value := func(z [2][]float32) float64 {
		p, q := s.old(t, z[0], timestep), s.old(t, z[1], timestep)
		return 2 - 2*(p+q-2*p*q)
	}
	for v := range before {
		gradient, length := make([]float64, len(before[v])), 0.0
		for j := range gradient {
			gradient[j] = float64(before[v][j]-after[v][j]) / weight
			length += gradient[j] * gradient[j]
		}
		length = math.Sqrt(length)
		if length < 1e-2 {
			t.Fatalf("member %d moves by a gradient of length %v: nothing is tested", v, length)
		}
		// Along the gradient the derivative is its length.
		up, down := before, before
		up[v], down[v] = slices.Clone(before[v]), slices.Clone(before[v])
		for j, g := range gradient {
			up[v][j] += float32(step * g / length)
			down[v][j] -= float32(step * g / length)
		}
		if got := (value(up) - value(down)) / (2 * step); math.Abs(got-length) > 0.01*length {
			t.Errorf("member %d: gradient of length %v, central differences along it give %v", v, length, got)
		}
	}
}

// start returns latents of noise.
func start(t *testing.T) (z [2][]float32) {
	t.Helper()
	for v := range z {
		z[v] = make([]float32, 4*8*8)
		noise.New(2).Normal(z[v], len(z[v]), noise.Address{Variable: v})
	}
	return z
}

// TestSyncAnchor draws with an anchor and together: the anchor is drawn as alone, the
// other as nobody else would.
func TestSyncAnchor(t *testing.T) {
	s := openStack(t, 2)
	last := func(weight float64, together bool) [2][]float32 {
		states := draw(t, s.synchronized(weight, together, 3, t), 2)
		return states[len(states)-1]
	}
	alone, anchored, together := last(0, false), last(300, false), last(300, true)
	if !slices.Equal(anchored[1], alone[1]) || slices.Equal(anchored[0], alone[0]) {
		t.Error("want the anchor as it is alone, and the other moved")
	}
	if slices.Equal(together[1], alone[1]) || slices.Equal(together[0], anchored[0]) {
		t.Error("want both moved without an anchor")
	}
	if a := (Synchronized{Members: make([]Member, 3)}).anchor(); a != 1 {
		t.Errorf("the anchor of three is %d, want 1", a)
	}
}

func TestSyncRefuses(t *testing.T) {
	s := openStack(t, 2)
	for name, spoil := range map[string]func(*Synchronized){
		"one member":   func(c *Synchronized) { c.Members = c.Members[:1] },
		"weight":       func(c *Synchronized) { c.Weight = -1 },
		"not a number": func(c *Synchronized) { c.Weight = math.NaN() },
		"decay":        func(c *Synchronized) { c.Decay = 1.01 },
		"a hull":       func(c *Synchronized) { c.Members[1].Exemplars = tensor.New(2, 4, 8, 8) },
	} {
		c := s.synchronized(1, false, 3, t)
		spoil(&c)
		var setting *SettingError
		if _, err := c.Problem(); !errors.As(err, &setting) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPicturedCosts holds costs of pictures to the laws of costs.
func TestPicturedCosts(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	s := openStack(t, 2)
	lpips := must(nn.NewLPIPS(nn.LPIPSConfig{Widths: []int{24, 24, 24, 24, 24}}))(t)
	lpips.Init(noise.New(4))
	resnet := must(nn.NewClassifier(nn.ClassifierConfig{InChannels: 3, Width: 4, Heads: []nn.ClassifierHead{{Name: "age", Hidden: 8, Classes: make([]string, 3)}}}))(t)
	resnet.Init(noise.New(3))
	latents, pictures := []tensor.Shape{{4, 8, 8}, {4, 8, 8}}, []tensor.Shape{{3, 32, 32}, {3, 32, 32}}
	lawtest.Cost(t, perceptual{lpips}, pictures, lawtest.CostOptions{Tuples: 3, Step: 1. / 256, Tolerance: 2e-3})
	lawtest.Cost(t, pictured{s.codec, cost.XOR{Classifier: resnet.Question(0), Groups: oldest}}, latents, lawtest.CostOptions{Tuples: 5, Step: 1. / 256, Tolerance: 5e-3})
}
