package session_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/plan/session"
)

// A team drives along curves in the metres of its scene. A box falls right in front of a robot: it brakes,
// and what it cannot avoid is told. When the box is gone the team drives on.
func Example_emergency() {
	scene, err := nav2d.ReadScene(strings.NewReader(`
units: m
motion: curve
bounds: {min: [0, 0], max: [12, 8]}
duration: 15
robots:
- {name: ada, start: [1, 4], goal: [11, 4], radius: 0.3, speed: 1.5, acceleration: 1}
- {name: bo, start: [11, 6], goal: [1, 6], radius: 0.3, speed: 1.5, acceleration: 1}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	task, err := scene.Task()
	if err != nil {
		fmt.Println(err)
		return
	}
	team, err := plan.TeamOfTask(task, func(string) (*plan.Model, error) { return plan.Bundled("empty") })
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := session.New(team, plan.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	next := func(u session.Update) *session.Plan {
		p, err := s.Replan(context.Background(), u)
		if err != nil {
			fmt.Println(err)
			return s.Plan()
		}
		fmt.Println(p.Kind, p.Certificate.Certified, len(p.Contacts))
		return p
	}
	p := next(session.Update{})
	at := p.At(0, 5.05) // five seconds later, between two waypoints
	box := geom.Convex{Core: geom.Rectangle(at.Position.Add(at.Velocity.Unit().Scale(0.6)), geom.Vec2{X: 0.2, Y: 4}, 0)}
	p = next(session.Update{Seconds: 5.05, Obstacles: []geom.Convex{box}, Within: 100 * time.Millisecond})
	fmt.Println(p.Contacts[0].Robot, "touches an obstacle, slower than it was:", p.Contacts[0].Speed < at.Velocity.Norm())
	next(session.Update{Seconds: 2, Obstacles: []geom.Convex{}})
	// Output:
	// planned true 0
	// unsafe false 1
	// ada touches an obstacle, slower than it was: true
	// planned true 0
}
