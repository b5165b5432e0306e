package session_test

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
	_ "github.com/go-pcd/pcd/plan/bundled"
	"github.com/go-pcd/pcd/plan/session"
)

// A team drives ten steps of its plan, then one goal moves: the next plan begins where the
// first one is left.
func Example() {
	m := nav2d.Empty()
	trials, err := nav2d.Trials(m, 3, 1, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	team := plan.TeamOfTrial(m, trials[0], nil, 0.7)
	s, err := session.New(team, plan.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	goals := make([]geom.Vec2, len(team.Robots))
	for i, r := range team.Robots {
		goals[i] = r.Goal
	}
	goals[0] = goals[0].Add(geom.Vec2{X: 0.05})
	for _, u := range []session.Update{{}, {Steps: 10, Goals: goals}} {
		p, err := s.Replan(context.Background(), u)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p.Kind, p.Certificate.Certified)
	}
	// Output:
	// planned true
	// planned true
}
