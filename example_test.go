package pcd_test

import (
	"context"
	"fmt"
	"math"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise/analytic"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// Two blocks of half-lengths 3 and 1 must fit between walls at 0 and 9 without
// overlapping. Each has a Gaussian prior around the middle; a log barrier pushes
// their centres apart, projection keeps them between the walls.
func Example() {
	shape := tensor.Shape{1}
	big, _ := analytic.NewGaussian(shape, []float64{4.5}, []float64{0.6}, nil)
	small, _ := analytic.NewGaussian(shape, []float64{4.5}, []float64{1}, nil)
	wallsOfBig, _ := project.NewInterval(3, 6)
	wallsOfSmall, _ := project.NewInterval(1, 8)
	problem := pcd.Problem{
		Variables: []pcd.Variable{
			{Name: "big", Model: big, Init: pcd.Normal{Mean: 4.5, Std: math.Sqrt(0.6)}, Project: wallsOfBig},
			{Name: "small", Model: small, Init: pcd.Normal{Mean: 4.5, Std: 1}, Project: wallsOfSmall},
		},
		Couplings: []pcd.Coupling{{Cost: cost.LogBarrier{Alpha: 1.5}, Strength: 32, Scale: pcd.ByStepSize}},
		Dynamics:  pcd.LMC{Step: 0.05, Length: 200},
	}
	result, err := pcd.Sample(context.Background(), problem, pcd.Options{Samples: 10000, Seed: 3407})
	if err != nil {
		fmt.Println(err)
		return
	}
	apart := 0
	for k, x := range result.Samples[0].Data {
		if math.Abs(float64(x)-float64(result.Samples[1].Data[k])) >= 4 {
			apart++
		}
	}
	fmt.Printf("certified between the walls: %v; apart: %.0f %%\n", result.Certificate.Certified, float64(apart)/100)
	// Output:
	// certified between the walls: true; apart: 91 %
}
