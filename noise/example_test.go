package noise_test

import (
	"fmt"

	"github.com/go-pcd/pcd/noise"
)

// Sample 17 is the same in any batch.
func ExampleField() {
	field := noise.New(3407)
	batch, alone := make([]float32, 20*3), make([]float32, 3)
	field.Normal(batch, 3, noise.Address{Variable: 1, Draw: 4})
	field.Normal(alone, 3, noise.Address{Variable: 1, Draw: 4, Sample: 17})
	fmt.Println(alone[0], alone[0] == batch[17*3])
	// Output: 0.2466251 true
}
