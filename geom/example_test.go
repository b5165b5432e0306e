package geom_test

import (
	"fmt"

	"github.com/go-pcd/pcd/geom"
)

// A box, and one grown by the radius of a robot.
func ExampleBox() {
	b := geom.Box{Min: geom.Vec2{X: 0, Y: 0}, Max: geom.Vec2{X: 4, Y: 2}}
	grown := b.Grow(1)
	fmt.Println(b.Center(), grown.Size(), grown.Contains(geom.Vec2{X: -0.5, Y: 1}))
	// Output: {2 1} {6 4} true
}

// A robot goes round a corner, from rest to rest, by three control points between its ends.
func ExampleNaturalSpline() {
	c := geom.NaturalSpline([]geom.Vec2{{}, {X: 1}, {X: 2}, {X: 2, Y: 1}, {X: 2, Y: 2}}, 0.5, geom.Vec2{}, geom.Vec2{})
	x, v, a := c.At(1)
	fmt.Printf("after a second at (%.3f, %.3f), velocity (%.0f, %.0f), acceleration (%.0f, %.0f)\n", x.X, x.Y, v.X, v.Y, a.X, a.Y)
	x, v, _ = c.At(c.Duration())
	fmt.Printf("ends at (%.0f, %.0f), velocity (%.0f, %.0f)\n", x.X, x.Y, v.X, v.Y)
	// Output:
	// after a second at (1.833, 0.167), velocity (1, 1), acceleration (-4, 4)
	// ends at (2, 2), velocity (0, 0)
}
