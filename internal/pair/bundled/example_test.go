package bundled_test

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/pair"
	_ "github.com/go-pcd/pcd/internal/pair/bundled"
)

func Example() {
	model, err := pair.Bundled()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("a classifier of latents:", model.Classifier != nil, "a judge of pictures:", model.Judge != nil)
	// Output: a classifier of latents: true a judge of pictures: true
}
