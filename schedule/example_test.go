package schedule_test

import (
	"fmt"

	"github.com/go-pcd/pcd/schedule"
)

// The schedule of latent diffusion models, visited at 5 of its 1000 timesteps.
func ExampleSchedule_Leading() {
	s, err := schedule.ScaledLinear(1000, 0.00085, 0.012)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err = s.Leading(5, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := s.Len() - 1; i >= 0; i-- {
		fmt.Printf("%d %.4f\n", s.At(i).Timestep, s.At(i).AlphaBar)
	}
	// Output:
	// 801 0.0365
	// 601 0.1598
	// 401 0.4229
	// 201 0.7521
	// 1 0.9983
}
