package costtest_test

import (
	"fmt"
	"testing"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/costtest"
	"github.com/go-pcd/pcd/tensor"
)

// A test of one's own cost is one call; here it is run without the go command.
func ExampleRun() {
	test := func(t *testing.T) {
		shape := tensor.Shape{8, 2}
		costtest.Run(t, cost.LogBarrier{Alpha: 0.5}, []tensor.Shape{shape, shape}, costtest.Options{})
	}
	all := func(string, string) (bool, error) { return true, nil }
	fmt.Println(testing.RunTests(all, []testing.InternalTest{{Name: "TestLaws", F: test}}))
	// Output: true
}
