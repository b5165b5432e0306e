package plan_test

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/plan"
)

// Two robots cross the empty map. The plan is repaired until it is certified in
// continuous time.
func ExampleRun() {
	m, err := nav2d.MapByName("empty")
	if err != nil {
		fmt.Println(err)
		return
	}
	trials, err := nav2d.Trials(m, 2, 1, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := plan.Bundled("empty")
	if err != nil {
		fmt.Println(err)
		return
	}
	settings, err := plan.SettingsByName("default")
	if err != nil {
		fmt.Println(err)
		return
	}
	team := plan.TeamOfTrial(m, trials[0], model, plan.PublishedLimits(m)[0])
	gamma := settings.DefaultGamma(m, plan.PCDSHD.Coupling())
	result, err := plan.Run(context.Background(), team, plan.Options{Method: plan.PCDSHD, Gamma: gamma, Settings: settings})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Status, result.Certificate.Certified, result.Delivery.Certificate.Certified)
	// Output: complete true true
}
