package render_test

import (
	"fmt"
	"io"
	"log"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	navmetric "github.com/go-pcd/pcd/internal/metric/nav2d"
	"github.com/go-pcd/pcd/internal/render"
)

// Two robots swap places through each other.
func ExampleAnimate() {
	m := nav2d.Empty()
	left, middle, right := geom.Vec2{X: -0.5}, geom.Vec2{}, geom.Vec2{X: 0.5}
	paths := [][]geom.Vec2{{left, middle, right}, {right, middle, left}}
	rules := navmetric.Criteria{World: m, Radii: []float64{0.05, 0.05}, HalfRange: [2]float64{1, 1}, Step: 1}
	limits := []float64{0.6, 0.4}

	view := render.PlanView{
		Title: "swap", Step: 1,
		Map: render.MapView{Bounds: m.Bounds, Obstacles: m.Obstacles},
		Robots: []render.RobotView{
			{Name: "ada", Radius: 0.05, Start: left, Goal: right, Limit: limits[0]},
			{Name: "bob", Radius: 0.05, Start: right, Goal: left, Limit: limits[1]},
		},
		Samples: []render.SampleView{{Paths: paths, Marks: render.FindMarks(rules, limits, paths)}},
	}
	for _, mark := range view.Samples[0].Marks {
		fmt.Println("waypoint", mark.Waypoint, mark.Kind, mark.Robots)
	}
	animation, err := render.Animate(view)
	if err != nil {
		log.Fatal(err)
	}
	if err := animation.WriteHTML(io.Discard); err != nil {
		log.Fatal(err)
	}
	// Output:
	// waypoint 1 above the speed limit [1]
	// waypoint 1 robots overlap [0 1]
	// waypoint 2 above the speed limit [1]
}
