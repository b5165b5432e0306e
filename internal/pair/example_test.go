package pair_test

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/tensor"
)

// The published settings carry over to latents of another size.
func ExampleRequest_Choose() {
	exemplars := tensor.New(2, 4, 16, 16)
	exemplars.Data[0] = 20 // a chord of that length
	choices := pair.Request{Method: pair.PCD}.Choose(1024, []tensor.Batch{exemplars, exemplars})
	fmt.Printf("gamma %.1f, noise scale %.1f\n", choices.Gamma, choices.NoiseScale)
	// Output: gamma 112.5, noise scale 8.0
}
