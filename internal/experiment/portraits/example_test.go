package portraits_test

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/internal/experiment/portraits"
)

func ExamplePrompt() {
	fmt.Println(portraits.Prompt(portrait.GroupOf(55), portrait.Female))
	fmt.Println(portraits.Prompt(portrait.GroupOf(25), portrait.Male))
	// Output:
	// portrait of an old woman
	// portrait of a young man
}
