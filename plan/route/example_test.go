package route_test

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/route"
)

// Two carts meet in a corridor with one bay: one of them steps aside. Nothing is sampled, and
// no model is needed.
func ExampleFind() {
	at := func(x, y float64) geom.Vec2 { return geom.Vec2{X: x, Y: y} }
	walls := geom.Union{
		geom.Box{Min: at(0, 0), Max: at(10, 4)},
		geom.Box{Min: at(0, 5), Max: at(6, 10)}, geom.Box{Min: at(7.5, 5), Max: at(10, 10)}, geom.Box{Min: at(6, 6.5), Max: at(7.5, 10)},
	}
	task := route.Task{
		Map: nav2d.NewMap("corridor", geom.Box{Min: at(0, 0), Max: at(10, 10)}, walls, nil),
		Disks: []route.Disk{
			{Radius: 0.3, Step: 0.4, Start: at(1, 4.5), Goal: at(9, 4.5)},
			{Radius: 0.3, Step: 0.4, Start: at(9, 4.5), Goal: at(1, 4.5)},
		},
	}
	paths, err := route.Find(context.Background(), task, route.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(paths), "paths of", len(paths[0]), "waypoints; in trouble:", task.Troubled(paths))
	// Output: 2 paths of 64 waypoints; in trouble: []
}
