package toy_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-pcd/pcd/internal/experiment/toy"
)

// Projected pairs stay between the walls, certified.
func ExampleRun() {
	pairs, err := toy.Run(context.Background(), toy.PCD, toy.Options{Pairs: 1000})
	if err != nil {
		log.Fatal(err)
	}
	s := toy.Summarise(pairs)
	fmt.Println("through a wall:", s.POut, "certified:", s.Certified)
	// Output: through a wall: 0 certified: true
}
