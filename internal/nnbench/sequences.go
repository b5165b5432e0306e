package nnbench

import (
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/nn"
)

// sequence is what the networks of sequences have in common.
type sequence interface {
	network
	MultiplyAdds() (nominal, useful int)
	NewTraining(batch int) *nn.Training
}

// newSequence returns the subject of a network and of the model that it makes.
func newSequence(n sequence, m denoise.VJPer, batch int) *subject {
	s := &subject{network: n}
	s.computes(m)
	_, s.multiplyAdds = n.MultiplyAdds()
	s.newTraining = func() (*nn.Training, error) { return n.NewTraining(batch), nil }
	return s
}

// newTemporal makes the network of teams; the numbers are multiples of its width.
func newTemporal(c Case, dims []int, threads int) (*subject, error) {
	n, err := nn.NewTemporalUNet(nn.TemporalUNetConfig{DimMults: dims, Workers: threads})
	if err != nil {
		return nil, err
	}
	return newSequence(n, n, c.Batch), nil
}

// newConditional makes the network of pairs; the numbers are the channels of its levels.
func newConditional(c Case, dims []int, threads int) (*subject, error) {
	n, err := nn.NewConditionalUNet1D(nn.ConditionalUNet1DConfig{DownDims: dims, Workers: threads})
	if err != nil {
		return nil, err
	}
	condition := normals(c.Batch, 40)
	bound, err := n.Bind(condition)
	if err != nil {
		return nil, err
	}
	s := newSequence(n, bound, c.Batch)
	s.condition = condition
	return s, nil
}
