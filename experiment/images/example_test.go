package images_test

import (
	"fmt"

	"github.com/go-pcd/pcd/env/portrait"
	"github.com/go-pcd/pcd/experiment/images"
)

func ExamplePrompt() {
	fmt.Println(images.Prompt(portrait.GroupOf(55), portrait.Female))
	fmt.Println(images.Prompt(portrait.GroupOf(25), portrait.Male))
	// Output:
	// portrait of an old woman
	// portrait of a young man
}
