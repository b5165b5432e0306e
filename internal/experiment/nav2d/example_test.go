package nav2d_test

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/experiment/nav2d"
	"github.com/go-pcd/pcd/plan"
)

// A published row, and the cells that ours are made of.
func ExamplePublished() {
	m, _ := nav2d.Published("highways", 4, plan.PCDSHD, 0.878)
	fmt.Printf("published: RS %.2f ± %.2f\n", m.RS.Mean, m.RS.Std)

	spec := nav2d.PublishedSpec()
	spec.Maps, spec.Robots, spec.Methods = []string{"highways"}, []int{4}, []plan.Method{plan.PCDSHD}
	cells, err := spec.Cells()
	if err != nil {
		fmt.Println(err)
	}
	for _, c := range cells {
		fmt.Println(c.Name())
	}
	// Output:
	// published: RS 1.00 ± 0.06
	// highways-n4-pcd-shd-v0.878-g0.2
	// highways-n4-pcd-shd-v0.781-g0.2
	// highways-n4-pcd-shd-v0.647-g0.2
}
