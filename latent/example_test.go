package latent_test

import (
	"fmt"

	"github.com/go-pcd/pcd/latent"
)

// The published selection of timesteps to project at, for a sampling that begins at
// timestep 991.
func ExampleParseSelection() {
	for _, text := range []string{"all", "500:", ":T", "T"} {
		s, err := latent.ParseSelection(text, 991)
		fmt.Println(s.From, s.To, err)
	}
	// Output:
	// 0 991 <nil>
	// 500 991 <nil>
	// 0 991 <nil>
	// 991 991 <nil>
}
