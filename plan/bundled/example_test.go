package bundled_test

import (
	"fmt"

	"github.com/go-pcd/pcd/plan"
	_ "github.com/go-pcd/pcd/plan/bundled"
)

func Example() {
	fmt.Println(plan.BundledNames())
	// Output: [conveyor dropregion empty highways]
}
