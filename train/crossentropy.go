package train

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-pcd/pcd/internal/epochs"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// CrossEntropy is the objective of classifiers with one or more heads: the sum over
// heads of their weight times the mean of -ln p(class). Source: the published training
// of the image experiment, two heads with the weights 10 and 2.
type CrossEntropy struct {
	Net *nn.Classifier
	// Data are the samples; the condition of one holds the number of its class for
	// every head, and -1 where it is not known.
	Data Data
	// Weights of the heads; nil is 1 for all.
	Weights []float64
	// Smoothing is the probability that is spread evenly over all classes instead of
	// given to the right one, which keeps logits moderate; see [nn.Classifier.CrossEntropy].
	Smoothing float64
}

// crossEntropySettings is what a checkpoint keeps of the objective.
type crossEntropySettings struct {
	Weights   []float64 `json:"weights,omitempty"`
	Smoothing float64   `json:"smoothing,omitempty"`
}

// crossEntropyLoss is a [CrossEntropy] with its memory.
type crossEntropyLoss struct {
	CrossEntropy
	config    Config
	digest    string
	order     *epochs.Order
	training  *nn.Training
	x, labels tensor.Batch
	logits    tensor.Batch // and then the gradient there
}

// Begin implements [Objective].
func (o CrossEntropy) Begin(c Config) (Loss, error) {
	logits, err := o.check()
	if err != nil {
		return nil, err
	}
	l := &crossEntropyLoss{CrossEntropy: o, config: c}
	if l.digest, err = digestOf(o.Data); err != nil {
		return nil, err
	}
	if l.order, err = newOrder(c, o.Data); err != nil {
		return nil, err
	}
	if l.training, err = o.Net.NewTraining(c.Batch, o.Data.Shape(), false); err != nil {
		return nil, err
	}
	l.x, l.labels = tensor.New(c.Batch, o.Data.Shape()...), tensor.New(c.Batch, o.Data.ConditionShape()...)
	l.logits = tensor.New(c.Batch, logits...)
	return l, o.checkLabels()
}

// check returns the shape of the logits, or an error for what makes no objective.
func (o CrossEntropy) check() (tensor.Shape, error) {
	if o.Net == nil || o.Data == nil {
		return nil, errors.New("train: the objective needs a network and data")
	}
	heads := o.Net.Config().Heads
	if s := o.Data.ConditionShape(); len(s) != 1 || s[0] != len(heads) {
		return nil, fmt.Errorf("train: conditions have the shape %v, want one class for each of %d heads", s, len(heads))
	}
	if o.Weights != nil && len(o.Weights) != len(heads) {
		return nil, fmt.Errorf("train: %d weights for %d heads", len(o.Weights), len(heads))
	}
	for i := range heads {
		if err := inRange("weight of head "+heads[i].Name, o.weight(i), 0, 1e6); err != nil {
			return nil, err
		}
	}
	if err := inRange("label smoothing", o.Smoothing, 0, 0.99); err != nil {
		return nil, err
	}
	return o.Net.Output(o.Data.Shape())
}

// checkLabels returns an error for the first class that a head does not have.
func (o CrossEntropy) checkLabels() error {
	x, labels := newExample(o.Data)
	heads := o.Net.Config().Heads
	known, _ := o.Data.(labelledData)
	for i := range o.Data.Len() {
		if known != nil {
			known.Condition(labels, i)
		} else {
			o.Data.Example(x, labels, i)
		}
		for h, v := range labels {
			if v != float32(int(v)) || int(v) < -1 || int(v) >= len(heads[h].Classes) {
				return fmt.Errorf("train: example %d is of class %v of head %s, which has %d", i, v, heads[h].Name, len(heads[h].Classes))
			}
		}
	}
	return nil
}

func (o CrossEntropy) weight(head int) float64 {
	if o.Weights == nil {
		return 1
	}
	return o.Weights[head]
}

func (l *crossEntropyLoss) Params() []*nn.Param { return l.Net.Params() }

// Buffers implements [followingLoss].
func (l *crossEntropyLoss) Buffers() []*nn.Param { return l.Net.Buffers() }

func (l *crossEntropyLoss) Refresh() { l.Net.Refresh() }

func (l *crossEntropyLoss) Signature() Signature {
	return Signature{Objective: "cross-entropy", Data: l.digest, Settings: crossEntropySettings{l.Weights, l.Smoothing}}
}

func (l *crossEntropyLoss) Step(step int) (Value, error) {
	ctx := context.Background() // a step is not divided
	l.draw(l.config.Batch, func(k int) int { return l.order.Example(step*l.config.Batch + k) })
	if err := l.training.Forward(ctx, l.logits, nn.Examples{X: l.x}); err != nil {
		return Value{}, err
	}
	v := l.value(l.config.Batch)
	if !v.finite() {
		return v, nil
	}
	l.training.ZeroGrad()
	return v, l.training.Backward(ctx, l.logits)
}

// draw fills the minibatch with n examples and their classes.
func (l *crossEntropyLoss) draw(n int, number func(k int) int) {
	for k := range n {
		l.Data.Example(l.x.Sample(k), l.labels.Sample(k), number(k))
	}
}

// value returns the loss of the first n samples and turns their logits into the
// gradient of it.
func (l *crossEntropyLoss) value(n int) Value {
	var v Value
	heads := l.Net.Config().Heads
	weights := make([]float64, len(heads))
	for h := range weights {
		weights[h] = l.weight(h)
	}
	for h, loss := range l.Net.CrossEntropy(l.logits.Rows(0, n), l.labels.Rows(0, n), weights, l.Smoothing) {
		v.Terms = append(v.Terms, Term{heads[h].Name, loss})
		v.Loss += loss
	}
	return v
}

// HeldOut classifies every held-out sample with the statistics learned so far.
func (l *crossEntropyLoss) HeldOut() (Value, int, error) {
	var sum Value
	held := l.order.Held()
	for first := 0; first < len(held); first += l.config.Batch {
		n := min(l.config.Batch, len(held)-first)
		l.draw(n, func(k int) int { return held[first+k] })
		if err := l.Net.Apply(context.Background(), l.logits.Rows(0, n), l.x.Rows(0, n)); err != nil {
			return Value{}, 0, err
		}
		sum.add(l.value(n), float64(n)/float64(len(held)))
	}
	return sum, len(held), nil
}
