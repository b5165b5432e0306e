package images_test

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/internal/metric/images"
	"github.com/go-pcd/pcd/tensor"
)

// brightness sees an image as the mean of its colours.
type brightness struct{}

func (brightness) Embed(_ context.Context, x tensor.Batch) ([][]float64, error) {
	out := make([][]float64, x.N)
	for i := range out {
		out[i] = []float64{0}
		for _, v := range x.Sample(i) {
			out[i][0] += float64(v) / float64(x.Size())
		}
	}
	return out, nil
}

func (b brightness) Distances(ctx context.Context, x, y tensor.Batch, pairs [][2]int) ([]float64, error) {
	v, _ := b.Embed(ctx, x)
	w, _ := b.Embed(ctx, y)
	out := make([]float64, len(pairs))
	for k, p := range pairs {
		out[k] = max(v[p[0]][0]-w[p[1]][0], w[p[1]][0]-v[p[0]][0])
	}
	return out, nil
}

func ExampleSet_Measure() {
	grey := tensor.New(3, 3, 2, 2) // three images: black, half grey, white
	for i := range grey.Data {
		grey.Data[i] = float32(i/12) / 2
	}
	var b brightness
	m, _ := images.Set{Similarity: b, Distance: b, Frechet: b}.Measure(context.Background(), grey.Rows(0, 2), grey.Rows(1, 3))
	fmt.Println("to the nearest exemplar:", m.Distance)
	fmt.Println("of the pair:", m.Diversity)
	// Output:
	// to the nearest exemplar: [0.5 0]
	// of the pair: [0.5]
}
