package push_test

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/push"
)

// One pair pushes for eight actions: one call of the policy, at five of its diffusion
// steps, within a speed limit.
func ExampleDo() {
	model, err := push.Bundled()
	if err != nil {
		fmt.Println(err)
		return
	}
	settings, err := push.SettingsByName("default")
	if err != nil {
		fmt.Println(err)
		return
	}
	state := pusht.InitialConditions(1, pusht.ConditionSeed)[0]
	run := push.Run{EpisodeSteps: pusht.ActionSteps, Options: push.Options{
		Method: push.PCDLB, Gamma: settings.Gamma(push.PCDLB), VMax: push.PublishedLimits[0],
		Settings: settings, Respacing: push.Respacing{Steps: 5},
	}}
	result, err := push.Do(context.Background(), model, push.Starts(0, state, 1), run)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Status, len(result.Pairs), "pair, certified:", result.Certificate.Certified)
	// Output: complete 1 pair, certified: true
}
