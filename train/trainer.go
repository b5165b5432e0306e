package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Network is a network that can be trained: those of package nn.
type Network interface {
	Params() []*nn.Param
	Refresh()
	NewTraining(batch int) *nn.Training
	Shape() tensor.Shape
}

// Trainer fits a network to data.
type Trainer struct {
	net       Network
	config    Config
	digest    string
	sampler   *sampler
	training  *nn.Training
	optimizer *optimizer
	ema       [][]float32
	batch     *minibatch
	pred      tensor.Batch
	done      int // finished steps
}

// New returns a trainer of a network from its present weights. It fails for
// settings out of range and for data that are empty, not finite or of another
// shape than the network's.
func New(net Network, d Data, s *schedule.Schedule, config Config) (*Trainer, error) {
	c := config.withDefaults()
	if !d.Shape().Equal(net.Shape()) {
		return nil, fmt.Errorf("train: examples have shape %v, the network takes %v", d.Shape(), net.Shape())
	}
	if err := c.check(d.Shape()); err != nil {
		return nil, err
	}
	if d, ok := d.(Divided); ok && c.Validation != 0 {
		return nil, &ConfigError{Name: fmt.Sprintf("validation share of data that hold out %d examples themselves", d.HeldOut()), Value: c.Validation}
	}
	sum, err := digest(d)
	if err != nil {
		return nil, err
	}
	t := &Trainer{
		net: net, config: c, digest: sum, sampler: newSampler(d, s, c),
		training:  net.NewTraining(c.Batch),
		optimizer: newOptimizer(net.Params(), c, parallel.Workers(0)),
		batch:     newMinibatch(d, c.Batch, c.Pins),
		pred:      tensor.New(c.Batch, d.Shape()...),
	}
	if len(t.sampler.train) == 0 {
		return nil, errors.New("train: the validation share leaves no examples to learn from")
	}
	for _, p := range net.Params() {
		t.ema = append(t.ema, append([]float32(nil), p.Data...))
	}
	return t, nil
}

// Done returns the number of finished steps.
func (t *Trainer) Done() int { return t.done }

// Hooks are called while a training runs. Any may be nil; an error stops the
// training after the current step.
type Hooks struct {
	// Log receives the metrics.
	Log func(Metrics) error
	// Checkpoint is called when a checkpoint is due.
	Checkpoint func(*Trainer) error
	// Progress is called after every step.
	Progress func(done, total int)
}

// Metrics are one line of the log.
type Metrics struct {
	Step             int      `json:"step"` // finished steps
	Loss             float64  `json:"loss"` // mean over the steps since the last line
	ValidationLoss   *float64 `json:"validation_loss,omitempty"`
	GradientNorm     float64  `json:"gradient_norm"` // mean, before clipping
	Rate             float64  `json:"rate"`
	SamplesPerSecond float64  `json:"samples_per_second"`
}

// ErrDiverged is returned when the loss is no longer finite.
var ErrDiverged = errors.New("train: the loss is not finite; try a smaller learning rate or gradient clipping")

// Run trains until the configured number of steps is done or the context is
// cancelled, in which case it returns the context's error after a whole step:
// [Trainer.Save] then keeps everything.
func (t *Trainer) Run(ctx context.Context, h Hooks) error {
	log := newMeter(t.config)
	for t.done < t.config.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		loss, norm, err := t.step()
		if err != nil {
			return err
		}
		log.add(loss, norm)
		if err := t.report(&h, log); err != nil {
			return err
		}
	}
	return nil
}

// step does one optimiser step.
func (t *Trainer) step() (loss, norm float64, err error) {
	ctx := context.Background() // a step is not divided
	t.sampler.draw(t.batch, t.done)
	if err := t.training.Forward(ctx, t.pred, t.batch.Examples); err != nil {
		return 0, 0, err
	}
	loss = t.batch.loss(t.pred, t.pred, t.config.Batch)
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return 0, 0, fmt.Errorf("%w (step %d)", ErrDiverged, t.done)
	}
	t.training.ZeroGrad()
	if err := t.training.Backward(ctx, t.pred); err != nil {
		return 0, 0, err
	}
	norm = t.optimizer.step(t.done)
	t.net.Refresh()
	t.done++
	if decay, due := t.config.EMA.decay(t.done); due {
		t.optimizer.average(t.ema, decay)
	}
	return loss, norm, nil
}

// report calls the hooks that are due.
func (t *Trainer) report(h *Hooks, log *meter) error {
	if h.Progress != nil {
		h.Progress(t.done, t.config.Steps)
	}
	last := t.done == t.config.Steps
	if h.Log != nil && (t.done%t.config.LogEvery == 0 || last) {
		m := log.metrics(t.done)
		if len(t.sampler.held) > 0 && (t.done%t.config.ValidationEvery == 0 || last) {
			loss, err := t.ValidationLoss()
			if err != nil {
				return err
			}
			m.ValidationLoss = &loss
		}
		if err := h.Log(m); err != nil {
			return err
		}
	}
	if h.Checkpoint != nil && (t.done%t.config.CheckpointEvery == 0 || last) {
		return h.Checkpoint(t)
	}
	return nil
}

// ValidationLoss returns the loss of the averaged weights on the held-out
// examples, each at a fixed noise level with fixed noise.
func (t *Trainer) ValidationLoss() (float64, error) {
	restore := t.UseAverage()
	defer restore()
	sum, n := 0.0, 0
	for first := 0; first < len(t.sampler.held); first += t.config.Batch {
		k := t.sampler.drawHeld(t.batch, first)
		if err := t.training.Forward(context.Background(), t.pred, t.batch.Examples); err != nil {
			return 0, err
		}
		sum += t.batch.loss(t.pred, t.pred, k) * float64(k)
		n += k
	}
	return sum / float64(n), nil
}

// UseAverage puts the averaged weights into the network until the function that
// it returns is called.
func (t *Trainer) UseAverage() (restore func()) {
	swap := func() {
		for i, p := range t.net.Params() {
			avg := t.ema[i]
			for j, v := range p.Data {
				p.Data[j], avg[j] = avg[j], v
			}
		}
		t.net.Refresh()
	}
	swap()
	return swap
}

// meter averages metrics between two lines of the log.
type meter struct {
	config     Config
	loss, norm float64
	steps      int
	since      time.Time
}

func newMeter(c Config) *meter { return &meter{config: c, since: time.Now()} }

func (m *meter) add(loss, norm float64) {
	m.loss += loss
	m.norm += norm
	m.steps++
}

// metrics returns the averages and starts the next line.
func (m *meter) metrics(done int) Metrics {
	n := float64(max(m.steps, 1))
	out := Metrics{
		Step: done, Loss: m.loss / n, GradientNorm: m.norm / n, Rate: m.config.rate(done - 1),
		SamplesPerSecond: float64(m.steps*m.config.Batch) / time.Since(m.since).Seconds(),
	}
	*m = meter{config: m.config, since: time.Now()}
	return out
}
