package train

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// examples writes n examples without their conditions to the first rows of x: row k
// is example number(k). Examples may be drawn as they are needed, so all processors
// help.
func examples(d Data, x tensor.Batch, n int, number func(k int) int) {
	numbers := make([]int, n)
	for k := range numbers {
		numbers[k] = number(k)
	}
	var condition int
	if s := d.ConditionShape(); s != nil {
		condition = s.Size()
	}
	_ = parallel.For(context.Background(), parallel.Workers(0), n, func(_, k int) error {
		d.Example(x.Sample(k), make([]float32, condition), numbers[k])
		return nil
	})
}

// followingLoss is a [Loss] whose networks have values that follow a training without
// gradients, such as running statistics: they are averaged and kept in checkpoints as
// the parameters are.
type followingLoss interface {
	Loss
	Buffers() []*nn.Param
}

// identifiedData is implemented by data that are made rather than read: Identity says how,
// in the place of a digest of all examples.
type identifiedData interface {
	Data
	Identity() string
}

// labelledData is implemented by data that know a condition without making the sample:
// conditions can then be checked before any sample is made.
type labelledData interface {
	Data
	Condition(dst []float32, i int)
}

// hintedData is implemented by data with a hint for every sample, an array that steers a
// network beside the condition.
type hintedData interface {
	Data
	// HintShape returns the shape of a hint.
	HintShape() tensor.Shape
	// Hint writes the hint of sample number i.
	Hint(dst []float32, i int)
}

// hintShape returns the shape of the hints of data or of a network, nil for none.
func hintShape(v any) tensor.Shape {
	if h, ok := v.(interface{ HintShape() tensor.Shape }); ok {
		return h.HintShape()
	}
	return nil
}

// OfImages returns a network of images as one of samples of a fixed size, with
// conditions of some rows of context. It returns an error for a size that the network
// does not take.
func OfImages(net *nn.UNet2DCondition, height, width, rows int) (Network, error) {
	if _, err := net.Bind(height, width, tensor.New(1, rows, net.Config().CrossAttentionDim)); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	return imageNetwork{net, height, width, rows}, nil
}

type imageNetwork struct {
	*nn.UNet2DCondition
	height, width, rows int
}

func (n imageNetwork) Shape() tensor.Shape {
	return tensor.Shape{n.Config().InChannels, n.height, n.width}
}

func (n imageNetwork) NewTraining(batch int) *nn.Training {
	t, err := n.UNet2DCondition.NewTraining(batch, n.height, n.width, n.rows)
	if err != nil {
		panic(err) // OfImages knows that the size fits
	}
	return t
}
