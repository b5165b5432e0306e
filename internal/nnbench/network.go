package nnbench

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// network is what both networks offer beside [denoise.VJPer].
type network interface {
	Init(noise.Field)
	Params() []*nn.Param
	Refresh()
	MultiplyAdds() (nominal, useful int)
	NewTraining(batch int) *nn.Training
}

// subject is a network with inputs of one batch size.
type subject struct {
	network
	model     denoise.VJPer
	x, dst    tensor.Batch
	condition tensor.Batch
	op        nn.Operation

	training *nn.Training
	times    []int
	moments  [][2][]float32
	step     int
}

// The timestep of all measurements; its value does not matter.
const timestep = 7

// newSubject makes the network that a name such as temporal-1-2-4 (multiples of
// the width) or conditional-256-512-1024 (channels) describes.
func newSubject(c Case, threads int) (*subject, error) {
	kind, dims, err := parse(c.Network)
	if err != nil {
		return nil, err
	}
	s := &subject{op: c.Op}
	switch kind {
	case "temporal":
		n, err := nn.NewTemporalUNet(nn.TemporalUNetConfig{DimMults: dims, Workers: threads})
		if err != nil {
			return nil, err
		}
		n.Init(noise.New(1))
		s.network, s.model = n, n
	case "conditional":
		n, err := nn.NewConditionalUNet1D(nn.ConditionalUNet1DConfig{DownDims: dims, Workers: threads})
		if err != nil {
			return nil, err
		}
		n.Init(noise.New(1))
		s.condition = normals(c.Batch, 40)
		bound, err := n.Bind(s.condition)
		if err != nil {
			return nil, err
		}
		s.network, s.model = n, bound
	}
	s.x, s.dst = normals(c.Batch, s.model.Shape()...), tensor.New(c.Batch, s.model.Shape()...)
	if c.Op == nn.Train {
		s.prepareTraining(c.Batch)
	}
	return s, nil
}

// parse splits the name of a network.
func parse(name string) (kind string, dims []int, err error) {
	kind, rest, _ := strings.Cut(name, "-")
	if kind != "temporal" && kind != "conditional" {
		return "", nil, fmt.Errorf("nnbench: network %q: want temporal-… or conditional-… with its levels, for instance temporal-1-2-4", name)
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

func normals(n int, shape ...int) tensor.Batch {
	b := tensor.New(n, shape...)
	noise.New(2).Normal(b.Data, b.Size(), noise.Address{})
	return b
}

func (s *subject) prepareTraining(batch int) {
	s.training = s.NewTraining(batch)
	s.times = make([]int, batch)
	for i := range s.times {
		s.times[i] = timestep
	}
	for _, p := range s.Params() {
		s.moments = append(s.moments, [2][]float32{make([]float32, len(p.Data)), make([]float32, len(p.Data))})
	}
}

// run does the operation once.
func (s *subject) run(ctx context.Context) error {
	switch s.op {
	case nn.Forward:
		return s.model.Predict(ctx, s.dst, s.x, timestep)
	case nn.VJP:
		return s.model.VJP(ctx, s.dst, s.x, s.x, timestep)
	}
	return s.train(ctx)
}

// train does a step of the mean squared error with the input as target.
func (s *subject) train(ctx context.Context) error {
	if err := s.training.Forward(ctx, s.dst, nn.Examples{X: s.x, T: s.times, Condition: s.condition}); err != nil {
		return err
	}
	scale := 2 / float32(len(s.dst.Data))
	for i, v := range s.x.Data {
		s.dst.Data[i] = scale * (s.dst.Data[i] - v)
	}
	s.training.ZeroGrad()
	if err := s.training.Backward(ctx, s.dst); err != nil {
		return err
	}
	s.step++
	adam := kernel.AdamStep{Rate: 1e-4, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Step: s.step}
	for i, p := range s.Params() {
		kernel.Adam(p.Data, p.Grad, s.moments[i][0], s.moments[i][1], adam)
	}
	s.Refresh()
	return nil
}

// gflop returns the operations of a run, in 1e9: two for every multiply-add of the
// prediction, as many again for the way back to the input, and as many again for
// the gradients of the weights. Those with padding that we leave out do not count;
// those that minimal filtering saves do.
func (s *subject) gflop() float64 {
	passes := 1 + int(s.op)
	_, useful := s.MultiplyAdds()
	return 2 * float64(passes) * float64(useful) * float64(s.x.N) / 1e9
}
