package nn

import (
	"context"

	"github.com/go-pcd/pcd/tensor"
)

// classifierLayers is how many layers the trunk of a [Classifier] has.
const classifierLayers = 4

// Stages is the trunk of a [Classifier]: what it sees in an image, layer by layer. It
// shares the parameters of the classifier.
type Stages struct {
	engine
	classifier *Classifier
}

// Stages returns the trunk of the classifier, whose parameters must have values.
func (n *Classifier) Stages() *Stages {
	s := &Stages{classifier: n}
	s.params, s.workers, s.unset = n.params, n.workers, n.unset
	s.layout = s.wire
	s.plans, s.idle = map[key]*plan{}, map[key][]*session{}
	return s
}

// Shapes returns the shapes of the activations after every layer for images of a shape,
// [channels, height, width], or a [ShapeError].
func (s *Stages) Shapes(in tensor.Shape) ([]tensor.Shape, error) {
	_, size, err := s.classifier.shape(in)
	if err != nil {
		return nil, err
	}
	var out []tensor.Shape
	for _, signal := range s.prepare(key{predicting, size}).out[:classifierLayers] {
		out = append(out, tensor.Shape{signal.length, signal.height, signal.channels / signal.height})
	}
	return out, nil
}

// Apply writes the activations after every layer to dst, a batch of the shape of
// [Stages.Shapes] for each. It returns a [ShapeError] for images that the classifier does
// not take, and panics when dst does not fit them.
func (s *Stages) Apply(ctx context.Context, dst []tensor.Batch, x tensor.Batch) error {
	b, _, err := s.classifier.bind(x)
	if err != nil {
		return err
	}
	shapes, err := s.Shapes(x.Shape)
	if err != nil {
		return err
	}
	for i, shape := range shapes {
		mustFit(x.N, shape, dst[i])
		b.out[i] = dst[i].Data
	}
	return s.run(ctx, predicting, 0, b)
}

// wire lays the trunk out.
func (s *Stages) wire(k key) *plan {
	g := newGraph(k)
	s.classifier.trunk(g, func(layer int, x *signal) {
		g.leaveImage(layer, x)
		g.out[layer].height = x.height
	})
	return g.finish()
}
