package train

import (
	"context"
	"errors"
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
//	mean |x − x̂| + Edges · mean |∇x − ∇x̂| + Squares · mean (x − x̂)²
//	+ Chroma · mean (c − ĉ)² + KL · KL(posterior, N(0, I)) / latents
//
// The mean absolute error of the pixels and of their differences to the right and the
// lower neighbour keep edges sharp without a second network; c are the differences of a
// channel to the next, so that faint colours count, which are a small part of the error
// of the pixels; the divergence keeps latents near the unit ball. Source: Rombach et al., "High-resolution image synthesis
// with latent diffusion models" (CVPR 2022), appendix G, with the term of edges in the
// place of the perceptual and the adversarial one.
type Autoencoder struct {
	Net   *nn.AutoencoderKL
	Data  Data    // images [channels, height, width] in [-1, 1]
	Edges float64 // weight of the differences
	KL    float64 // weight of the divergence, per number of the latent
	// Squares is the weight of the squared error of the pixels, and Chroma that of the
	// squared error of the differences of channels.
	Squares, Chroma float64
	// Tints, if not 0, holds the means of the last channels of the latent, one fewer than the
	// image has, at tintScale times the mean differences of each channel of the image to the
	// next in what the latent number stands for. It is the weight of their squared error.
	// Autoencoders that nobody tells keep one hue of two for long.
	Tints float64
	// Witness is a classifier of the images, if Witnessed is not 0: the weight of the mean
	// squared difference of its logits about an image and about what comes back of it.
	Witness   *nn.Classifier
	Witnessed float64
	// DecoderOnly leaves the encoder as it is, so that what learned from its latents keeps
	// them. Of the loss the divergence and the tints then only say how the encoder is.
	DecoderOnly bool
}

// tintScale makes the mean differences of colours as large as other numbers of a latent.
const tintScale = 8

// autoencoderSettings is what a checkpoint keeps of the objective.
type autoencoderSettings struct {
	Edges float64 `json:"edges"`
	KL    float64 `json:"kl"`
	// Checkpoints from before these terms have neither.
	Squares float64 `json:"squares,omitempty"`
	Chroma  float64 `json:"chroma,omitempty"`
	Tints   float64 `json:"tints,omitempty"`
	// Of the classifier: the weight and the digest.
	Witnessed float64 `json:"witnessed,omitempty"`
	Witness   string  `json:"witness,omitempty"`
	// Of an encoder that does not learn: the digest of its weights.
	Encoder string `json:"encoder,omitempty"`
}

// posteriorVariable is the variable of an autoencoder's random field.
const posteriorVariable = 0

// autoencoderLoss is an [Autoencoder] with its memory.
type autoencoderLoss struct {
	Autoencoder
	config           Config
	field            noise.Field
	digest, observer string // of the examples, of the witness
	fixed            string // digest of an encoder that does not learn
	order            *epochs.Order
	encoder, decoder *nn.Training // no encoder where it does not learn

	x, y, cotangent tensor.Batch // images, their reconstructions and the gradient there
	moments         tensor.Batch // of the posterior, and then their gradient
	z, dz           tensor.Batch
	eps             []float32
	tints           []float32 // what the means of the last channels are to be
	untinted        float64   // mean squared difference from it
	means           tensor.Batch
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
	if l.observer, err = o.witnessDigest(); err != nil {
		return nil, err
	}
	if l.order, err = newOrder(c, o.Data); err != nil {
		return nil, err
	}
	if o.DecoderOnly {
		l.fixed, err = weightsDigest(o.Net.Encoder.Params())
	} else {
		l.encoder, err = o.Net.Encoder.NewTraining(c.Batch, o.Data.Shape(), false)
	}
	if err != nil {
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
	if o.Net == nil || o.Data == nil {
		return nil, errors.New("train: the objective needs a network and data")
	}
	moments, err := o.Net.Encoder.Output(o.Data.Shape())
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	for _, w := range []struct {
		name  string
		value float64
	}{{"weight of edges", o.Edges}, {"weight of squares", o.Squares}, {"weight of chroma", o.Chroma}, {"weight of tints", o.Tints}, {"weight of the divergence", o.KL}} {
		if err := inRange(w.name, w.value, 0, 1e3); err != nil {
			return nil, err
		}
	}
	if channels := o.Data.Shape()[0]; o.Tints > 0 && moments[0]/2 < channels-1 {
		return nil, fmt.Errorf("train: latents of %d channels have no room for the tints of %d", moments[0]/2, channels)
	}
	return moments, o.checkWitness()
}

func (l *autoencoderLoss) Params() []*nn.Param {
	if l.DecoderOnly {
		return l.Net.Decoder.Params()
	}
	return l.Net.Params()
}

func (l *autoencoderLoss) Refresh() { l.Net.Refresh() }

func (l *autoencoderLoss) Signature() Signature {
	return Signature{Objective: "autoencoder", Data: l.digest, Settings: autoencoderSettings{l.Edges, l.KL, l.Squares, l.Chroma, l.Tints, l.Witnessed, l.observer, l.fixed}}
}

func (l *autoencoderLoss) Step(step int) (Value, error) {
	ctx := context.Background() // a step is not divided
	examples(l.Data, l.x, l.config.Batch, func(k int) int { return l.order.Example(step*l.config.Batch + k) })
	l.field.Normal(l.eps, l.z.Size(), noise.Address{Variable: posteriorVariable, Draw: step})
	if err := l.encode(ctx); err != nil {
		return Value{}, err
	}
	l.sample()
	if err := l.decoder.Forward(ctx, l.y, nn.Examples{X: l.z}); err != nil {
		return Value{}, err
	}
	v := l.value(l.config.Batch)
	if err := l.witness(ctx, &v, l.config.Batch, true); err != nil {
		return v, err
	}
	if !v.finite() {
		return v, nil
	}
	return v, l.backward(ctx)
}

// encode writes the moments of the images, and keeps what the encoder learns by.
func (l *autoencoderLoss) encode(ctx context.Context) error {
	if l.DecoderOnly {
		return l.Net.Encoder.Apply(ctx, l.moments, l.x)
	}
	return l.encoder.Forward(ctx, l.moments, nn.Examples{X: l.x})
}

// backward sets the gradients of what learns.
func (l *autoencoderLoss) backward(ctx context.Context) error {
	l.decoder.ZeroGrad()
	if l.DecoderOnly {
		return l.decoder.Backward(ctx, l.cotangent)
	}
	l.encoder.ZeroGrad()
	if err := l.decoder.BackwardInput(ctx, nn.Examples{X: l.dz}, l.cotangent); err != nil {
		return err
	}
	l.throughPosterior()
	l.throughTints()
	return l.encoder.Backward(ctx, l.moments)
}

// sample draws latents from the posterior, and writes down its divergence.
func (l *autoencoderLoss) sample() {
	p := l.Net.Posterior(l.moments)
	l.means = p.Mean
	p.Sample(l.z, l.eps)
	copy(l.kl, p.KL())
	l.compareTints(p.Mean)
}

// value returns the loss of the first n reconstructions, and leaves the gradient of the
// terms of the image in the cotangent.
func (l *autoencoderLoss) value(n int) Value {
	var pixels, edges, squares, chroma, kl float64
	for k := range n {
		a, b := l.imageTerms(k, n)
		c, d := l.squareTerms(k, n)
		pixels, edges, kl = pixels+a/float64(n), edges+b/float64(n), kl+l.kl[k]/float64(n*l.z.Size())
		squares, chroma = squares+c/float64(n), chroma+d/float64(n)
	}
	v := Value{Loss: pixels + l.Edges*edges + l.KL*kl, Terms: []Term{{"pixels", pixels}, {"edges", l.Edges * edges}, {"divergence", l.KL * kl}}}
	if l.squared() {
		v.Loss += l.Squares*squares + l.Chroma*chroma
		v.Terms = append(v.Terms, Term{"squares", l.Squares * squares}, Term{"chroma", l.Chroma * chroma})
	}
	if l.Tints > 0 {
		v.Loss += l.Tints * l.untinted
		v.Terms = append(v.Terms, Term{"tints", l.Tints * l.untinted})
	}
	return v
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

// squared reports whether the loss has terms of squared errors.
func (o Autoencoder) squared() bool { return o.Squares > 0 || o.Chroma > 0 }

// squareTerms returns the mean squared errors of image k of n and of the differences of
// each channel to the next, the first after the last, and adds the gradient of their sum,
// divided by n.
func (l *autoencoderLoss) squareTerms(k, n int) (squares, chroma float64) {
	if !l.squared() {
		return 0, 0
	}
	x, y, d := l.x.Sample(k), l.y.Sample(k), l.cotangent.Sample(k)
	channels := l.x.Shape[0]
	plane := len(x) / channels
	each := 1 / float64(len(x))
	slope, tint := float32(2*l.Squares*each/float64(n)), float32(2*l.Chroma*each/float64(n))
	for i := range x {
		j := (i + plane) % len(x) // the same pixel of the next channel
		e := y[i] - x[i]
		f := y[j] - x[j] - e
		squares += float64(e*e) * each
		chroma += float64(f*f) * each
		d[i] += slope*e - tint*f
		d[j] += tint * f
	}
	return squares, chroma
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
		l.compareTints(p.Mean)
		if err := l.Net.Decoder.Apply(context.Background(), y, z); err != nil {
			return Value{}, 0, err
		}
		v := l.value(n)
		if err := l.witness(context.Background(), &v, n, false); err != nil {
			return Value{}, 0, err
		}
		sum.add(v, float64(n)/float64(len(held)))
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
