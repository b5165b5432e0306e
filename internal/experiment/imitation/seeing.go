package imitation

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"github.com/go-pcd/pcd/internal/epochs"
	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/policy"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
)

// seeing is the objective of a policy with cameras: that of [train.NoiseMSE], whose gradient goes
// on through the condition into the networks that look at pictures.
type seeing struct {
	policy   *policy.Policy
	data     *examples
	shown    *Demonstrations
	schedule *schedule.Schedule
}

// The variables of the random field of a training.
const (
	noiseVariable = iota
	timestepVariable
	cropVariable
	validationNoise
	validationTimestep
)

// Begin implements [train.Objective].
func (o seeing) Begin(c train.Config) (train.Loss, error) {
	order, err := epochs.New(noise.New(c.Seed).Sub("train"), o.data, c.Validation)
	if err != nil {
		return nil, err
	}
	b := c.Batch
	l := &sight{seeing: o, batch: b, field: noise.New(c.Seed).Sub("policy"), order: order, digest: o.digest(), unet: o.policy.UNet().NewTraining(b)}
	l.params = o.policy.UNet().Params()
	cameras := 0
	for _, f := range o.shown.features {
		if f.Type != policy.Visual {
			continue
		}
		n := o.policy.Encoder(cameras)
		cameras++
		e := &eye{Feature: f, net: n, pictures: tensor.New(b*o.data.observations, f.Shape...), features: tensor.New(b*o.data.observations, n.Config().Features())}
		if e.training, err = n.NewTraining(e.pictures.N, e.pictures.Shape, true); err != nil {
			return nil, err
		}
		l.eyes = append(l.eyes, e)
		l.params = append(l.params[:len(l.params):len(l.params)], n.Params()...)
	}
	shape := o.data.Shape()
	l.clean, l.noise, l.x, l.out = tensor.New(b, shape...), tensor.New(b, shape...), tensor.New(b, shape...), tensor.New(b, shape...)
	l.vectors = tensor.New(b, o.data.ConditionShape()...)
	l.condition = tensor.New(b, o.policy.UNet().Config().ConditionDim)
	l.slope, l.times = l.condition.Clone(), make([]int, b)
	return l, nil
}

// digest identifies what is learned from.
func (o seeing) digest() string {
	h := sha256.New()
	for _, v := range append([]tensor.Batch{o.data.actions}, o.data.told...) {
		var raw []byte
		for _, x := range v.Data {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
		}
		h.Write(raw)
	}
	for _, f := range o.shown.features {
		h.Write(o.shown.pixels[f.Key])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// eye is a camera with the network that looks at its pictures.
type eye struct {
	policy.Feature
	net                *nn.VisionEncoder
	training           *nn.Training
	pictures, features tensor.Batch // of all observations of a minibatch, example by example
}

// sight computes the objective.
type sight struct {
	seeing
	batch  int
	field  noise.Field
	order  *epochs.Order
	digest string
	params []*nn.Param
	unet   *nn.Training
	eyes   []*eye

	clean, noise, x, out tensor.Batch // actions, and what is predicted
	vectors              tensor.Batch // what is told besides pictures
	condition, slope     tensor.Batch
	times                []int
}

// Params implements [train.Loss].
func (l *sight) Params() []*nn.Param { return l.params }

// Refresh implements [train.Loss].
func (l *sight) Refresh() {
	l.policy.UNet().Refresh()
	for _, e := range l.eyes {
		e.net.Refresh()
	}
}

// Signature implements [train.Loss].
func (l *sight) Signature() train.Signature {
	return train.Signature{Objective: "noise of actions from pictures", Data: l.digest, Settings: l.schedule.Name()}
}

// Step implements [train.Loss].
func (l *sight) Step(step int) (train.Value, error) {
	l.field.Normal(l.noise.Data, l.noise.Size(), noise.Address{Variable: noiseVariable, Draw: step})
	times, crops := make([]float64, l.batch), make([]float64, 2*l.batch)
	l.field.Uniform(times, noise.Address{Variable: timestepVariable, Draw: step})
	l.field.Uniform(crops, noise.Address{Variable: cropVariable, Draw: step})
	numbers := make([]int, l.batch)
	for k := range numbers {
		numbers[k] = l.order.Example(step*l.batch + k)
	}
	l.fill(numbers, times, crops)
	v, err := l.predict(l.batch)
	if err != nil || math.IsNaN(v.Loss) || math.IsInf(v.Loss, 0) {
		return v, err
	}
	return v, l.back()
}

// fill makes the minibatch of some examples: the noise is there already. crops are numbers from 0
// to 1 for either side of every example, nil for the centre.
func (l *sight) fill(numbers []int, times, crops []float64) {
	_ = parallel.For(context.Background(), parallel.Workers(0), len(numbers), func(_, k int) error {
		i := numbers[k]
		l.data.Example(l.clean.Sample(k), l.vectors.Sample(k), i)
		s := l.schedule.At(min(int(times[k]*float64(l.schedule.Len())), l.schedule.Len()-1))
		l.times[k] = s.Timestep
		s.Diffuse(l.x.Sample(k), l.clean.Sample(k), l.noise.Sample(k))
		for j, row := range l.data.rows(i) {
			for _, e := range l.eyes {
				shift := [2]int{}
				if crops != nil {
					shift = e.shift([2]float64(crops[2*k : 2*k+2]))
				}
				at := e.pictures.Sample(k*l.data.observations + j)
				e.see(at, l.shown.pixels[e.Key][row*e.Size():][:e.Size()], shift)
				l.policy.Normalize(at, at, e.Feature)
			}
		}
		return nil
	})
}

// shift returns by how many pixels a picture is moved, so that the crop of its centre is one from
// anywhere in the picture.
func (e *eye) shift(u [2]float64) (shift [2]int) {
	c := e.net.Config()
	for i, full := range e.Shape[1:] {
		seen := full
		if c.Crop != [2]int{} {
			seen = c.Crop[i]
			if c.Resize != [2]int{} {
				seen = (c.Crop[i]*full + c.Resize[i] - 1) / c.Resize[i]
			}
		}
		margin := (full - seen) / 2
		shift[i] = int(u[i]*float64(2*margin+1)) - margin
	}
	return shift
}

// see writes a picture channel by channel, moved by a number of pixels; the edge stands for what
// is beyond it.
func (e *eye) see(dst []float32, pixels []uint8, shift [2]int) {
	channels, height, width := e.Shape[0], e.Shape[1], e.Shape[2]
	for y := range height {
		from := max(0, min(height-1, y+shift[0])) * width
		for x := range width {
			at := channels * (from + max(0, min(width-1, x+shift[1])))
			for c := range channels {
				dst[(c*height+y)*width+x] = float32(pixels[at+c]) / 255
			}
		}
	}
}

// predict computes the loss of the first n examples, and leaves its gradient in out.
func (l *sight) predict(n int) (train.Value, error) {
	ctx := context.Background() // a step is not divided
	for _, e := range l.eyes {
		if err := e.training.Forward(ctx, e.features, nn.Examples{X: e.pictures}); err != nil {
			return train.Value{}, err
		}
	}
	l.tell(l.condition, func(dst, src []float32) { copy(dst, src) })
	if err := l.unet.Forward(ctx, l.out, nn.Examples{X: l.x, T: l.times, Condition: l.condition}); err != nil {
		return train.Value{}, err
	}
	sum, each := 0.0, 1/float64(n*l.out.Size())
	for i, v := range l.noise.Data {
		d := 0.0
		if i < n*l.out.Size() {
			d = float64(l.out.Data[i]) - float64(v)
		}
		sum += d * d * each
		l.out.Data[i] = float32(2 * d * each)
	}
	return train.Value{Loss: sum}, nil
}

// tell calls each with the places of a condition and of what it is made of: observation by
// observation the state, the features of the cameras, the state of the environment.
func (l *sight) tell(condition tensor.Batch, each func(place, part []float32)) {
	for k := range condition.N {
		at, vectors := condition.Sample(k), l.vectors.Sample(k)
		next := func(part []float32) {
			each(at[:len(part)], part)
			at = at[len(part):]
		}
		for j := range l.data.observations {
			eyes, told := l.eyes, l.data.told
			for _, f := range l.shown.features {
				switch f.Type {
				case policy.Visual:
					next(eyes[0].features.Sample(k*l.data.observations + j))
					eyes = eyes[1:]
				case policy.State, policy.Environment:
					next(vectors[:told[0].Size()])
					vectors, told = vectors[told[0].Size():], told[1:]
				}
			}
		}
	}
}

// back sets the gradients of all parameters.
func (l *sight) back() error {
	ctx := context.Background()
	l.unet.ZeroGrad()
	if err := l.unet.BackwardInput(ctx, nn.Examples{Condition: l.slope}, l.out); err != nil {
		return err
	}
	l.tell(l.slope, func(place, part []float32) { copy(part, place) }) // those of vectors go nowhere
	for _, e := range l.eyes {
		e.training.ZeroGrad()
		if err := e.training.Backward(ctx, e.features); err != nil {
			return err
		}
	}
	return nil
}

// HeldOut implements [train.Loss]: every example at a noise level of its own with its own noise.
func (l *sight) HeldOut() (train.Value, int, error) {
	held, sum := l.order.Held(), 0.0
	for first := 0; first < len(held); first += l.batch {
		numbers := held[first:min(first+l.batch, len(held))]
		l.field.Normal(l.noise.Data, l.noise.Size(), noise.Address{Variable: validationNoise, Sample: first})
		times := make([]float64, len(numbers))
		for k := range times {
			l.field.Uniform(times[k:k+1], noise.Address{Variable: validationTimestep, Sample: first + k})
		}
		l.fill(numbers, times, nil)
		v, err := l.predict(len(numbers))
		if err != nil {
			return train.Value{}, 0, err
		}
		sum += v.Loss * float64(len(numbers))
	}
	return train.Value{Loss: sum / float64(max(1, len(held)))}, len(held), nil
}
