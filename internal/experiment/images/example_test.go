package images_test

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/experiment/images"
	"github.com/go-pcd/pcd/internal/pair"
)

// A published row: projected and coupled, six exemplars of each image.
func ExamplePublished() {
	m, ok := images.Published(6, pair.PCD)
	fmt.Println(ok, m.XOR.Mean, m.Gender[0].Mean, m.Distance[1].Mean)
	// Output: true 0.76 1 0.24
}
