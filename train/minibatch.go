package train

import (
	"github.com/go-pcd/pcd/internal/epochs"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// minibatch is what one step learns from: noisy states, the noise in them, what is to
// be predicted, and the clean points that are pinned.
type minibatch struct {
	nn.Examples
	kind   schedule.Kind
	noise  tensor.Batch
	target tensor.Batch // the noise itself when it is to be predicted
	// weights are those of the samples in the loss.
	weights []float64
	pins    []pinned
	clean   []float32 // one example, scratch
}

// pinned holds the values of one pinned row for every sample of a minibatch.
type pinned struct {
	at     int // first element within the sample
	tail   []float32
	values tensor.Batch
}

func newMinibatch(o NoiseMSE, n int) *minibatch {
	shape := o.Data.Shape()
	b := &minibatch{kind: o.Net.Kind(), noise: tensor.New(n, shape...), clean: make([]float32, shape.Size()), weights: make([]float64, n)}
	b.X, b.T = tensor.New(n, shape...), make([]int, n)
	if b.target = b.noise; b.kind != schedule.Epsilon {
		b.target = tensor.New(n, shape...)
	}
	if c := o.Data.ConditionShape(); c != nil {
		b.Condition = tensor.New(n, c...)
	}
	if h := hintShape(o.Data); h != nil {
		b.Hint = tensor.New(n, h...)
	}
	rows, width := rowsOf(shape)
	for _, p := range o.Pins {
		row := p.Row
		if row < 0 {
			row += rows
		}
		b.pins = append(b.pins, pinned{at: row * width, tail: p.Tail, values: tensor.New(n, width)})
	}
	return b
}

// fill makes sample k from example i at a level of the schedule, with the noise that
// is already there. Its squared error has a weight.
func (b *minibatch) fill(d Data, s schedule.Step, k, i int, weight float64) {
	var cond []float32
	if b.Condition.Data != nil {
		cond = b.Condition.Sample(k)
	}
	d.Example(b.clean, cond, i)
	if h, ok := d.(hintedData); ok {
		h.Hint(b.Hint.Sample(k), i)
	}
	b.T[k], b.weights[k] = s.Timestep, weight
	x := b.X.Sample(k)
	s.Diffuse(x, b.clean, b.noise.Sample(k))
	b.aim(s, k)
	for _, p := range b.pins {
		v := p.values.Sample(k)
		copy(v, b.clean[p.at:])
		copy(v[len(v)-len(p.tail):], p.tail)
		copy(x[p.at:], v)
	}
}

// aim writes what the network is to predict for sample k.
func (b *minibatch) aim(s schedule.Step, k int) {
	dst, eps := b.target.Sample(k), b.noise.Sample(k)
	switch b.kind {
	case schedule.X0:
		copy(dst, b.clean)
	case schedule.V:
		for j, v := range b.clean {
			dst[j] = float32(s.SqrtAlphaBar*float64(eps[j]) - s.Sigma*float64(v))
		}
	}
}

// The variables of a training's random field.
const (
	noiseVariable = iota
	timestepVariable
	validationNoise
	validationTimestep
	dropoutVariable
)

// sampler chooses what each step sees.
type sampler struct {
	objective NoiseMSE
	levels    levels
	field     noise.Field
	order     *epochs.Order
}

func newSampler(o NoiseMSE, c Config, order *epochs.Order) *sampler {
	return &sampler{objective: o, levels: newLevels(o.Schedule, o.Emphasis), field: c.field(), order: order}
}

// draw fills the minibatch of a step.
func (s *sampler) draw(b *minibatch, step int) {
	size := b.noise.Size()
	s.field.Normal(b.noise.Data, size, noise.Address{Variable: noiseVariable, Draw: step})
	times := make([]float64, b.X.N)
	s.field.Uniform(times, noise.Address{Variable: timestepVariable, Draw: step})
	for k := range b.X.N {
		i := s.order.Example(step*b.X.N + k)
		level := s.objective.Schedule.At(s.levels.at(times[k]))
		b.fill(s.objective.Data, level, k, i, s.objective.weight(level))
	}
	s.drop(b, step)
}

// drop replaces the conditions of some samples.
func (s *sampler) drop(b *minibatch, step int) {
	if s.objective.Dropout == 0 {
		return
	}
	u := make([]float64, b.X.N)
	s.field.Uniform(u, noise.Address{Variable: dropoutVariable, Draw: step})
	for k, v := range u {
		if v >= s.objective.Dropout {
			continue
		}
		c := b.Condition.Sample(k)
		clear(c)
		copy(c, s.objective.Null)
	}
}

// drawHeld fills a minibatch with held-out examples from number first on and
// returns how many there were. Each keeps its noise over the whole training.
func (s *sampler) drawHeld(b *minibatch, first int) int {
	n := min(b.X.N, len(s.order.Held())-first)
	s.field.Normal(b.noise.Data, b.noise.Size(), noise.Address{Variable: validationNoise, Sample: first})
	for k := range n {
		u := make([]float64, 1)
		s.field.Uniform(u, noise.Address{Variable: validationTimestep, Sample: first + k})
		level := s.objective.Schedule.At(int(u[0] * float64(s.objective.Schedule.Len())))
		b.fill(s.objective.Data, level, k, s.order.Held()[first+k], s.objective.weight(level))
	}
	return n
}
