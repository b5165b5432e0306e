package nnbench

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// TestPictures draws pictures from noise by every way, with a small network and the tiny decoder.
func TestPictures(t *testing.T) {
	for kind, w := range ways {
		c := Case{kind + "-16-2", nn.Forward, 1}
		if !c.sampled() || c.rounds(4) != 1 || (&torch{}).has(c) || (&onnx{}).has(c) {
			t.Errorf("%s is not measured once and alone", c.Network)
		}
		net, err := newUNet2D(c, imageUNet(4), 16, 77, 1)
		if err != nil {
			t.Fatal(err)
		}
		w.tiny, w.sampler.Steps = true, 2
		s, err := (&picture{subject: *net, way: w}).subjectOf(c, 1)
		if err != nil {
			t.Fatal(err)
		}
		s.Init(noise.New(1))
		s.x, s.y = tensor.New(1, s.in...), tensor.New(1, s.out...)
		if err := s.run(t.Context()); err != nil {
			t.Fatalf("%s: %v", c.Network, err)
		}
		var sum float64
		for _, v := range s.y.Data {
			sum += math.Abs(float64(v))
		}
		if want := []int{3, 128, 128}; !s.out.Equal(want) || sum == 0 || math.IsNaN(sum) {
			t.Errorf("%s draws %v with the sum %v, want numbers of %v", c.Network, s.out, sum, want)
		}
	}
}
