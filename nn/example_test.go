package nn_test

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

func ExampleTemporalUNet() {
	net, err := nn.NewTemporalUNet(nn.TemporalUNetConfig{DimMults: []int{1, 2, 4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	net.Init(noise.New(1)) // or fill net.Params() from a checkpoint and call net.Refresh()
	x, eps := tensor.New(8, 64, 4), tensor.New(8, 64, 4)
	if err := net.Predict(context.Background(), eps, x, 12); err != nil {
		fmt.Println(err)
		return
	}
	last := net.Params()[len(net.Params())-1]
	fmt.Println(net.Shape(), net.Kind(), len(net.Params()), last.Name, last.Shape)
	// Output: [64 4] epsilon 148 final_conv.1.bias [4]
}

func ExampleConditionalUNet1D_Bind() {
	net, err := nn.NewConditionalUNet1D(nn.ConditionalUNet1DConfig{DownDims: []int{64, 128, 256}})
	if err != nil {
		fmt.Println(err)
		return
	}
	net.Init(noise.New(1))
	observations := tensor.New(4, 40) // of samples 0 to 3
	model, err := net.Bind(observations)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := tensor.New(6, 16, 2)
	fmt.Println(model.Predict(context.Background(), tensor.New(6, 16, 2), x, 12))
	// Output: nn: sample 4 has no condition; those bound are for samples 0 to 3
}
