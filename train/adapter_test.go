package train_test

import (
	"slices"
	"testing"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
)

// shown are squares whose hint is the square itself, at twice the size.
type shown struct{ rowed }

func (s shown) HintShape() tensor.Shape {
	return tensor.Shape{1, 2 * s.Shape()[1], 2 * s.Shape()[2]}
}

func (s shown) Hint(dst []float32, i int) {
	x, condition := make([]float32, s.Shape().Size()), make([]float32, 2)
	s.Example(x, condition, i)
	side := 2 * s.Shape()[2]
	for at := range dst {
		dst[at] = x[at/side/2*(side/2)+at%side/2]
	}
}

// newAdapter returns an adapter of a small network that is trained for some steps.
func newAdapter(t *testing.T, s *schedule.Schedule, steps int) (*nn.UNet2DCondition, *nn.ControlNetXS) {
	t.Helper()
	base := smallImages(t)
	if steps > 0 {
		images, err := train.OfImages(base, 8, 8, 1)
		if err != nil {
			t.Fatal(err)
		}
		tr := begin(t, train.NoiseMSE{Net: images, Data: rowed{squares{24, 8}}, Schedule: s}, train.Config{Steps: steps, Batch: 8, Rate: 3e-3})
		if err := tr.Run(t.Context(), train.Hooks{}); err != nil {
			t.Fatal(err)
		}
	}
	net, err := nn.NewControlNetXS(base, nn.ControlNetXSConfig{BlockOutChannels: []int{8, 8}, HintChannels: []int{8, 8},
		ConditioningChannels: 1, Heads: []int{2, 2}, MaxNormNumGroups: 4, TransformerLayers: []int{1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(noise.New(2))
	return base, net
}

// TestAdapter trains an adapter by a hint that says it all: the loss falls below that of
// the base, whose parameters keep their bits.
func TestAdapter(t *testing.T) {
	t.Parallel()
	s, err := schedule.ScaledLinear(100, 0.001, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	steps := 150
	if testing.Short() { // goroutines are watched, and nothing is learned
		steps = 5
	}
	base, net := newAdapter(t, s, steps/5)
	var before [][]float32
	for _, p := range base.Params() {
		before = append(before, slices.Clone(p.Data))
	}
	adapter, err := train.OfAdapter(net, 8, 8, 1)
	if err != nil {
		t.Fatal(err)
	}
	objective := train.NoiseMSE{Net: adapter, Data: shown{rowed{squares{24, 8}}}, Schedule: s}
	tr := begin(t, objective, train.Config{Steps: steps, Batch: 8, Rate: 2e-2, LogEvery: 30})
	var losses []float64
	if err := tr.Run(t.Context(), train.Hooks{Log: func(m train.Metrics) error { losses = append(losses, m.Loss); return nil }}); err != nil {
		t.Fatal(err)
	}
	if !testing.Short() && losses[len(losses)-1] > 0.75*losses[0] {
		t.Errorf("losses %v do not fall", losses)
	}
	for i, p := range base.Params() {
		if !slices.Equal(p.Data, before[i]) {
			t.Errorf("%s of the base has changed", p.Name)
		}
	}
}

// An adapter needs hints, a plain network takes none, and hints have the adapter's size.
func TestHintsMustFit(t *testing.T) {
	s, err := schedule.ScaledLinear(100, 0.001, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	base, net := newAdapter(t, s, 0)
	adapter, err := train.OfAdapter(net, 8, 8, 1)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := train.OfImages(base, 8, 8, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]train.NoiseMSE{
		"no hints":        {Net: adapter, Data: rowed{squares{24, 8}}, Schedule: s},
		"hints for none":  {Net: plain, Data: shown{rowed{squares{24, 8}}}, Schedule: s},
		"another network": {Net: adapter, Data: shown{rowed{squares{24, 16}}}, Schedule: s},
	} {
		if _, err := train.New(o, train.Config{Steps: 1, Batch: 2, Rate: 1e-3}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := train.OfAdapter(net, 8, 0, 1); err == nil {
		t.Error("a size that the base does not take: no error")
	}
}

// Data with other hints are other data.
func TestDigestSeesHints(t *testing.T) {
	plain, err := train.Digest(rowed{squares{4, 8}})
	if err != nil {
		t.Fatal(err)
	}
	hinted, err := train.Digest(shown{rowed{squares{4, 8}}})
	if err != nil || hinted == plain {
		t.Errorf("digest %q with and %q without hints, %v", hinted, plain, err)
	}
}
