package train_test

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
)

// A small network learns to predict the noise in paths of eight points in the plane.
func ExampleTrainer() {
	x := tensor.New(32, 8, 2)
	noise.New(1).Normal(x.Data, 16, noise.Address{})
	net, err := nn.NewTemporalUNet(nn.TemporalUNetConfig{Horizon: 8, StateDim: 2, Width: 8, DimMults: []int{1, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	net.Init(noise.New(2))
	levels, err := schedule.Exponential(25, 1e-4, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	objective := train.NoiseMSE{Net: net, Data: train.Unconditional(x), Schedule: levels}
	trainer, err := train.New(objective, train.Config{Steps: 3, Batch: 8, LogEvery: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	var losses int
	err = trainer.Run(context.Background(), train.Hooks{Log: func(train.Metrics) error { losses++; return nil }})
	fmt.Println(trainer.Done(), losses, err)
	// Output: 3 3 <nil>
}
