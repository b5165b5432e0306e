package nn

import (
	"fmt"
	"testing"

	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

func BenchmarkTemporalUNet(b *testing.B) {
	for _, dims := range [][]int{{1, 2, 4}, {1, 2, 4, 8}} {
		n, err := NewTemporalUNet(TemporalUNetConfig{DimMults: dims})
		if err != nil {
			b.Fatal(err)
		}
		n.Init(noise.New(1))
		for _, batch := range []int{1, 128, 512} {
			x, dst := tensor.New(batch, 64, 4), tensor.New(batch, 64, 4)
			noise.New(2).Normal(x.Data, 256, noise.Address{})
			b.Run(fmt.Sprintf("levels=%d/batch=%d/predict", len(dims), batch), func(b *testing.B) {
				for b.Loop() {
					if err := n.Predict(b.Context(), dst, x, 7); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("levels=%d/batch=%d/vjp", len(dims), batch), func(b *testing.B) {
				for b.Loop() {
					if err := n.VJP(b.Context(), dst, x, x, 7); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
