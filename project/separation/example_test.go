package separation_test

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// Two robots drive straight at each other and are made to pass.
func ExampleWorld_Repair() {
	const waypoints = 17
	world := &separation.World{Robots: []separation.Robot{{Radius: 0.1, Step: 0.2}, {Radius: 0.1, Step: 0.2}}, Margin: 1e-3}
	x := []tensor.Batch{tensor.New(1, waypoints, 2), tensor.New(1, waypoints, 2)}
	for h := range waypoints {
		at := float32(h)/(waypoints-1)*2 - 1
		copy(x[0].Data[2*h:], []float32{at, 0.02})
		copy(x[1].Data[2*h:], []float32{-at, -0.02})
	}
	fmt.Println("certified before:", world.Judge(x, 0).Certified(world.Margin))
	outcome, err := world.Repair(context.Background(), x, x, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, proven, err := world.Witness(context.Background(), x, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("certified after:", outcome.Verdict.Certified(world.Margin), "proven:", proven)
	// Output:
	// certified before: false
	// certified after: true proven: true
}
