package nnbench

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// network is what the networks have in common.
type network interface {
	Init(noise.Field)
	Params() []*nn.Param
	Refresh()
}

// subject is a network, what it computes, and inputs of one batch size.
type subject struct {
	network
	multiplyAdds int // of a forward pass for one sample
	predict      func(ctx context.Context, dst, x tensor.Batch) error
	pull         func(ctx context.Context, dst, x, cotangent tensor.Batch) error
	newTraining  func() (*nn.Training, error) // nil for networks that are not trained here
	in, out      tensor.Shape
	condition    tensor.Batch

	op       nn.Operation
	x, y     tensor.Batch // what goes in and what comes out
	dx, dy   tensor.Batch // the product with the Jacobian and the cotangent or target
	training *nn.Training
	times    []int
	moments  [][2][]float32
	step     int
	threads  int
}

// The timestep of all measurements; its value does not matter.
const timestep = 7

// makers make the networks, without values, by the first part of their names. The numbers
// are the rest of the name.
var makers = map[string]func(c Case, dims []int, threads int) (*subject, error){
	"temporal":          newTemporal,
	"conditional":       newConditional,
	"image-unet":        newImageUNet,
	"latent-classifier": newLatentClassifier,
	"policy-eye":        newEye,
	"policy-pass":       newPolicyPass,
	"policy-half-pass":  newHalfPolicyPass,
	"policy-plan":       newPolicyPlan,
	"policy-half-plan":  newHalfPolicyPlan,
	"sd21-unet":         newStableDiffusion,
	"sd21-decoder":      newDecoder,
	"tiny-decoder":      newTinyDecoder,
	"sd21-ddim":         newPicture(ways["sd21-ddim"]),
	"sd21-dpm":          newPicture(ways["sd21-dpm"]),
	"sd21-turbo":        newPicture(ways["sd21-turbo"]),
}

// newSubject makes the network that a name such as temporal-1-2-4 describes.
func newSubject(c Case, threads int) (*subject, error) {
	s, err := makeSubject(c, threads)
	if err != nil {
		return nil, err
	}
	s.Init(noise.New(1))
	s.x, s.dy = normals(c.Batch, s.in...), normals(c.Batch, s.out...)
	s.y, s.dx = tensor.New(c.Batch, s.out...), tensor.New(c.Batch, s.in...)
	if c.Op == nn.Train {
		return s, s.prepareTraining(c)
	}
	return s, nil
}

// makeSubject is newSubject without values and inputs.
func makeSubject(c Case, threads int) (*subject, error) {
	kind, dims, err := parse(c.Network)
	if err != nil {
		return nil, err
	}
	s, err := makers[kind](c, dims, threads)
	if err != nil {
		return nil, fmt.Errorf("nnbench: network %q: %w", c.Network, err)
	}
	s.op, s.threads = c.Op, threads
	return s, nil
}

// computes makes s measure a model of noisy samples.
func (s *subject) computes(m denoise.VJPer) {
	s.in, s.out = m.Shape(), m.Shape()
	s.predict = func(ctx context.Context, dst, x tensor.Batch) error { return m.Predict(ctx, dst, x, timestep) }
	s.pull = func(ctx context.Context, dst, x, cotangent tensor.Batch) error {
		return m.VJP(ctx, dst, x, cotangent, timestep)
	}
}

// parse splits the name of a network.
func parse(name string) (kind string, dims []int, err error) {
	for kind = range makers {
		rest, ok := strings.CutPrefix(name, kind+"-")
		if !ok {
			continue
		}
		for _, field := range strings.Split(rest, "-") {
			d, err := strconv.Atoi(field)
			if err != nil {
				return "", nil, fmt.Errorf("nnbench: network %q: level %q is not a number", name, field)
			}
			dims = append(dims, d)
		}
		return kind, dims, nil
	}
	return "", nil, fmt.Errorf("nnbench: network %q: want a kind with its numbers, for instance temporal-1-2-4", name)
}

// one returns the only number of a name, which lies between 1 and most.
func one(dims []int, most int) (int, error) {
	if len(dims) != 1 || dims[0] < 1 || dims[0] > most {
		return 0, fmt.Errorf("numbers %v, want one between 1 and %d", dims, most)
	}
	return dims[0], nil
}

func normals(n int, shape ...int) tensor.Batch {
	b := tensor.New(n, shape...)
	noise.New(2).Normal(b.Data, b.Size(), noise.Address{})
	return b
}

func (s *subject) prepareTraining(c Case) (err error) {
	if s.newTraining == nil {
		return fmt.Errorf("nnbench: network %q: no training step is defined", c.Network)
	}
	if s.training, err = s.newTraining(); err != nil {
		return err
	}
	s.times = make([]int, c.Batch)
	for i := range s.times {
		s.times[i] = timestep
	}
	for _, p := range s.Params() {
		s.moments = append(s.moments, [2][]float32{make([]float32, len(p.Data)), make([]float32, len(p.Data))})
	}
	return nil
}

// parameters returns how many numbers the network learns.
func (s *subject) parameters() (n int) {
	for _, p := range s.Params() {
		n += p.Shape.Size()
	}
	return n
}

// run does the operation once.
func (s *subject) run(ctx context.Context) error {
	switch s.op {
	case nn.Forward:
		return s.predict(ctx, s.y, s.x)
	case nn.VJP:
		return s.pull(ctx, s.dx, s.x, s.dy)
	}
	return s.train(ctx)
}

// train does a step of the mean squared error.
func (s *subject) train(ctx context.Context) error {
	if err := s.training.Forward(ctx, s.y, nn.Examples{X: s.x, T: s.times, Condition: s.condition}); err != nil {
		return err
	}
	scale := 2 / float32(len(s.y.Data))
	for i, v := range s.dy.Data {
		s.y.Data[i] = scale * (s.y.Data[i] - v)
	}
	s.training.ZeroGrad()
	if err := s.training.Backward(ctx, s.y); err != nil {
		return err
	}
	s.step++
	adam := kernel.AdamStep{Rate: 1e-4, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Step: s.step}
	params := s.Params()
	err := parallel.For(ctx, s.threads, len(params), func(_, i int) error {
		kernel.Adam(params[i].Data, params[i].Grad, s.moments[i][0], s.moments[i][1], adam)
		return nil
	})
	s.Refresh()
	return err
}

// gflop returns the operations of a run, in 1e9: two for every multiply-add of the
// prediction, as many again for the way back to the input, and as many again for
// the gradients of the weights. Those with the padding of sequences do not count; those
// that minimal filtering saves do.
func (s *subject) gflop() float64 {
	passes := 1 + int(s.op)
	return 2 * float64(passes) * float64(s.multiplyAdds) * float64(s.x.N) / 1e9
}
