package train_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
)

func BenchmarkTrainingStep(b *testing.B) {
	for option, mults := range [][]int{{1, 2, 4}, {1, 2, 4, 8}} {
		b.Run(fmt.Sprintf("option%d", option), func(b *testing.B) {
			n, err := nn.NewTemporalUNet(nn.TemporalUNetConfig{DimMults: mults})
			if err != nil {
				b.Fatal(err)
			}
			n.Init(noise.New(1))
			x := tensor.New(512, 64, 4)
			noise.New(2).Normal(x.Data, 256, noise.Address{})
			tr, err := train.New(train.NoiseMSE{Net: n, Data: train.Unconditional(x), Schedule: exponential(b)}, train.Config{Steps: b.N, ClipNorm: 1})
			if err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			if err := tr.Run(context.Background(), train.Hooks{}); err != nil {
				b.Fatal(err)
			}
		})
	}
}
