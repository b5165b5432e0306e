package train

import (
	"fmt"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// OfAdapter returns an adapter as a network of samples of a fixed size, with conditions of
// some rows of context: what it learns from are [Data] with hints. Its base learns nothing.
// It returns an error for a size that the base does not take, and for a base without
// values.
func OfAdapter(net *nn.ControlNetXS, height, width, rows int) (Network, error) {
	rowsOfContext := tensor.New(1, rows, net.Base().Config().CrossAttentionDim)
	if _, err := net.Bind(height, width, rowsOfContext, tensor.New(1, net.HintShape(height, width)...), 1); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	return adapter{net, height, width, rows}, nil
}

type adapter struct {
	*nn.ControlNetXS
	height, width, rows int
}

func (n adapter) Kind() schedule.Kind { return n.Base().Kind() }

func (n adapter) Shape() tensor.Shape {
	return tensor.Shape{n.Base().Config().InChannels, n.height, n.width}
}

func (n adapter) HintShape() tensor.Shape { return n.ControlNetXS.HintShape(n.height, n.width) }

func (n adapter) NewTraining(batch int) *nn.Training {
	t, err := n.ControlNetXS.NewTraining(batch, n.height, n.width, n.rows, 1)
	if err != nil {
		panic(err) // OfAdapter knows that the size fits
	}
	return t
}
