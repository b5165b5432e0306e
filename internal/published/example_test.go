package published_test

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// The published iteration keeps a speed limit up to a tolerance and says so; the
// exact projection keeps it in every step.
func ExampleNewADMM() {
	x := tensor.New(1, 8, 2)
	for h := range 8 {
		x.Sample(0)[2*h] = float32(h) // too fast
	}
	path := project.Path{Start: tensor.New(1, 2)}
	admm, err := published.NewADMM(0.1, path, published.ADMMNav2D)
	if err != nil {
		fmt.Println(err)
		return
	}
	exact, err := project.NewSpeedLimit(0.1, path)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range []project.Projector{admm, exact} {
		r, err := p.Project(context.Background(), tensor.New(1, 8, 2), x)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Status, r.ViolationAfter <= 0, r.ViolationAfter < 1e-4)
	}
	// Output:
	// iteration limit false true
	// converged true true
}
