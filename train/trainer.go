package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/nn"
)

// Trainer fits the parameters of an objective.
type Trainer struct {
	config    Config
	loss      Loss
	params    []*nn.Param
	buffers   []*nn.Param // of a [followingLoss]
	optimizer *optimizer
	ema       [][]float32 // of parameters and buffers
	done      int         // finished steps
	log       meter       // of the steps since the last line of the log
	kept      time.Time   // when the last checkpoint of this run was due, or the run began
}

// patience is after how long a checkpoint is due although its step is not: a program that is
// killed loses no more of a training whose steps are slow.
var patience = 10 * time.Minute

// New returns a trainer of an objective from the present weights. It fails for
// settings out of range and for what the objective refuses: examples that are
// missing, not finite or of another shape than the network's.
func New(o Objective, config Config) (*Trainer, error) {
	c := config.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	loss, err := o.Begin(c)
	if err != nil {
		return nil, err
	}
	params := loss.Params()
	for _, p := range params {
		if n := p.Shape.Size(); len(p.Data) != n || len(p.Grad) != n {
			return nil, fmt.Errorf("train: parameter %s of shape %v has %d values and %d gradients, want %d of both", p.Name, p.Shape, len(p.Data), len(p.Grad), n)
		}
	}
	t := &Trainer{config: c, loss: loss, params: params, optimizer: newOptimizer(params, c, parallel.Workers(0))}
	if f, ok := loss.(followingLoss); ok {
		t.buffers = f.Buffers()
	}
	for _, p := range t.averaged() {
		t.ema = append(t.ema, append([]float32(nil), p.Data...))
	}
	return t, nil
}

// averaged returns what has a moving average.
func (t *Trainer) averaged() []*nn.Param { return slices.Concat(t.params, t.buffers) }

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
	Step int     `json:"step"` // finished steps
	Loss float64 `json:"loss"` // mean over the steps since the last line
	// Terms are the parts of a loss that has several, likewise.
	Terms            map[string]float64 `json:"terms,omitempty"`
	ValidationLoss   *float64           `json:"validation_loss,omitempty"`
	GradientNorm     float64            `json:"gradient_norm"` // mean, before clipping
	Rate             float64            `json:"rate"`
	SamplesPerSecond float64            `json:"samples_per_second"`
}

// ErrDiverged is returned when the loss or its gradient is no longer finite. The weights are those
// before that step.
var ErrDiverged = errors.New("train: the loss is not finite; try a smaller learning rate or gradient clipping")

// Run trains until the configured number of steps is done or the context is
// cancelled, in which case it returns the context's error after a whole step:
// [Trainer.Save] then keeps everything.
func (t *Trainer) Run(ctx context.Context, h Hooks) error {
	t.log.begin()
	t.kept = time.Now()
	for t.done < t.config.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		v, norm, err := t.step()
		if err != nil {
			return err
		}
		t.log.add(v, norm)
		if err := t.report(&h); err != nil {
			return err
		}
	}
	return nil
}

// step does one optimiser step.
func (t *Trainer) step() (v Value, norm float64, err error) {
	if v, err = t.loss.Step(t.done); err != nil {
		return v, 0, err
	}
	if !v.finite() {
		return v, 0, fmt.Errorf("%w (step %d)", ErrDiverged, t.done)
	}
	if norm = t.optimizer.step(t.done); norm-norm != 0 {
		return v, norm, fmt.Errorf("%w (gradient of step %d)", ErrDiverged, t.done)
	}
	t.loss.Refresh()
	t.done++
	if decay, due := t.config.EMA.decay(t.done); due {
		t.optimizer.average(t.averaged(), t.ema, decay)
	}
	return v, norm, nil
}

// report calls the hooks that are due.
func (t *Trainer) report(h *Hooks) error {
	if h.Progress != nil {
		h.Progress(t.done, t.config.Steps)
	}
	last := t.done == t.config.Steps
	if t.done%t.config.LogEvery == 0 || last {
		if err := t.line(h.Log, last); err != nil {
			return err
		}
	}
	if h.Checkpoint != nil && (t.done%t.config.CheckpointEvery == 0 || last || time.Since(t.kept) >= patience) {
		t.kept = time.Now()
		return h.Checkpoint(t)
	}
	return nil
}

// line ends a line of the log, also where nobody reads it: the next one is of the steps behind it.
func (t *Trainer) line(log func(Metrics) error, last bool) error {
	m := t.log.metrics(t.config, t.done)
	if log == nil {
		return nil
	}
	if t.done%t.config.ValidationEvery == 0 || last {
		v, held, err := t.heldOut()
		if err != nil {
			return err
		}
		if held > 0 {
			m.ValidationLoss = &v.Loss
		}
	}
	return log(m)
}

// heldOut returns the loss of the averaged weights on the held-out examples, its terms and
// the number of examples.
func (t *Trainer) heldOut() (Value, int, error) {
	restore := t.UseAverage()
	defer restore()
	return t.loss.HeldOut()
}

// Params returns the parameters that are fitted, in a fixed order.
func (t *Trainer) Params() []*nn.Param { return t.params }

// UseAverage puts the averaged weights into the network until the function that
// it returns is called.
func (t *Trainer) UseAverage() (restore func()) {
	swap := func() {
		for i, p := range t.averaged() {
			avg := t.ema[i]
			for j, v := range p.Data {
				p.Data[j], avg[j] = avg[j], v
			}
		}
		t.loss.Refresh()
	}
	swap()
	return swap
}
