package train

import (
	"context"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/internal/epochs"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// Autoencoder is the objective of variational autoencoders of images: a latent drawn
// from the encoder's posterior is decoded, and the loss is
//
//	mean |x − x̂| + Edges · mean |∇x − ∇x̂| + KL · KL(posterior, N(0, I)) / latents
//
// The mean absolute error of the pixels and of their differences to the right and the
// lower neighbour keep edges sharp without a second network; the divergence keeps
// latents near the unit ball. Source: Rombach et al., "High-resolution image synthesis
// with latent diffusion models" (CVPR 2022), appendix G, with the term of edges in the
// place of the perceptual and the adversarial one.
type Autoencoder struct {
	Net   *nn.AutoencoderKL
	Data  Data    // images [channels, height, width] in [-1, 1]
	Edges float64 // weight of the differences
	KL    float64 // weight of the divergence, per number of the latent
}

// autoencoderSettings is what a checkpoint keeps of the objective.
type autoencoderSettings struct {
	Edges float64 `json:"edges"`
	KL    float64 `json:"kl"`
}

// posteriorVariable is the variable of an autoencoder's random field.
const posteriorVariable = 0

// autoencoderLoss is an [Autoencoder] with its memory.
type autoencoderLoss struct {
	Autoencoder
	config           Config
	field            noise.Field
	digest           string
	order            *epochs.Order
	encoder, decoder *nn.Training

	x, y, cotangent tensor.Batch // images, their reconstructions and the gradient there
	moments         tensor.Batch // of the posterior, and then their gradient
	z, dz           tensor.Batch
	eps             []float32
	kl              []float64 // of every sample
}

// Begin implements [Objective].
func (o Autoencoder) Begin(c Config) (Loss, error) {
	moments, err := o.check()
	if err != nil {
		return nil, err
	}
	latent := tensor.Shape{moments[0] / 2, moments[1], moments[2]}
	l := &autoencoderLoss{Autoencoder: o, config: c, field: c.field(), kl: make([]float64, c.Batch)}
	if l.digest, err = digestOf(o.Data); err != nil {
		return nil, err
	}
	if l.order, err = newOrder(c, o.Data); err != nil {
		return nil, err
	}
	if l.encoder, err = o.Net.Encoder.NewTraining(c.Batch, o.Data.Shape(), false); err != nil {
		return nil, err
	}
	if l.decoder, err = o.Net.Decoder.NewTraining(c.Batch, latent, false); err != nil {
		return nil, err
	}
	image := o.Data.Shape()
	l.x, l.y, l.cotangent = tensor.New(c.Batch, image...), tensor.New(c.Batch, image...), tensor.New(c.Batch, image...)
	l.moments = tensor.New(c.Batch, moments...)
	l.z, l.dz = tensor.New(c.Batch, latent...), tensor.New(c.Batch, latent...)
	l.eps = make([]float32, len(l.z.Data))
	return l, nil
}

// check returns the shape of the moments, or an error for what makes no objective.
func (o Autoencoder) check() (tensor.Shape, error) {
	moments, err := o.Net.Encoder.Output(o.Data.Shape())
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	if err := inRange("weight of edges", o.Edges, 0, 1e3); err != nil {
		return nil, err
	}
	return moments, inRange("weight of the divergence", o.KL, 0, 1e3)
}

func (l *autoencoderLoss) Params() []*nn.Param { return l.Net.Params() }

func (l *autoencoderLoss) Refresh() { l.Net.Refresh() }

func (l *autoencoderLoss) Signature() Signature {
	return Signature{Objective: "autoencoder", Data: l.digest, Settings: autoencoderSettings{l.Edges, l.KL}}
}

func (l *autoencoderLoss) Step(step int) (Value, error) {
	ctx := context.Background() // a step is not divided
	examples(l.Data, l.x, l.config.Batch, func(k int) int { return l.order.Example(step*l.config.Batch + k) })
	l.field.Normal(l.eps, l.z.Size(), noise.Address{Variable: posteriorVariable, Draw: step})
	if err := l.encoder.Forward(ctx, l.moments, nn.Examples{X: l.x}); err != nil {
		return Value{}, err
	}
	l.sample()
	if err := l.decoder.Forward(ctx, l.y, nn.Examples{X: l.z}); err != nil {
		return Value{}, err
	}
	v := l.value(l.config.Batch)
	if !v.finite() {
		return v, nil
	}
	l.encoder.ZeroGrad()
	l.decoder.ZeroGrad()
	if err := l.decoder.BackwardInput(ctx, nn.Examples{X: l.dz}, l.cotangent); err != nil {
		return v, err
	}
	l.throughPosterior()
	return v, l.encoder.Backward(ctx, l.moments)
}

// sample draws latents from the posterior, and writes down its divergence.
func (l *autoencoderLoss) sample() {
	p := l.Net.Posterior(l.moments)
	p.Sample(l.z, l.eps)
	copy(l.kl, p.KL())
}

// value returns the loss of the first n reconstructions, and leaves the gradient of the
// terms of the image in the cotangent.
func (l *autoencoderLoss) value(n int) Value {
	pixels, edges, kl := 0.0, 0.0, 0.0
	for k := range n {
		a, b := l.imageTerms(k, n)
		pixels, edges, kl = pixels+a/float64(n), edges+b/float64(n), kl+l.kl[k]/float64(n*l.z.Size())
	}
	return Value{Loss: pixels + l.Edges*edges + l.KL*kl, Terms: []Term{{"pixels", pixels}, {"edges", l.Edges * edges}, {"divergence", l.KL * kl}}}
}

// imageTerms returns the mean absolute errors of image k of n and of its differences,
// and writes the gradient of their sum, divided by n.
func (l *autoencoderLoss) imageTerms(k, n int) (pixels, edges float64) {
	x, y, d := l.x.Sample(k), l.y.Sample(k), l.cotangent.Sample(k)
	shape := l.x.Shape
	h, w := shape[1], shape[2]
	each := 1 / float64(len(x))
	for i := range x {
		e := float64(y[i]) - float64(x[i])
		pixels += math.Abs(e) * each
		d[i] = float32(sign(e) * each / float64(n))
	}
	slope := float32(l.Edges * each / float64(n))
	difference := func(i, j int) {
		e := float64(y[j]) - float64(y[i]) - (float64(x[j]) - float64(x[i]))
		edges += math.Abs(e) * each
		s := slope * float32(sign(e))
		d[j] += s
		d[i] -= s
	}
	for i := range x {
		if (i+1)%w != 0 {
			difference(i, i+1)
		}
		if i%(h*w) < (h-1)*w {
			difference(i, i+w)
		}
	}
	return pixels, edges
}

// throughPosterior turns the moments into the gradient of the loss with respect to
// them: through the latents that were drawn, and through the divergence. Variances at
// the ends of their range do not move.
func (l *autoencoderLoss) throughPosterior() {
	size := l.z.Size()
	share := l.KL / float64(len(l.z.Data))
	for k := range l.moments.N {
		m := l.moments.Sample(k)
		dz, eps := l.dz.Sample(k), l.eps[k*size:][:size]
		for j := range size {
			mean, lv := float64(m[j]), float64(m[size+j])
			m[j] = float32(float64(dz[j]) + share*mean)
			if lv <= -30 || lv >= 20 {
				m[size+j] = 0
				continue
			}
			m[size+j] = float32(float64(dz[j])*0.5*math.Exp(lv/2)*float64(eps[j]) + share*0.5*(math.Exp(lv)-1))
		}
	}
}

// HeldOut reconstructs every held-out image from the mean of its posterior.
func (l *autoencoderLoss) HeldOut() (Value, int, error) {
	var sum Value
	held := l.order.Held()
	for first := 0; first < len(held); first += l.config.Batch {
		n := min(l.config.Batch, len(held)-first)
		examples(l.Data, l.x, n, func(k int) int { return held[first+k] })
		x, z := l.x.Rows(0, n), l.z.Rows(0, n)
		moments, y := l.moments.Rows(0, n), l.y.Rows(0, n)
		if err := l.Net.Encoder.Apply(context.Background(), moments, x); err != nil {
			return Value{}, 0, err
		}
		p := l.Net.Posterior(moments)
		copy(z.Data, p.Mean.Data)
		copy(l.kl, p.KL())
		if err := l.Net.Decoder.Apply(context.Background(), y, z); err != nil {
			return Value{}, 0, err
		}
		sum.add(l.value(n), float64(n)/float64(len(held)))
	}
	return sum, len(held), nil
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}
