package train

import (
	"math/rand/v2"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// minibatch is what one step learns from: noisy states, the noise in them and the
// clean points that are pinned.
type minibatch struct {
	nn.Examples
	noise tensor.Batch
	pins  []pinned
	clean []float32 // one example, scratch
}

// pinned holds the values of one pinned row for every sample of a minibatch.
type pinned struct {
	at     int // first element within the sample
	tail   []float32
	values tensor.Batch
}

func newMinibatch(d Data, n int, pins []Pin) *minibatch {
	shape := d.Shape()
	b := &minibatch{noise: tensor.New(n, shape...), clean: make([]float32, shape.Size())}
	b.X, b.T = tensor.New(n, shape...), make([]int, n)
	if c := d.ConditionShape(); c != nil {
		b.Condition = tensor.New(n, c...)
	}
	rows, width := rowsOf(shape)
	for _, p := range pins {
		row := p.Row
		if row < 0 {
			row += rows
		}
		b.pins = append(b.pins, pinned{at: row * width, tail: p.Tail, values: tensor.New(n, width)})
	}
	return b
}

// fill makes sample k from example i at timestep t, with the noise that is
// already there.
func (b *minibatch) fill(d Data, s *schedule.Schedule, k, i, t int) {
	var cond []float32
	if b.Condition.Data != nil {
		cond = b.Condition.Sample(k)
	}
	d.Example(b.clean, cond, i)
	b.T[k] = s.At(t).Timestep
	x := b.X.Sample(k)
	s.At(t).Diffuse(x, b.clean, b.noise.Sample(k))
	for _, p := range b.pins {
		v := p.values.Sample(k)
		copy(v, b.clean[p.at:])
		copy(v[len(v)-len(p.tail):], p.tail)
		copy(x[p.at:], v)
	}
}

// The variables of a training's random field.
const (
	noiseVariable = iota
	timestepVariable
	validationNoise
	validationTimestep
)

// sampler chooses what each step sees.
type sampler struct {
	data     Data
	schedule *schedule.Schedule
	levels   levels
	field    noise.Field
	train    []int // numbers of the examples to learn from
	held     []int // numbers of the examples held out
	order    []int // permutation of train in the epoch below
	epoch    int
}

func newSampler(d Data, s *schedule.Schedule, c Config) *sampler {
	f := noise.New(c.Seed).Sub("train")
	train, held := split(d, c.Validation, f)
	return &sampler{data: d, schedule: s, levels: newLevels(s, c.Emphasis), field: f, held: held, train: train, epoch: -1}
}

// split returns the numbers of the examples to learn from and of those held out: a
// random share of them, unless the data are divided.
func split(d Data, share float64, f noise.Field) (train, held []int) {
	if d, ok := d.(Divided); ok {
		for i := range d.Len() {
			train = append(train, i)
		}
		n := d.Len() - d.HeldOut()
		return train[:n:n], train[n:]
	}
	order := rand.New(noise.NewSource(f.Sub("split"), 0)).Perm(d.Len())
	n := int(share * float64(d.Len()))
	return order[n:], order[:n]
}

// draw fills the minibatch of a step. Examples are visited in random order, every
// one once per epoch; epochs follow each other within a minibatch.
func (s *sampler) draw(b *minibatch, step int) {
	size := b.noise.Size()
	s.field.Normal(b.noise.Data, size, noise.Address{Variable: noiseVariable, Draw: step})
	times := make([]float64, b.X.N)
	s.field.Uniform(times, noise.Address{Variable: timestepVariable, Draw: step})
	for k := range b.X.N {
		at := step*b.X.N + k
		b.fill(s.data, s.schedule, k, s.example(at), s.levels.at(times[k]))
	}
}

// example returns the number of the at-th example of a run.
func (s *sampler) example(at int) int {
	n := len(s.train)
	if epoch := at / n; epoch != s.epoch {
		s.order = rand.New(noise.NewSource(s.field.Sub("order"), uint64(epoch))).Perm(n)
		s.epoch = epoch
	}
	return s.train[s.order[at%n]]
}

// drawHeld fills a minibatch with held-out examples from number first on and
// returns how many there were. Each keeps its noise over the whole training.
func (s *sampler) drawHeld(b *minibatch, first int) int {
	n := min(b.X.N, len(s.held)-first)
	s.field.Normal(b.noise.Data, b.noise.Size(), noise.Address{Variable: validationNoise, Sample: first})
	for k := range n {
		u := make([]float64, 1)
		s.field.Uniform(u, noise.Address{Variable: validationTimestep, Sample: first + k})
		b.fill(s.data, s.schedule, k, s.held[first+k], int(u[0]*float64(s.schedule.Len())))
	}
	return n
}
