package train

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// NoiseMSE is the objective of diffusion models: the mean squared error of the
// prediction, at noise levels drawn at random, of the noise in a sample, of the clean
// sample or of the velocity, whichever the network predicts.
//
// Source: Ho, Jain and Abbeel, "Denoising diffusion probabilistic models" (2020),
// equation 14; for velocities Salimans and Ho, "Progressive distillation" (2022),
// appendix D.
type NoiseMSE struct {
	Net      Network
	Data     Data
	Schedule *schedule.Schedule

	// Emphasis, if not 0, draws noise levels in proportion to their ratio of noise to
	// signal, held between 1 and Emphasis, instead of uniformly: models then learn the
	// whole of a sample sooner, at the cost of its details.
	Emphasis float64

	// MinSNR, if not 0, weights the squared error of a level as min(SNR, MinSNR) times that
	// of the clean sample: SNR is its ratio of signal to noise. Levels with little noise
	// then do not outweigh the others. 5 is usual. Source: Hang et al., "Efficient diffusion
	// training via min-SNR weighting strategy" (ICCV 2023), equation 7.
	MinSNR float64

	// Pins are points of a sample that the model is always told, such as the
	// endpoints of a path: they are clean in the noisy state, and the loss does not
	// see the prediction there.
	Pins []Pin

	// Dropout is the share of the examples whose condition is replaced by Null, so
	// that the model also learns to do without: what classifier-free guidance needs.
	// Source: Ho and Salimans, "Classifier-free diffusion guidance" (2022), algorithm 1.
	Dropout float64
	Null    []float32 // nil is all zeros
}

// Network is a network that predicts noise and can be trained: those of package nn.
type Network interface {
	Params() []*nn.Param
	Refresh()
	NewTraining(batch int) *nn.Training
	Shape() tensor.Shape
	Kind() schedule.Kind
}

// Pin fixes the points of one row of a sample.
type Pin struct {
	Row int `json:"row"` // negative counts from the last
	// Tail replaces the last channels of the row; the others are the example's own.
	Tail []float32 `json:"tail,omitempty"`
}

// noiseSettings is what a checkpoint keeps of the objective.
type noiseSettings struct {
	Schedule string    `json:"schedule"`
	Emphasis float64   `json:"emphasis,omitempty"`
	MinSNR   float64   `json:"min_snr,omitempty"`
	Pins     []Pin     `json:"pins,omitempty"`
	Dropout  float64   `json:"dropout,omitempty"`
	Null     []float32 `json:"null,omitempty"`
}

// noiseObjective is the name in checkpoints.
const noiseObjective = "noise"

// Begin implements [Objective].
func (o NoiseMSE) Begin(c Config) (Loss, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	sum, err := digestOf(o.Data)
	if err != nil {
		return nil, err
	}
	order, err := newOrder(c, o.Data)
	if err != nil {
		return nil, err
	}
	return &noiseLoss{
		NoiseMSE: o, config: c, digest: sum, sampler: newSampler(o, c, order),
		training: o.Net.NewTraining(c.Batch),
		batch:    newMinibatch(o, c.Batch),
		pred:     tensor.New(c.Batch, o.Data.Shape()...),
	}, nil
}

// check returns an error that names the first thing that makes no objective.
func (o NoiseMSE) check() error {
	if o.Net == nil || o.Data == nil || o.Schedule == nil {
		return errors.New("train: the objective needs a network, data and a schedule")
	}
	shape, want := o.Data.Shape(), o.Net.Shape()
	if !shape.Equal(want) {
		return fmt.Errorf("train: examples have shape %v, the network takes %v", shape, want)
	}
	if have, want := hintShape(o.Data), hintShape(o.Net); !have.Equal(want) {
		return fmt.Errorf("train: hints have shape %v, the network takes %v", have, want)
	}
	if k := o.Net.Kind(); k != schedule.Epsilon && k != schedule.X0 && k != schedule.V {
		return fmt.Errorf("train: the network predicts %v, want noise, clean sample or velocity", k)
	}
	if err := inRange("emphasis", o.Emphasis, 0, noSignal); err != nil {
		return err
	}
	if err := inRange("min-SNR", o.MinSNR, 0, noSignal); err != nil {
		return err
	}
	if err := o.checkDropout(); err != nil {
		return err
	}
	rows, width := rowsOf(shape)
	for _, p := range o.Pins {
		if p.Row >= rows || p.Row < -rows || len(p.Tail) > width {
			return fmt.Errorf("train: a pin of row %d with %d fixed channels does not fit samples of shape %v", p.Row, len(p.Tail), shape)
		}
	}
	return nil
}

// weight returns the weight of the squared error of the prediction at a level. Errors of
// the noise are the SNR times as large as those of the clean sample, in squares, and errors of the
// velocity SNR + 1 times.
func (o NoiseMSE) weight(s schedule.Step) float64 {
	if o.MinSNR == 0 {
		return 1
	}
	noise := s.NoiseToSignal * s.NoiseToSignal // one over SNR
	clean := min(1, o.MinSNR*noise)            // min(SNR, MinSNR) in units of SNR
	switch o.Net.Kind() {
	case schedule.X0:
		return clean / noise
	case schedule.V:
		return clean / (1 + noise)
	}
	return clean
}

func (o NoiseMSE) checkDropout() error {
	if err := inRange("dropout of the condition", o.Dropout, 0, 1); err != nil {
		return err
	}
	size := 0
	if c := o.Data.ConditionShape(); c != nil {
		size = c.Size()
	}
	if o.Dropout > 0 && size == 0 {
		return &ConfigError{Name: "dropout of the condition of examples that have none", Value: o.Dropout}
	}
	if o.Null != nil && len(o.Null) != size {
		return fmt.Errorf("train: the null condition has %d numbers, conditions have %d", len(o.Null), size)
	}
	return nil
}

// rowsOf returns how many points a sample has and how many numbers each.
func rowsOf(shape tensor.Shape) (rows, width int) {
	width = shape[len(shape)-1]
	return shape.Size() / width, width
}

// noiseLoss is a [NoiseMSE] with its memory.
type noiseLoss struct {
	NoiseMSE
	config   Config
	digest   string
	sampler  *sampler
	training *nn.Training
	batch    *minibatch
	pred     tensor.Batch
}

func (l *noiseLoss) Params() []*nn.Param { return l.Net.Params() }

func (l *noiseLoss) Refresh() { l.Net.Refresh() }

func (l *noiseLoss) Signature() Signature {
	return Signature{Objective: noiseObjective, Data: l.digest, Settings: noiseSettings{
		Schedule: l.Schedule.Name(), Emphasis: l.Emphasis, MinSNR: l.MinSNR, Pins: l.Pins, Dropout: l.Dropout, Null: l.Null,
	}}
}

func (l *noiseLoss) Step(step int) (Value, error) {
	ctx := context.Background() // a step is not divided
	l.sampler.draw(l.batch, step)
	if err := l.training.Forward(ctx, l.pred, l.batch.Examples); err != nil {
		return Value{}, err
	}
	v := Value{Loss: l.batch.loss(l.pred, l.pred, l.config.Batch)}
	if !v.finite() {
		return v, nil
	}
	l.training.ZeroGrad()
	return v, l.training.Backward(ctx, l.pred)
}

// HeldOut predicts every held-out example at a fixed noise level with fixed noise.
func (l *noiseLoss) HeldOut() (Value, int, error) {
	sum, n := 0.0, len(l.sampler.order.Held())
	for first := 0; first < n; first += l.config.Batch {
		k := l.sampler.drawHeld(l.batch, first)
		if err := l.training.Forward(context.Background(), l.pred, l.batch.Examples); err != nil {
			return Value{}, n, err
		}
		sum += l.batch.loss(l.pred, l.pred, k) * float64(k)
	}
	return Value{Loss: sum / float64(max(n, 1))}, n, nil
}
